"""Bridges to trainers and environment libraries, the only rooms that import them."""
