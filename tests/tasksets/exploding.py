"""Taskset id `exploding`: its own code fails as it is imported."""

from __future__ import annotations

raise RuntimeError("boom")
