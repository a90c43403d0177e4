from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from curriculum_env.engine import load_state, save_state
from curriculum_env.replay import Trajectory


def trajectory(uid: str = "a", version: int = 0, reward: float = 1.0, **more: Any) -> Trajectory:
    given = {"token_T": [3, 1, 4], "logprob_T": [-0.1, -2.5, -1e-7], "prompt_P": [1, 5], **more}
    return Trajectory(uid, reward=reward, version=version, **given)


def same(one: Trajectory, other: Trajectory) -> bool:
    fields = ("uid", "reward", "version", "advantage", "prompt", "completion")
    arrays = ("token_T", "logprob_T", "prompt_P")
    return all(getattr(one, name) == getattr(other, name) for name in fields) and all(
        getattr(one, name).tolist() == getattr(other, name).tolist() for name in arrays
    )


def through_files(state: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The state as a checkpoint gives it back."""
    json.dumps({key: value for key, value in state.items() if key != "arrays"})
    save_state(folder, state)
    return load_state(folder)
