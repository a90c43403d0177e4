"""The taskset as a trainer sees it: endless, replayed on a second look, finite when held out."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import coins
import pytest
import verifiers.v1 as vf

from curriculum_env import CurriculumMixin, CurriculumTaskConfig, Row
from curriculum_env.errors import ConfigError, OwnerError, PoolError, StoreError
from curriculum_env.store import open_store
from tests.adapters.playing import env_of, play, rows_in


def taskset_of(taskset: type[Any] = coins.Coins, **settings: Any) -> Any:
    return taskset(coins.CoinsConfig(**{"count": 20, **settings}))


@pytest.fixture
def taskset() -> Iterator[Any]:
    made = taskset_of()
    yield made
    made.close()


def hashes(tasks: Any, count: int) -> list[str]:
    return [task.hash for task in itertools.islice(iter(tasks), count)]


def head(taskset: Any, count: int) -> Any:
    return taskset.take(count) if hasattr(taskset, "take") else taskset.head(count)


class TestTraining:
    def test_it_never_ends_by_its_class(self, taskset: Any) -> None:
        assert type(taskset).INFINITE
        assert len(hashes(taskset, 50)) == 50

    def test_a_task_carries_its_place(self, taskset: Any) -> None:
        task = next(iter(taskset))
        row = taskset.curriculum.row(task.key)
        assert task.data.curriculum.model_dump() == {
            "uid": row.uid, "draw": 0, "domain": "coins", "level": row.level,
        }  # fmt: skip
        assert task.data.idx == 0

    def test_a_second_iteration_replays_then_goes_on(self, taskset: Any) -> None:
        seen = hashes(taskset, 5)
        assert hashes(taskset, 8)[:5] == seen
        assert taskset.curriculum.draws == 8

    def test_two_iterations_may_be_interleaved(self, taskset: Any) -> None:
        one, other = iter(taskset), iter(taskset)
        assert [next(one).hash, next(one).hash] == [next(other).hash, next(other).hash]
        assert next(other).hash == next(one).hash

    def test_views_share_the_curriculum(self, taskset: Any) -> None:
        view = head(taskset, 3)
        assert [task.hash for task in view] == hashes(taskset, 3)
        assert view.curriculum is taskset.curriculum

    def test_keys_outlive_redraws_and_hashes_do_not(self, taskset: Any) -> None:
        tasks = list(itertools.islice(iter(taskset), 60))
        assert {task.key for task in tasks} == {f"coin-{index}" for index in range(20)}
        assert len({task.hash for task in tasks}) == 60

    def test_a_worker_rebuilds_the_same_task(self, taskset: Any) -> None:
        task = next(iter(taskset))
        wire = task.data.model_dump(mode="json")
        rebuilt = type(taskset).task_type()(coins.CoinData.model_validate(wire), task.config)
        assert (rebuilt.key, rebuilt.hash) == (task.key, task.hash)

    def test_making_a_taskset_opens_nothing(self, shared: str) -> None:
        one = taskset_of(task=CurriculumTaskConfig(store=shared))
        other = taskset_of(task=CurriculumTaskConfig(store=shared))
        assert next(iter(one))
        one.close()
        assert next(iter(other))
        other.close()

    def test_resume_replays_the_log_with_the_same_data(self, shared: str) -> None:
        settings = {"task": CurriculumTaskConfig(store=shared)}
        first = taskset_of(**settings)
        seen = hashes(first, 6)
        first.close()
        second = taskset_of(**settings)
        assert hashes(second, 9)[:6] == seen
        second.close()

    async def test_without_a_store_feedback_goes_through_memory(self, policy: str) -> None:
        env = env_of("coins", count=4)
        tasks = list(itertools.islice(iter(env.taskset), 4))
        await play(env, tasks, policy)
        env.taskset.curriculum.sync()
        assert env.taskset.curriculum.metrics()["ok"] == 4
        env.taskset.close()


class TestHeldOut:
    def test_it_is_finite_by_its_class_and_fixed(self) -> None:
        taskset = taskset_of(split="heldout")
        assert not type(taskset).INFINITE
        assert isinstance(taskset, coins.Coins)
        assert type(taskset).task_type() is coins.CoinTask
        assert hashes(taskset, 99) == hashes(taskset, 99)
        assert len(list(taskset)) == 8

    def test_its_tasks_have_keys_and_no_draw(self) -> None:
        tasks = list(taskset_of(split="heldout"))
        assert [task.key for task in tasks] == [f"heldout-{index}" for index in range(8)]
        assert {task.data.curriculum.draw for task in tasks} == {None}

    async def test_its_rollouts_are_never_recorded(self, policy: str, store: str) -> None:
        env = env_of("coins", store, split="heldout")
        episodes = await play(env, list(env.taskset), policy)
        assert all(episode.ok for episode in episodes)
        assert rows_in(store) == []

    def test_overlap_with_the_pool_is_refused(self) -> None:
        class Overlapping(coins.Coins):
            def heldout_rows(self) -> Iterator[Row]:
                return iter([coins.coin("coin-3", 0.5)])

        with pytest.raises(PoolError, match=r"1 rows .* \(first: 'coin-3'\)"):
            list(taskset_of(Overlapping, split="heldout"))

    def test_a_taskset_without_one_says_so(self) -> None:
        class Bare(CurriculumMixin, vf.Taskset[coins.CoinTask, coins.CoinsConfig]):
            def rows(self) -> Iterator[Row]:
                yield coins.coin("coin-0", 0.5)

        with pytest.raises(ConfigError, match="define heldout_rows"):
            list(taskset_of(Bare, split="heldout"))


class TestBadInput:
    @pytest.mark.parametrize(
        ("rows", "complaint"),
        [
            ([], "empty"),
            ([coins.coin("a", 0.5), coins.coin("a", 0.5)], "a"),
            ([Row(uid="a", data={"prompt": "Toss."})], "'a' does not make a CoinTask"),
            ([Row(uid="a", data={"prompt": "Toss.", "p": "often"})], "'a' does not make a"),
            ([{"uid": "a", "prompt": "Toss."}], "row 0 is a dict; expected a curriculum_env.Row"),
            ([coins.coin("a", 0.5), None], "row 1 is a NoneType"),
            (None, "the rows of Bad are a NoneType; expected an iterable"),
        ],
    )
    def test_rows_that_cannot_be_trained_on(self, rows: Any, complaint: str) -> None:
        class Bad(coins.Coins):
            def rows(self) -> Any:
                return rows

        with pytest.raises(PoolError, match=complaint):
            next(iter(taskset_of(Bad)))

    def test_a_store_that_cannot_be_opened(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        config = CurriculumTaskConfig(store=f"sqlite:///{tmp_path}/file/curriculum.db")
        with pytest.raises(StoreError):
            next(iter(taskset_of(task=config)))

    def test_a_rule_that_wants_groups_of_several_sizes(self) -> None:
        taskset = taskset_of(curriculum={"sampler": {"type": "speed"}})
        with pytest.raises(ConfigError, match="the same number"):
            next(iter(taskset))

    def test_a_url_of_no_kind(self) -> None:
        with pytest.raises(ConfigError):
            next(iter(taskset_of(task=CurriculumTaskConfig(store="mongodb://there"))))

    def test_two_owners(self, shared: str) -> None:
        config = CurriculumTaskConfig(store=shared)
        one, other = taskset_of(task=config), taskset_of(task=config)
        next(iter(one))
        with pytest.raises(OwnerError):
            next(iter(other))
        one.close()


def test_a_client_whose_workers_record_elsewhere_is_told(
    shared: str, caplog: pytest.LogCaptureFixture
) -> None:
    taskset = taskset_of(count=600, task=CurriculumTaskConfig(store=shared))
    with caplog.at_level(logging.WARNING):
        hashes(taskset, 513)
    assert "no outcome" in caplog.text
    taskset.close()
    open_store(shared).close()
