"""A buffer's state: JSON values and NumPy arrays, checked when they come back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from curriculum_env.errors import StateError
from curriculum_env.replay.trajectory import Trajectory, pack

VERSION = 1


def state_of(
    kind: str, trajectories: Sequence[Trajectory], extra: Mapping[str, Any]
) -> dict[str, Any]:
    """The state of a buffer of `kind` that holds `trajectories`."""
    plain, arrays = pack(trajectories)
    return {"version": VERSION, "kind": kind, "trajectories": plain, "arrays": arrays, **extra}


@contextmanager
def check_state(kind: str, state: Mapping[str, Any]) -> Iterator[None]:
    """In the block a state of `kind` is read.

    Raises:
        StateError: it is of another kind or version, or something in it is missing or malformed.
    """
    try:
        found = (state["kind"], state["version"])
        if found != (kind, VERSION):
            raise StateError(
                f"the replay state is of {found[0]!r}, version {found[1]!r}; expected {kind!r}, "
                f"version {VERSION}: load the state that this buffer wrote"
            )
        yield
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, StateError):
            raise
        raise StateError(
            f"the replay state is damaged ({type(error).__name__}: {error}); expected what "
            "state_dict returned: load another checkpoint, or start with an empty buffer"
        ) from error
