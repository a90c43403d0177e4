"""The command line, `curriculum-env`."""

from __future__ import annotations

from curriculum_env.cli.interrupts import leave

try:
    from curriculum_env.cli.main import app, main
except KeyboardInterrupt:
    leave()

__all__ = ["app", "main"]
