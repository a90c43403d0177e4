"""Taskset id `curriculum-wrap`: draws from the taskset named by `inner`."""

from __future__ import annotations

from curriculum_env import ChatHarness, CurriculumWrap, LocalEnv

__all__ = ["ChatHarness", "CurriculumWrap", "LocalEnv"]
