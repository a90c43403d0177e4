"""A scripted policy, the test tasksets where verifiers finds them, and a store of one's own."""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from curriculum_env.testing.policy import serve_policy
from curriculum_env.testing.serving import TASKSETS

HERE = str(Path(__file__).parents[1] / "tasksets")
sys.path[:0] = [path for path in (TASKSETS, HERE) if path not in sys.path]
os.environ["PYTHONPATH"] = os.pathsep.join(
    (HERE, TASKSETS, *filter(None, [os.environ.get("PYTHONPATH")]))
)  # for command lines and tool servers


@pytest.fixture(scope="session")
def policy() -> Iterator[str]:
    with serve_policy() as url:
        yield url


@pytest.fixture
def store() -> str:
    return f"memory://{uuid.uuid4().hex}"


@pytest.fixture
def shared(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'curriculum.db'}"
