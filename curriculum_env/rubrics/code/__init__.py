"""Code tests: an answer is a program or a module, and its tests run in a verifiers runtime."""

from __future__ import annotations

from curriculum_env.rubrics.code.cases import AssertCase, CallCase, Case, ProgramCase
from curriculum_env.rubrics.code.grade import run_tests
from curriculum_env.rubrics.code.limits import CodeLimits
from curriculum_env.rubrics.code.result import CodeResult, Verdict

__all__ = [
    "AssertCase",
    "CallCase",
    "Case",
    "CodeLimits",
    "CodeResult",
    "ProgramCase",
    "Verdict",
    "run_tests",
]
