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

from curriculum_env.config import CurriculumConfig
from curriculum_env.engine.availability import NEVER, Availability
from curriculum_env.errors import StateError
from curriculum_env.estimators import Estimator
from curriculum_env.metrics import PoolPassRate
from curriculum_env.pool import Pool

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
        StateError: a file is missing, broken, or of another save.
    """
    folder = Path(folder)
    try:
        state: dict[str, Any] = dict(json.loads((folder / _JSON).read_text()))
        with open(folder / _NPZ, "rb") as file, np.load(file, allow_pickle=False) as loaded:
            arrays: dict[str, NDArray[Any]] = dict(loaded)
    except (OSError, ValueError, TypeError, EOFError, BadZipFile) as error:
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
    return state


def check_state(state: Any, config: CurriculumConfig) -> None:
    """Raise `StateError` for a state of another version, or of other beliefs or another rule."""
    if not isinstance(state, dict) or state.get("version") != VERSION:
        found = state.get("version") if isinstance(state, dict) else type(state).__name__
        raise StateError(
            f"the curriculum state has version {found!r}; expected {VERSION}: load it with the "
            "release that wrote it"
        )
    for name, mine in (("estimator", config.estimator.type), ("rule", config.sampler.type)):
        if state.get(name) != mine:
            raise StateError(
                f"the state has {name} {state.get(name)!r}, the curriculum {mine!r}; "
                f"expected the same: set curriculum.{'sampler' if name == 'rule' else name}.type"
            )


def match_rows(saved: NDArray[Any], current: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Positions (in `saved`, in `current`) of the uids that both have."""
    if saved.shape == current.shape and bool(np.all(saved == current)):
        everything = np.arange(len(saved))
        return everything, everything
    _, in_saved, in_current = np.intersect1d(saved, current, True, return_indices=True)
    return in_saved, in_current


def arrays_of(
    pool: Pool, estimator: Estimator, availability: Availability, pass_rate: PoolPassRate
) -> dict[str, NDArray[Any]]:
    """A state's columns over the rows of the pool."""
    columns = {name: getattr(estimator, name) for name in estimator.COLUMNS}
    return {
        "uid": pool.uids(),
        "visits": availability.visits_N.copy(),
        "last_draw": availability.last_draw_N.copy(),
        "latest": pass_rate.latest_N.copy(),
        **{f"belief_{name}": values.copy() for name, values in columns.items()},
    }


def load_arrays(
    state: dict[str, Any],
    pool: Pool,
    estimator: Estimator,
    availability: Availability,
    pass_rate: PoolPassRate,
) -> None:
    """Put the saved columns where the pool has their rows now."""
    arrays: dict[str, NDArray[Any]] = state["arrays"]
    saved, current = match_rows(arrays["uid"], pool.uids())
    for name in estimator.COLUMNS:
        getattr(estimator, name)[current] = arrays[f"belief_{name}"][saved]
    visits_N = np.zeros(len(pool), np.int64)
    last_draw_N = np.full(len(pool), NEVER, np.int64)
    pass_rate.latest_N[current] = arrays["latest"][saved]
    visits_N[current], last_draw_N[current] = arrays["visits"][saved], arrays["last_draw"][saved]
    estimator.load_state_dict(state["beliefs"])
    availability.restore(visits_N, last_draw_N, state["next_number"])
