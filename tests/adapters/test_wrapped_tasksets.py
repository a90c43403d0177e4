"""Tasksets of third parties, driven without a line of theirs changed."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import verifiers.v1 as vf

from curriculum_env import CurriculumWrap, curriculum
from curriculum_env.errors import ConfigError
from tests.adapters.playing import env_of, play, rows_in

INNER = ["finite-words", "endless-words", "keyed-words", "tooled-words"]
TOOLS = {"agent": {"harness": {"id": "tooled-words"}, "runtime": {"type": "subprocess"}}}


def wrapped(inner: str, store: str | None = None, **settings: Any) -> vf.Env[Any]:
    env = TOOLS if inner == "tooled-words" else None
    return env_of("curriculum-wrap", store, env, inner={"id": inner, **settings.pop("own", {})},
                  **settings)  # fmt: skip


def first(env: vf.Env[Any], count: int) -> list[Any]:
    return list(itertools.islice(iter(env.taskset), count))


@pytest.mark.parametrize("inner", INNER)
async def test_rollouts_of_an_inner_taskset_are_graded_by_it_and_recorded(
    inner: str, policy: str, store: str
) -> None:
    env = wrapped(inner, store)
    tasks = first(env, 2)
    episodes = await play(env, tasks, policy)
    assert [(row.status, row.reward) for row in rows_in(store)] == [("ok", 1.0)] * 2
    assert {row.uid for row in rows_in(store)} == {task.key for task in tasks}
    assert [episode.task.key for episode in episodes] == [task.key for task in tasks]
    env.taskset.close()


def test_the_wrapper_takes_the_inner_task_settings(store: str) -> None:
    env = wrapped("finite-words", store, own={"task": {"worth": 3.0}, "count": 2})
    (task,) = first(env, 1)
    assert task.config.worth == 3.0
    assert task.config.store == store
    assert len(env.taskset.curriculum.rows) == 2
    env.taskset.close()


def test_settings_given_to_the_wrapper_win_over_the_inner_ones() -> None:
    rewards = {"right": {"weight": 2.0}}
    env = wrapped("finite-words", None, task={"rewards": rewards})
    (task,) = first(env, 1)
    assert task.config.rewards["right"].weight == 2.0
    env.taskset.close()


def test_a_task_with_a_key_of_its_own_keeps_it() -> None:
    env = wrapped("keyed-words")
    assert {task.key for task in first(env, 4)} == {f"catalogue/{idx}" for idx in range(4)}
    env.taskset.close()


@pytest.mark.parametrize("key", ["", "é", "a\0b", "a" * 257])
async def test_a_key_no_store_takes_gives_way_to_the_content(
    key: str, policy: str, store: str
) -> None:
    env = wrapped("keyed-words", store, own={"keys": [key, "plain"]})
    uids = [row.uid for row in env.taskset.curriculum.rows]
    assert uids[0].isascii()
    assert (len(uids[0]), uids[1]) == (16, "plain")
    tasks = first(env, 2)
    await play(env, tasks, policy)
    assert {row.uid for row in rows_in(store)} == {task.key for task in tasks} == set(uids)
    env.taskset.close()


def test_an_endless_taskset_gives_a_bounded_pool_without_repeats() -> None:
    env = wrapped("endless-words", pool={"size": 9})
    assert len(env.taskset.curriculum.rows) == 6
    env.taskset.close()


def test_fields_of_the_task_data_name_the_buckets() -> None:
    env = wrapped("finite-words", pool={"level": "length", "domain": "word"})
    assert {row.bucket for row in env.taskset.curriculum.rows} >= {("a", "1"), ("aa", "2")}
    env.taskset.close()


@pytest.mark.parametrize("setting", ["level", "domain"])
def test_a_field_that_the_task_data_does_not_have_is_refused(setting: str) -> None:
    taskset = wrapped("finite-words", pool={setting: "nofield"}).taskset
    with pytest.raises(ConfigError, match=rf"pool\.{setting} is 'nofield'.*length.*word"):
        list(taskset.rows())
    taskset.close()


def test_the_held_out_share_is_fixed_and_apart_from_the_pool() -> None:
    settings: Any = {"own": {"count": 40}, "pool": {"heldout": 0.25}}
    train = wrapped("finite-words", **settings)
    heldout = wrapped("finite-words", split="heldout", **settings)
    pool = {row.uid for row in train.taskset.curriculum.rows}
    held = [task.key for task in heldout.taskset]
    assert len(pool) + len(held) == 40
    assert 0 < len(held) < 40
    assert not pool & set(held)
    assert not type(heldout.taskset).INFINITE
    train.taskset.close()


def test_holding_out_nothing_is_explained() -> None:
    with pytest.raises(ValueError, match=r"pool\.heldout is 0"):
        list(wrapped("finite-words", split="heldout").taskset)


def test_the_inner_id_is_asked_for() -> None:
    with pytest.raises(ValueError, match=r"inner\.id is not set"):
        env_of("curriculum-wrap")


def test_a_view_of_a_wrapped_taskset_shares_its_curriculum() -> None:
    taskset = wrapped("finite-words").taskset
    view = taskset.take(3) if hasattr(taskset, "take") else taskset.head(3)
    assert isinstance(view, CurriculumWrap)
    assert [task.hash for task in view] == [task.hash for task in itertools.islice(taskset, 3)]
    taskset.close()


class TestFactory:
    async def test_a_derived_package_has_the_inner_settings_and_records(
        self, policy: str, store: str
    ) -> None:
        env = env_of("derived-words", count=3, task={"worth": 0.5, "store": store})
        await play(env, first(env, 2), policy)
        assert [(row.status, row.reward) for row in rows_in(store)] == [("ok", 0.5)] * 2
        assert len(env.taskset.curriculum.rows) == 3
        env.taskset.close()

    def test_the_task_type_is_known_without_a_config(self) -> None:
        task = vf.task_type("derived-words")
        assert task.__name__ == "WordTask"
        assert set(task.data_type().model_fields) >= {"word", "length", "curriculum"}
        assert set(task.config_type().model_fields) >= {"worth", "store"}

    def test_an_endless_class_stays_bounded_and_keeps_its_tools(self) -> None:
        import endless_words
        import tooled_words

        endless = curriculum(endless_words.EndlessWords)
        taskset = endless(endless_config(endless, pool={"size": 6}))
        assert len(taskset.curriculum.rows) == 4
        taskset.close()
        tooled = curriculum(tooled_words.TooledWords)
        assert len(tooled.toolsets(endless_config(tooled))) == 1
        assert len(tooled.task_type().toolsets(tooled_words.TooledConfig())) == 1


def endless_config(taskset: type[Any], **settings: Any) -> Any:
    from verifiers.v1.utils.generic import concrete_type

    config = concrete_type(taskset, vf.TasksetConfig, origin=vf.Taskset)
    assert config is not None
    return config.model_validate(settings)
