"""LiveCodeBench's code generation (Jain et al., arXiv:2403.07974): public tests in JSON, private
ones in JSON that is pickled, compressed and written in base 64."""

from __future__ import annotations

import base64
import binascii
import json
import pickletools
import zlib
from typing import Any

from code_curriculum.problem import Problem
from code_curriculum.schemas.base import Record, Schema, cases_of, tested
from curriculum_env import PoolError

MAX_BYTES = 256 * 2**20


def read(record: Record) -> Problem:
    """Public and private tests together."""
    name = str(record["question_id"])
    tests = [*_public(record, name), *private(record.get("private_test_cases") or "[]", name)]
    meta = json.loads(record.get("metadata") or "{}")
    functional = any(test.get("testtype") == "functional" for test in tests)
    function = str(meta.get("func_name") or "") if functional else ""
    starter = str(record.get("starter_code") or "").strip()
    question = str(record["question_content"]).strip()
    if starter:
        question += f"\n\nStart from this code:\n\n```python\n{starter}\n```"
    problem = Problem(
        name=name,
        question=question,
        cases=cases_of([(test["input"], test["output"]) for test in tests], function),
        function=function,
        topic=str(record.get("platform") or "livecodebench"),
        level=str(record.get("difficulty") or ""),
    )
    return tested(problem)


def _public(record: Record, name: str) -> list[dict[str, Any]]:
    return _tests(record.get("public_test_cases") or "[]", name)


def private(text: str, name: str) -> list[dict[str, Any]]:
    """The private tests: JSON, or packed JSON.

    The pickle holds one string. It is not loaded, which could run code, but read for that string.

    Raises:
        PoolError: it is neither.
    """
    if text.lstrip().startswith("["):
        return _tests(text, name)
    try:
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(base64.b64decode(text), MAX_BYTES)
        strings = [value for _, value, _ in pickletools.genops(data) if isinstance(value, str)]
    except (binascii.Error, zlib.error, ValueError) as error:
        raise PoolError(f"the private tests of {name!r} cannot be unpacked ({error})") from error
    if len(strings) != 1:
        raise PoolError(f"the private tests of {name!r} hold {len(strings)} texts, expected one")
    return _tests(strings[0], name)


def _tests(text: str, name: str) -> list[dict[str, Any]]:
    try:
        tests = json.loads(text)
    except ValueError as error:
        raise PoolError(f"the tests of {name!r} are no JSON ({error})") from error
    if not isinstance(tests, list) or not all({"input", "output"} <= test.keys() for test in tests):
        raise PoolError(f"the tests of {name!r} are no list of inputs and outputs")
    return tests


LIVECODEBENCH = Schema(
    name="livecodebench",
    hub="livecodebench/code_generation_lite",
    split="test",
    data_files="test*.jsonl",
    columns=(
        *("question_id", "question_content", "platform", "difficulty", "starter_code"),
        *("public_test_cases", "private_test_cases", "metadata"),
    ),
    read=read,
    licence="CC (see its card)",
)
