"""TextArena's Wordle with a curriculum: the four lines that make one of a taskset without it."""

from __future__ import annotations

from curriculum_env import ChatHarness, curriculum
from wordle_curriculum.env import WordleEnv
from wordle_curriculum.taskset import WordleTaskset

CurriculumWordle = curriculum(WordleTaskset)

__all__ = ["ChatHarness", "CurriculumWordle", "WordleEnv"]
