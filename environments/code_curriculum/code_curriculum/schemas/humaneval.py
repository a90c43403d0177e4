"""HumanEval and those of its form: a signature with a docstring to complete, and a `check`
function (Chen et al., arXiv:2107.03374)."""

from __future__ import annotations

from code_curriculum.problem import Problem
from code_curriculum.schemas.base import Record, Schema, tested
from curriculum_env import AssertCase

QUESTION = "Complete this function. Answer with all of it, imports and helpers included.\n\n"


def read(record: Record) -> Problem:
    """The prompt's own helpers and imports are defined for the test by the prompt, not by the
    answer: tests that call a helper get the original."""
    prompt, function = str(record["prompt"]), str(record["entry_point"])
    test = f"{record['test']}\n\ncheck({function})\n"
    solution = prompt + str(record.get("canonical_solution") or "")
    problem = Problem(
        name=str(record["task_id"]),
        question=f"{QUESTION}```python\n{prompt.rstrip()}\n```",
        cases=(AssertCase(test=test, setup=prompt, names=[function]),),
        function=function,
        solution=solution if record.get("canonical_solution") else "",
        topic="humaneval",
    )
    return tested(problem)


HUMANEVAL = Schema(
    name="humaneval",
    hub="openai/openai_humaneval",
    split="test",
    columns=("task_id", "prompt", "canonical_solution", "test", "entry_point"),
    read=read,
    licence="MIT",
)
