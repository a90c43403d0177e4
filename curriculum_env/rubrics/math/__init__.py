"""Compares mathematical answers: math-verify behind workers that can be neither hung nor fooled."""

from __future__ import annotations

from curriculum_env.rubrics.math.checker import MathChecker, check_golds, default_checker
from curriculum_env.rubrics.math.extract import extract_answer
from curriculum_env.rubrics.math.verdict import GoldProblem, Verdict

__all__ = [
    "GoldProblem",
    "MathChecker",
    "Verdict",
    "check_golds",
    "default_checker",
    "extract_answer",
]
