"""`curriculum-env export`."""

from __future__ import annotations


def export() -> None:
    """x"""
