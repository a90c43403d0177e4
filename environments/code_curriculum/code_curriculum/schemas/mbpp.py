"""MBPP, full or sanitized: a sentence, asserts, a solution (Austin et al., arXiv:2108.07732)."""

from __future__ import annotations

import ast
import builtins

from code_curriculum.problem import Problem
from code_curriculum.schemas.base import Record, Schema, tested
from curriculum_env import AssertCase, PoolError


def read(record: Record) -> Problem:
    """The first assert is shown with the question, as the function's name is nowhere else."""
    asserts, setup = list(record["test_list"]), _setup(record)
    name = str(record["task_id"])
    names = [called(test, setup) for test in asserts]
    if not asserts or not all(names):
        raise PoolError(f"the problem {name!r} has no tests that call a function of the answer")
    question = record.get("text") or record.get("prompt") or ""
    problem = Problem(
        name=name,
        question=f"{question.strip()}\n\nYour code should pass this test:\n\n{asserts[0]}",
        cases=tuple(
            AssertCase(test=test, setup=setup, names=found)
            for test, found in zip(asserts, names, strict=True)
        ),
        function=names[0][0],
        solution=str(record.get("code") or ""),
        topic="mbpp",
    )
    return tested(problem)


def _setup(record: Record) -> str:
    parts = [record.get("test_setup_code") or "", *(record.get("test_imports") or [])]
    return "\n".join(part for part in parts if part)


def called(test: str, setup: str) -> list[str]:
    """The names that a test uses and that neither it, its setup nor Python defines.

    Raises:
        PoolError: one of them is no Python.
    """
    try:
        trees = [ast.walk(ast.parse(text)) for text in (setup, test)]
    except (SyntaxError, RecursionError, ValueError) as error:
        raise PoolError(f"a test is no Python ({error}): {test[:80]!r}") from error
    nodes = [node for tree in trees for node in tree]
    bound = {node.id for node in nodes if isinstance(node, ast.Name) and not _loads(node)}
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            bound |= {(name.asname or name.name).partition(".")[0] for name in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
    used = [node.id for node in nodes if isinstance(node, ast.Name) and _loads(node)]
    return list(dict.fromkeys(n for n in used if n not in bound and not hasattr(builtins, n)))


def _loads(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


MBPP = Schema(
    name="mbpp",
    hub="google-research-datasets/mbpp",
    split="train",
    configs=("full",),
    columns=(
        *("task_id", "text", "prompt", "code", "test_list"),
        *("test_setup_code", "test_imports"),
    ),
    read=read,
    licence="CC-BY-4.0",
)
