"""Runs a whole program, as `python solution.py` would."""

from __future__ import annotations

import builtins
import os
import sys
from types import ModuleType

NAME = "solution.py"


def run(source: str) -> None:
    """Execute `source` as the main module; what it raises goes on, to end the process."""
    module = ModuleType("__main__")
    module.__file__ = NAME
    sys.modules["__main__"] = module
    sys.argv, sys.path[0] = [NAME], os.getcwd()
    add_quitters()
    exec(compile(source, NAME, "exec"), module.__dict__)


def add_quitters() -> None:
    """`exit` and `quit`, which Python adds with its `site`."""
    from _sitebuiltins import Quitter

    for name in ("exit", "quit"):
        setattr(builtins, name, Quitter(name, "Ctrl-D"))
