"""What every environment package has to have."""

from __future__ import annotations

import importlib
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import verifiers.v1 as vf

ENVIRONMENTS = Path(__file__).parents[2] / "environments"


def check_exports(module: str) -> None:
    """One taskset, one Env and one harness by name; their docstring says what the Hub shows."""
    package = importlib.import_module(module)
    exported = [getattr(package, name) for name in package.__all__]
    classes = [value for value in exported if isinstance(value, type)]
    for base in (vf.Taskset, vf.Env, vf.Harness):
        assert sum(issubclass(value, base) for value in classes) == 1


def check_metadata(module: str) -> None:
    """Named after its module, tagged, and for the versions of verifiers that have the new API."""
    text = (ENVIRONMENTS / module / "pyproject.toml").read_text()
    project = tomllib.loads(text)["project"]
    assert project["name"] == module.replace("_", "-")
    assert project["tags"]
    assert "curriculum-env" in project["dependencies"]
    assert "verifiers>=0.3.1,<0.5" in project["dependencies"]


def check_wheel(module: str, folder: Path) -> set[str]:
    """The files of the wheel that the package builds into."""
    source = ENVIRONMENTS / module
    code = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, str(folder)], cwd=source, check=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert f"{module}/__init__.py" in names
    assert f"{module}/py.typed" in names
    return names
