"""A worker that imports an environment does not pull in what only the trainer's side needs."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("curriculum_env.engine", "pyarrow", "datasets", "torch")


@pytest.mark.parametrize("module", ["coins", "curriculum_wrap"])
def test_importing_an_environment_stays_light(module: str) -> None:
    code = f"import {module}, sys; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    baseline = "import verifiers.v1, sys; print([m for m in {!r} if m in sys.modules])"
    bare = subprocess.run(
        [sys.executable, "-c", baseline.format(HEAVY)], capture_output=True, text=True, check=True
    )
    assert done.stdout == bare.stdout
