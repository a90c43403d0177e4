"""The command line, `curriculum-env`."""

from __future__ import annotations

from curriculum_env.cli.main import app, main

__all__ = ["app", "main"]
