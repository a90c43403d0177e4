from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import verifiers.v1 as vf

from tests.docs.markdown import ROOT


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.name)
def test_runs_without_warnings(path: Path) -> None:
    if "import torch" in path.read_text():
        pytest.importorskip("torch")
    done = subprocess.run(
        [sys.executable, "-W", "error", path], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("*.toml")), ids=lambda p: p.name)
def test_a_configuration_names_settings_there_are(path: Path) -> None:
    tree = tomllib.loads(path.read_text())
    config = vf.resolve_env_config(tree["env"])
    assert config.taskset.id == tree["env"]["taskset"]["id"]
