"""A policy that knows the solutions of the package's own problems."""

from __future__ import annotations

from code_curriculum.own import own_problems
from code_curriculum.problem import Problem

PROBLEMS: list[Problem] = [*own_problems(heldout=False), *own_problems(heldout=True)]


def solution(prompt: str) -> str:
    """The reply that solves the one problem whose question the prompt begins with."""
    (problem,) = [problem for problem in PROBLEMS if prompt.startswith(problem.question)]
    return f"Here it is:\n\n```python\n{problem.solution}```\n"
