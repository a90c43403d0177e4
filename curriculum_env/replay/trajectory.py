"""One rollout as a trainer needs it again, and many of them as arrays."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curriculum_env.errors import ReplayError, StateError
from curriculum_env.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """A completion, the log-probabilities it was sampled with, and what it earned.

    `token_T` and `logprob_T` have one entry for each of the T >= 1 sampled tokens; `prompt_P` are
    the tokens before them. `version` is the policy's: how many updates it had when it sampled.
    `advantage` is that within the group of its own time, so replayed and fresh groups are
    normalised apart (RePO, arXiv 2506.09340). `prompt` (a text, or messages with `role` and
    `content`) and `completion` are for export.

    Raises:
        ReplayError: no token, lengths that differ, a number that is not finite, or a version below
            zero.
    """

    uid: str
    token_T: IntArray
    logprob_T: FloatArray
    reward: float
    version: int
    advantage: float = 0.0
    prompt_P: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    prompt: str | Sequence[Mapping[str, str]] = ""
    completion: str = ""

    def __post_init__(self) -> None:
        kinds = {"token_T": np.int64, "logprob_T": np.float64, "prompt_P": np.int64}
        for name, kind in kinds.items():
            object.__setattr__(self, name, np.array(getattr(self, name), kind))
        for name, plain in {"reward": float, "advantage": float, "version": int}.items():
            object.__setattr__(self, name, plain(getattr(self, name)))
        tokens, logprobs = self.token_T.shape, self.logprob_T.shape
        if len(tokens) != 1 or tokens != logprobs or tokens[0] == 0:
            raise ReplayError(
                f"the trajectory of {self.uid!r} has tokens of shape {tokens}, log-probabilities "
                f"of shape {logprobs}; expected one log-probability for each of at least one token"
            )
        numbers = (self.reward, self.advantage)
        if not (all(map(math.isfinite, numbers)) and np.isfinite(self.logprob_T).all()):
            raise ReplayError(
                f"the trajectory of {self.uid!r} has a reward, advantage or log-probability that "
                "is not finite; expected finite numbers: leave a failed rollout out"
            )
        if self.version < 0:
            raise ReplayError(
                f"the trajectory of {self.uid!r} has version {self.version}; expected the number "
                "of policy updates before it was sampled, 0 or more"
            )


_SCALARS = ("uid", "reward", "version", "advantage", "prompt", "completion")
_RAGGED = ("token_T", "logprob_T", "prompt_P")


def pack(trajectories: Sequence[Trajectory]) -> tuple[list[list[Any]], dict[str, NDArray[Any]]]:
    """JSON values, one list for each trajectory, and arrays laid end to end with their lengths."""
    plain = [[getattr(one, name) for name in _SCALARS] for one in trajectories]
    arrays: dict[str, NDArray[Any]] = {}
    for name in _RAGGED:
        parts = [getattr(one, name) for one in trajectories]
        arrays[name] = np.concatenate(parts) if parts else np.empty(0)
        arrays[f"{name}_length"] = np.array([len(part) for part in parts], np.int64)
    return plain, arrays


def unpack(plain: Sequence[Sequence[Any]], arrays: Mapping[str, NDArray[Any]]) -> list[Trajectory]:
    """What `pack` was given.

    Raises:
        StateError: the parts do not fit each other.
    """
    try:
        columns = {name: _split(arrays[name], arrays[f"{name}_length"]) for name in _RAGGED}
        ragged = [
            dict(zip(_RAGGED, parts, strict=True)) for parts in zip(*columns.values(), strict=True)
        ]
        return [
            Trajectory(**dict(zip(_SCALARS, fields, strict=True)), **parts)
            for fields, parts in zip(plain, ragged, strict=True)
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise StateError(
            f"the replay state is damaged ({type(error).__name__}: {error}); expected what "
            "state_dict returned: load another checkpoint, or start with an empty buffer"
        ) from error


def _split(values: NDArray[Any], lengths: NDArray[Any]) -> list[NDArray[Any]]:
    if int(lengths.sum()) != len(values):
        raise ValueError(f"{len(values)} values for lengths that sum to {int(lengths.sum())}")
    return np.split(values, np.cumsum(lengths)[:-1]) if len(lengths) else []
