"""What an import brings along: a worker loads the recorder, and should load little else."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import curriculum_env

ALIASES = ("Case",)


def loaded_by(statement: str) -> set[str]:
    """The modules in a fresh interpreter after `statement`."""
    program = f"{statement}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    return set(json.loads(done.stdout))


@pytest.mark.parametrize(
    ("statement", "unwanted"),
    [
        ("import curriculum_env", {"numpy", "pydantic", "sqlalchemy", "verifiers"}),
        (
            "import curriculum_env.recorder",
            {"curriculum_env.samplers", "datasets", "numpy", "pyarrow", "verifiers"},
        ),
        ("from curriculum_env import CurriculumConfig", {"pyarrow", "sqlalchemy", "verifiers"}),
        ("from curriculum_env import Curriculum", {"pyarrow", "verifiers"}),
    ],
)
def test_an_import_stays_light(statement: str, unwanted: set[str]) -> None:
    assert not loaded_by(statement) & unwanted


@pytest.mark.parametrize("name", curriculum_env.__all__)
def test_every_exported_name_is_there(name: str) -> None:
    found = getattr(curriculum_env, name)
    assert name in ALIASES or found.__name__ == name


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = curriculum_env.nonsense
