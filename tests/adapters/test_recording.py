"""Which rollouts are recorded, and which move a belief."""

from __future__ import annotations

import itertools
from typing import Any

import verifiers.v1 as vf
from faulty import FAULTS

from curriculum_env import LocalEnv
from curriculum_env.adapters.verifiers import LocalEnvConfig, recording
from tests.adapters.playing import drawn, env_of, play, rows_in

BROKEN = [fault for fault in FAULTS if fault not in ("none", "setup hangs", "reward hangs")]


async def test_only_graded_rollouts_move_a_belief(policy: str) -> None:
    counting = {"type": "beta"}
    env = env_of("faulty", curriculum={"group_size": 1, "seed": 1, "estimator": counting})
    tasks = {task.key: task for task in itertools.islice(iter(env.taskset), len(FAULTS))}
    before = env.taskset.curriculum.table()["mean"]
    await play(env, [tasks[fault] for fault in ("none", *BROKEN)], policy)
    env.taskset.curriculum.sync()
    table = env.taskset.curriculum.table()
    moved = dict(zip(table["uid"], table["mean"] != before, strict=True))
    assert env.taskset.curriculum.metrics()["error"] == len(BROKEN)
    assert moved == {fault: fault == "none" for fault in FAULTS}
    env.taskset.close()


async def test_a_seat_the_trainer_does_not_learn_from_leaves_no_row(
    policy: str, store: str
) -> None:
    class Frozen(LocalEnv, vf.Env[LocalEnvConfig]):
        async def setup(self, agents: Any) -> None:
            agents.agent.trainable = False

    env = Frozen(env_of("faulty", store).config)
    (episode,) = await play(env, [drawn(env, "none")], policy)
    assert episode.ok
    assert rows_in(store) == []


async def test_an_env_that_grades_after_its_tasks_is_recorded_at_the_end(
    policy: str, store: str
) -> None:
    """The task has no rewards of its own: what `finalize` gives is what counts."""

    class Judging(LocalEnv, vf.Env[LocalEnvConfig]):
        async def run(self, task: vf.Task, agents: Any) -> None:
            await agents.agent.run(task)

        async def finalize(self, task: vf.Task, episode: vf.Episode) -> None:
            episode.traces[0].record_reward("verdict", 0.5)

    env = Judging(env_of("ungraded", store).config)
    await play(env, [drawn(env, "only")], policy)
    assert [(row.status, row.reward) for row in rows_in(store)] == [("ok", 0.5)]


async def test_nothing_is_kept_of_a_rollout_that_has_ended(policy: str, store: str) -> None:
    env = env_of("faulty", store)
    await play(env, [drawn(env, fault) for fault in ("none", *BROKEN)], policy)
    assert recording._handed_over == {}


async def test_without_a_store_a_rollout_is_played_all_the_same(policy: str) -> None:
    env = env_of("faulty")
    (episode,) = await play(env, [drawn(env, "none")], policy)
    assert episode.ok
