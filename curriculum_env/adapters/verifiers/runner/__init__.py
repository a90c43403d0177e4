"""Runs a taskset's episodes lazily: one draw for each group, from the rewards known so far."""

from __future__ import annotations

from curriculum_env.adapters.verifiers.runner.config import RunConfig, resolve
from curriculum_env.adapters.verifiers.runner.loop import Loop, Observer
from curriculum_env.adapters.verifiers.runner.session import Session
from curriculum_env.adapters.verifiers.runner.traces import TraceFile

__all__ = ["Loop", "Observer", "RunConfig", "Session", "TraceFile", "resolve"]
