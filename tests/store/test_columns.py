from __future__ import annotations

from contextlib import closing
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from curriculum_env.recorder import Recorder
from curriculum_env.store import open_store
from curriculum_env.store.columns import storable
from curriculum_env.testing.store import drain
from curriculum_env.types import Outcome

BAD: list[dict[str, Any]] = [
    {"wall_time": float("nan")},
    {"time": 10**400},
    {"wall_time": None},
    {"time": Decimal("sNaN")},
    {"tokens": [1, 2]},
    {"tokens": 1 << 80},
    {"turns": -1},
    {"turns": float("inf")},
    {"turns": np.arange(3)},
    {"model": None},
    {"model": "\ud800"},
    {"model": "a\0b"},
]


@pytest.mark.parametrize("bad", BAD, ids=repr)
def test_a_bad_column_never_costs_the_reward(
    bad: dict[str, Any], shared_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(Recorder(shared_url)) as recorder:
        recorder.record_nowait(Outcome(3, "uid", "a", 0.5, **bad))
        assert recorder.flush(10.0)
        assert recorder.unwritten == 0
    with closing(open_store(shared_url)) as store:
        (read,) = drain(store.reader())
    cleared: dict[str, Any] = {name: type(getattr(read, name))() for name in bad}
    if "model" in bad:
        cleared["model"] = {"\ud800": "?", "a\0b": "ab"}.get(bad["model"], "")
    assert read == Outcome(3, "uid", "a", 0.5, **cleared)
    assert f"The {next(iter(bad))}" in caplog.text


def test_what_can_be_converted_is_kept_and_not_spoken_of() -> None:
    class Text(str):
        __slots__ = ()

    given: dict[str, Any] = {
        "draw": np.int64(3), "uid": Text("u"), "rollout_id": Text("r"), "tokens": np.int32(7),
        "turns": 2.0, "model": Text("m"), "wall_time": np.float32(0.5), "time": 1,
    }  # fmt: skip
    kept, cleared = storable(Outcome(reward=1.0, **given))
    assert kept == Outcome(3, "u", "r", 1.0, "ok", 7, 2, "m", 0.5, 1.0)
    assert cleared == {}
    exact = (int, str, str, int, int, str, float, float)
    names = ("draw", "uid", "rollout_id", "tokens", "turns", "model", "wall_time", "time")
    assert tuple(type(getattr(kept, name)) for name in names) == exact


def test_a_good_outcome_is_left_alone() -> None:
    outcome = Outcome(3, "u", "r", 1.0, "ok", 7, 2, "m", 0.5, 1.0)
    assert storable(outcome)[0] is outcome


def test_an_unknown_status_is_an_error() -> None:
    status: Any = "fine"
    assert storable(Outcome(0, "u", "r", None, status))[0].status == "error"
