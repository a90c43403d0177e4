from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curriculum_env.errors import ReplayError, StateError
from curriculum_env.replay import SuccessBuffer, SuccessConfig, TrajectoryBuffer
from tests.replay.helpers import same, through_files, trajectory

DEAD = [0.0] * 8


def buffer(**settings: Any) -> SuccessBuffer:
    return SuccessBuffer(SuccessConfig(**settings))


def test_the_last_eight_successes_of_a_task_are_kept() -> None:
    kept = buffer()
    assert kept.add(trajectory(version=version) for version in range(10)) == 10
    assert [one.version for one in kept.of("a")] == list(range(2, 10))
    assert len(kept) == 8


@pytest.mark.parametrize(("reward", "kept"), [(0.0, 0), (0.1, 0), (0.11, 1), (1.0, 1)])
def test_a_success_earns_more_than_a_tenth(reward: float, kept: int) -> None:
    assert buffer().add([trajectory(reward=reward)]) == kept


@pytest.mark.parametrize(
    ("reward_G", "failing"),
    [
        (DEAD, True),
        ([0.19] * 8, True),
        ([0.2] * 8, False),  # the mean must lie below .2
        ([1.0] * 8, False),  # dead, but solved
        ([0.0] * 7 + [0.1], True),  # std .033
        ([0.0] * 7 + [1.0], False),  # alive
        ([0.0, 0.1], False),  # std .05 is not below .05
        ([0.0], True),
        ([], False),
    ],
)
def test_only_dead_failing_groups_are_helped(reward_G: list[float], failing: bool) -> None:
    kept = buffer()
    kept.add([trajectory()])
    assert kept.failing(reward_G) is failing
    assert (kept.inject("a", reward_G, version=1) is not None) is failing


def test_one_success_takes_the_place_of_the_worst_rollout() -> None:
    kept = buffer()
    kept.add([trajectory("a", completion="mine"), trajectory("b", completion="another's")])
    found = kept.inject("a", [0.01, 0.0, 0.01], version=4)
    assert found is not None
    assert found.position == 1
    assert found.trajectory.completion == "mine"
    assert kept.inject("c", DEAD, version=4) is None
    assert kept.metrics() == {"size": 2, "tasks": 2, "dead_groups": 2, "injected": 1}


def test_any_of_its_successes_may_be_taken() -> None:
    kept = buffer()
    kept.add(trajectory(version=version) for version in range(8))
    found = [kept.inject("a", DEAD, version=8) for _ in range(200)]
    assert {one.trajectory.version for one in found if one} == set(range(8))


@given(st.integers(0, 5), st.lists(st.integers(0, 20), max_size=12), st.integers(0, 25))
def test_nothing_older_than_tau_max_is_injected(
    tau_max: int, versions: list[int], now: int
) -> None:
    kept = buffer(tau_max=tau_max)
    kept.add(trajectory(version=version) for version in versions)
    found = kept.inject("a", DEAD, version=now)
    usable = [version for version in versions[-8:] if now - version <= tau_max]
    assert (found is not None) == bool(usable)
    assert found is None or now - found.trajectory.version <= tau_max


@given(st.lists(st.sampled_from("abcd"), max_size=60), st.integers(1, 4), st.integers(1, 9))
def test_the_capacity_is_that_of_all_tasks(uids: list[str], per_task: int, capacity: int) -> None:
    kept = buffer(per_task=per_task, capacity=capacity)
    model: list[tuple[str, int]] = []
    for number, uid in enumerate(uids):
        kept.add([trajectory(uid, version=number)])
        mine = [one for one in model if one[0] == uid]
        if len(mine) == per_task:
            model.remove(mine[0])
        model = [*model, (uid, number)][-capacity:]
    assert len(kept) == len(model)
    for uid in "abcd":
        expected = [number for name, number in model if name == uid]
        assert [one.version for one in kept.of(uid)] == expected


def test_a_checkpoint_goes_on_exactly(tmp_path: Path) -> None:
    kept = buffer(seed=3)
    kept.add(trajectory(uid, version, completion=uid) for uid in "abc" for version in range(5))
    kept.inject("a", DEAD, 9)
    other = buffer(seed=3)
    other.load_state_dict(through_files(kept.state_dict(), tmp_path))
    assert other.metrics() == kept.metrics()
    for _ in range(20):
        mine, theirs = kept.inject("b", DEAD, 9), other.inject("b", DEAD, 9)
        assert mine is not None
        assert theirs is not None
        assert same(mine.trajectory, theirs.trajectory)


def test_a_state_of_another_buffer_is_refused() -> None:
    kept = buffer()
    kept.add([trajectory()])
    with pytest.raises(StateError, match=r"'trajectories'.*expected 'successes'"):
        kept.load_state_dict(TrajectoryBuffer().state_dict())
    assert len(kept) == 1


def test_successes_become_a_data_set(tmp_path: Path) -> None:
    kept = buffer()
    chat = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "1 + 1"}]
    kept.add([trajectory("a", prompt="2 + 2", completion="4")])
    kept.add([trajectory("b", version=3, reward=0.5, prompt=chat, completion="2")])
    other = buffer()
    other.load_state_dict(through_files(kept.state_dict(), tmp_path))
    assert other.export(tmp_path / "sft.parquet") == 2
    first, second = pq.read_table(tmp_path / "sft.parquet").to_pylist()
    asked = {"role": "user", "content": "2 + 2"}
    assert first["messages"] == [asked, {"role": "assistant", "content": "4"}]
    assert second["prompt"] == chat
    assert second["completion"] == [{"role": "assistant", "content": "2"}]
    assert (second["uid"], second["reward"], second["version"]) == ("b", 0.5, 3)


def test_what_cannot_be_exported_says_why(tmp_path: Path) -> None:
    kept = buffer()
    with pytest.raises(ReplayError, match="no success to export"):
        kept.export(tmp_path / "sft.parquet")
    kept.add([trajectory("a")])
    with pytest.raises(ReplayError, match=r"1 of 1 successes have no text \(the first of task 'a'"):
        kept.export(tmp_path / "sft.parquet")
    kept.add([trajectory("a", prompt="p", completion="c")] * 8)
    with pytest.raises(ReplayError, match="cannot be written"):
        kept.export(tmp_path / "missing" / "sft.parquet")
    assert list(tmp_path.iterdir()) == []
