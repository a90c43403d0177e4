"""A curriculum's state on disk: one JSON file and one npz file."""

from __future__ import annotations

import json
import os
import uuid
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from curriculum_env.errors import StateError

VERSION = 1
_JSON, _NPZ = "state.json", "state.npz"


def save_state(folder: str | Path, state: dict[str, Any]) -> None:
    """Write what `Curriculum.state_dict` returned; a crash midway leaves the former state or an
    error at loading, never a mixture."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    mark = uuid.uuid4().hex
    arrays = {**state["arrays"], "mark": np.array(mark)}
    with open(folder / (_NPZ + ".tmp"), "wb") as file:
        np.savez(file, **arrays)
    plain = {key: value for key, value in state.items() if key != "arrays"}
    (folder / (_JSON + ".tmp")).write_text(json.dumps({**plain, "mark": mark}))
    for name in (_NPZ, _JSON):
        os.replace(folder / (name + ".tmp"), folder / name)


def load_state(folder: str | Path) -> dict[str, Any]:
    """Read what `save_state` wrote.

    Raises:
        StateError: a file is missing, broken, of another save, or of another version.
    """
    folder = Path(folder)
    try:
        state: dict[str, Any] = json.loads((folder / _JSON).read_text())
        with open(folder / _NPZ, "rb") as file, np.load(file, allow_pickle=False) as loaded:
            arrays: dict[str, NDArray[Any]] = dict(loaded)
    except (OSError, ValueError, EOFError, BadZipFile) as error:
        raise StateError(
            f"no curriculum state could be read from {folder} ({error}); expected the {_JSON} and "
            f"{_NPZ} that save_state wrote: give that folder, or start without a state"
        ) from error
    if str(arrays.pop("mark", "")) != state.pop("mark", None):
        raise StateError(
            f"{_JSON} and {_NPZ} in {folder} are from different saves; expected one save: "
            "copy both files again from the same checkpoint"
        )
    state["arrays"] = arrays
    check_version(state)
    return state


def check_version(state: dict[str, Any]) -> None:
    """Raise `StateError` for a state of another version."""
    if state.get("version") != VERSION:
        raise StateError(
            f"the curriculum state has version {state.get('version')!r}; expected {VERSION}: "
            "load it with the release that wrote it"
        )


def match_rows(saved: NDArray[Any], current: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Positions (in `saved`, in `current`) of the uids that both have."""
    if saved.shape == current.shape and bool(np.all(saved == current)):
        everything = np.arange(len(saved))
        return everything, everything
    _, in_saved, in_current = np.intersect1d(saved, current, True, return_indices=True)
    return in_saved, in_current
