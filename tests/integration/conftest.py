"""The fixtures of the adapter's tests."""

from __future__ import annotations

from tests.adapters.conftest import policy, shared, store

__all__ = ["policy", "shared", "store"]
