"""The three forms of a test. All survive JSON; each names what only the harness knows."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field


class _Case(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ProgramCase(_Case):
    """A whole program: what it reads and what it must write (DeepCoder, LiveCodeBench, APPS)."""

    kind: Literal["program"] = "program"
    stdin: str
    stdout: str


class CallCase(_Case):
    """One call of a function, or of a method of a class `Solution`, with JSON values."""

    kind: Literal["call"] = "call"
    function: str
    args: list[Any]
    expected: Any


class AssertCase(_Case):
    """Code that asserts (MBPP, HumanEval). It runs apart from the candidate's: the functions
    `names` are stand-ins that hand plain data to and fro. `setup` runs first; what it defines
    is the test's own, unless `names` replaces it."""

    kind: Literal["assert"] = "assert"
    test: str
    names: list[str]
    setup: str = ""


Case: TypeAlias = Annotated[ProgramCase | CallCase | AssertCase, Field(discriminator="kind")]
