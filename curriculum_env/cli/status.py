"""`curriculum-env status`."""

from __future__ import annotations


def status() -> None:
    """x"""
