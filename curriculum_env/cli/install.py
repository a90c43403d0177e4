"""Installs a local environment the way verifiers does."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

from curriculum_env.errors import ConfigError


def install(name: str, parent: Path) -> str:
    """Install PARENT/NAME into this Python, editable; returns its name and version.

    Raises:
        ConfigError: there is no such package, or its installation failed.
    """
    folder = parent / name.replace("-", "_").lower()
    if not (folder / "pyproject.toml").is_file():
        raise ConfigError(
            f"there is no environment package at {folder} (no pyproject.toml): check NAME and "
            f"--parent, or create one with `curriculum-env env new {name}`."
        )
    done = subprocess.run(_command(name, parent, folder), capture_output=True, text=True)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise ConfigError(
            f"installing {folder} failed (exit code {done.returncode}): "
            f"{lines[-1].rstrip('.') if lines else 'no output'}."
        )
    return _installed(folder)


def _command(name: str, parent: Path, folder: Path) -> list[str]:
    """verifiers' own command, which needs uv, where both are there; else pip."""
    own = Path(sys.executable).parent / "vf-install"
    if own.is_file() and shutil.which("uv"):
        return [str(own), name, "--path", str(parent)]
    return [sys.executable, "-m", "pip", "install", "--quiet", "--editable", str(folder)]


def _installed(folder: Path) -> str:
    try:
        return f"{folder.name} {metadata.version(folder.name)}"
    except metadata.PackageNotFoundError as error:
        raise ConfigError(
            f"{folder} was installed under another name than {folder.name!r}, which verifiers "
            "would not find: name the project in its pyproject.toml after its folder."
        ) from error
