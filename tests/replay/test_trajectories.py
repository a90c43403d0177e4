from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curriculum_env.errors import ReplayError, StateError
from curriculum_env.replay import TrajectoryBuffer, TrajectoryConfig
from tests.replay.helpers import same, through_files, trajectory


def buffer(**settings: Any) -> TrajectoryBuffer:
    return TrajectoryBuffer(TrajectoryConfig(**settings))


@given(
    st.integers(0, 3),
    st.integers(1, 12),
    st.lists(st.tuples(st.integers(0, 3), st.lists(st.integers(0, 5), max_size=6)), max_size=12),
)
def test_nothing_older_than_tau_max_is_ever_used(
    tau_max: int, capacity: int, steps: list[tuple[int, list[int]]]
) -> None:
    kept = buffer(tau_max=tau_max, capacity=capacity)
    version = 0
    for updates, ages in steps:
        version += updates
        kept.advance(version)
        used = kept.sample(4)
        assert all(1 <= version - one.version <= tau_max for one in used)
        assert len({id(one) for one in used}) == len(used)
        kept.add(trajectory(version=max(version - age, 0)) for age in ages)
        assert len(kept) <= capacity
    assert kept.metrics()["age_used_max"] <= tau_max


def test_old_ones_are_evicted_and_refused_and_counted() -> None:
    kept = buffer(tau_max=2)
    kept.add([trajectory(version=0)] * 3)
    kept.advance(2)
    assert len(kept.sample(5)) == 3
    kept.advance(3)
    assert kept.sample(5) == []
    assert kept.add([trajectory(version=0), trajectory(version=3)]) == 1
    counts = kept.metrics()
    assert (counts["size"], counts["evicted"], counts["refused"]) == (1, 3, 1)
    assert counts["age_used_max"] == 2


def test_the_oldest_make_room() -> None:
    kept = buffer(capacity=3)
    kept.add(trajectory(uid=str(number)) for number in range(5))
    kept.advance(1)
    assert {one.uid for one in kept.sample(9)} == {"2", "3", "4"}
    assert kept.metrics()["evicted"] == 2


def test_what_the_present_policy_sampled_is_not_replayed() -> None:
    kept = buffer()
    kept.add([trajectory("old")])
    kept.advance(1)
    kept.add([trajectory("new", version=1)])
    assert [one.uid for one in kept.sample(9)] == ["old"]


def test_all_are_drawn_alike() -> None:
    kept = buffer()
    kept.add(trajectory(uid=str(number)) for number in range(4))
    kept.advance(1)
    seen = Counter(one.uid for _ in range(2000) for one in kept.sample(1))
    assert len(seen) == 4
    assert all(abs(count - 500) < 5 * math.sqrt(2000 * 0.25 * 0.75) for count in seen.values())


def test_the_clip_share_is_reported() -> None:
    kept = buffer()
    kept.observe_clip(3, 20)
    assert kept.clip_share == kept.metrics()["clip_share"] == 3 / 20


def test_versions_rise() -> None:
    kept = buffer()
    kept.advance(4)
    with pytest.raises(ReplayError, match="from 4 back to 3"):
        kept.advance(3)
    with pytest.raises(ReplayError, match="version 5, the policy at 4"):
        kept.add([trajectory(version=5)])


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"token_T": [], "logprob_T": []}, "at least one token"),
        ({"token_T": [1, 2]}, r"shape \(2,\), log-probabilities of shape \(3,\)"),
        ({"logprob_T": [0.0, math.nan, 0.0]}, "not finite"),
        ({"logprob_T": [0.0, -math.inf, 0.0]}, "not finite"),
        ({"reward": math.nan}, "not finite"),
        ({"advantage": math.inf}, "not finite"),
        ({"version": -1}, "version -1"),
    ],
)
def test_a_trajectory_that_cannot_be_trained_on_is_refused(
    wrong: dict[str, Any], said: str
) -> None:
    with pytest.raises(ReplayError, match=said):
        trajectory(**wrong)


def test_a_trajectory_keeps_its_own_numbers() -> None:
    tokens = np.array([1, 2, 3])
    one = trajectory(token_T=tokens)
    tokens[:] = 0
    assert one.token_T.tolist() == [1, 2, 3]


def test_numbers_of_arrays_are_plain_numbers(tmp_path: Path) -> None:
    kept = buffer()
    numbers: Any = {"reward": np.float32(0.5), "advantage": np.float32(1.5), "version": np.int64(0)}
    kept.add([trajectory(**numbers)])
    kept.advance(1)
    other = buffer()
    other.load_state_dict(through_files(kept.state_dict(), tmp_path))
    (one,) = other.sample(1)
    assert (one.reward, one.advantage, one.version) == (0.5, 1.5, 0)


def test_a_checkpoint_goes_on_exactly(tmp_path: Path) -> None:
    kept = buffer(tau_max=3, seed=5)
    for version in range(3):
        kept.advance(version)
        kept.sample(2)
        kept.add(
            trajectory(f"{version}-{n}", version, token_T=range(n), logprob_T=[-1 / 3] * n,
                       advantage=n / 7, prompt="è?", completion=str(n))
            for n in range(1, 5)
        )  # fmt: skip
        kept.observe_clip(version, 10)
    other = buffer(tau_max=3, seed=5)
    other.load_state_dict(through_files(kept.state_dict(), tmp_path))
    assert other.metrics() == kept.metrics()
    for version in range(3, 6):
        kept.advance(version)
        other.advance(version)
        mine, theirs = kept.sample(5), other.sample(5)
        assert len(mine) == len(theirs)
        assert mine or version == 5
        assert all(map(same, mine, theirs))


def test_an_empty_buffer_has_a_state_too(tmp_path: Path) -> None:
    other = buffer()
    other.load_state_dict(through_files(buffer().state_dict(), tmp_path))
    assert len(other) == 0


def test_a_smaller_bound_holds_for_what_was_saved() -> None:
    kept = buffer(tau_max=4)
    kept.add([trajectory(version=0)])
    kept.advance(3)
    other = buffer(tau_max=2)
    other.load_state_dict(kept.state_dict())
    assert other.sample(1) == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda state: state.update(kind="successes"),
        lambda state: state.update(version=9),
        lambda state: state.pop("counts"),
        lambda state: state.update(counts=[1]),
        lambda state: state["arrays"].pop("token_T"),
        lambda state: state["arrays"].update(token_T=np.arange(2)),
        lambda state: state["trajectories"].pop(),
        lambda state: state["trajectories"][0].pop(),
    ],
)
def test_a_damaged_state_changes_nothing(damage: Any) -> None:
    kept = buffer()
    kept.add([trajectory("a"), trajectory("b")])
    state = kept.state_dict()
    damage(state)
    with pytest.raises(StateError, match="replay state"):
        kept.load_state_dict(state)
    assert len(kept) == 2
