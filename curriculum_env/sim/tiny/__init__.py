"""A policy small enough to be trained for real on one core: a character transformer that adds.

Importing the modules here needs torch; nothing else of the package does.
"""

from __future__ import annotations
