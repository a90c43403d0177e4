"""Taskset id `derived-words`: the four lines that turn `finite-words` into a curriculum."""

from __future__ import annotations

from finite_words import FiniteWords

from curriculum_env import ChatHarness, LocalEnv, curriculum

CurriculumWords = curriculum(FiniteWords)

__all__ = ["ChatHarness", "CurriculumWords", "LocalEnv"]
