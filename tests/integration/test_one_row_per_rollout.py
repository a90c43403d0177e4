"""Whatever becomes of a rollout, it leaves one row, with the status it deserves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import pytest

from curriculum_env.types import Outcome
from tests.adapters.playing import drawn, env_of, play, rows_in

Shape: TypeAlias = "list[tuple[str, float | None]]"

FAST = {"agent": {"harness": {"id": "faulty", "max_retries": 0}}}


@dataclass(frozen=True)
class Case:
    name: str
    rows: Shape
    fault: str = "none"
    prompt: str = "Go."
    agent: dict[str, Any] = field(default_factory=dict)
    env: dict[str, Any] = field(default_factory=dict)
    cancel_after: float | None = None


ERROR: Shape = [("error", None)]
OK: Shape = [("ok", 0.75)]

CASES = [
    Case("success", OK),
    Case("HTTP 500", ERROR, prompt="[fails=9]"),
    Case("malformed reply", ERROR, prompt="[malformed=9]"),
    Case("setup raises", ERROR, fault="setup raises"),
    Case("setup timeout", ERROR, fault="setup hangs", agent={"timeout": {"setup": 0.2}}),
    Case("agent timeout", ERROR, prompt="[delay=9]", agent={"timeout": {"rollout": 0.2}}),
    Case("episode timeout", ERROR, prompt="[delay=9]", env={"timeout": {"episode": 0.2}}),
    Case("scoring timeout", ERROR, fault="reward hangs", agent={"timeout": {"scoring": 0.2}}),
    Case("reward raises", ERROR, fault="reward raises"),
    Case("reward is not a number", ERROR, fault="reward is nan"),
    Case("agent retry", ERROR + OK, prompt="[fails=1]", agent={"retries": {"max_retries": 1}}),
    Case("env retry", ERROR + OK, prompt="[fails=1]", env={"retries": {"max_retries": 1}}),
    Case("best of three", OK * 3, env={"id": "best-of-n", "n": 3}),
    Case("cancelled", [("cancelled", None)], prompt="[delay=9]", cancel_after=0.3),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_each_end_of_a_rollout(case: Case, policy: str, store: str) -> None:
    agent = {**FAST["agent"], "runtime": {"type": "subprocess"}, **case.agent}
    prompt = f"{case.name} {case.prompt}"
    env = env_of("faulty", store, {"agent": agent, **case.env}, prompt=prompt)
    await play(env, [drawn(env, case.fault, draw=7)], policy, case.cancel_after)
    rows = rows_in(store)
    assert sorted(shape(rows)) == sorted(case.rows)
    assert {(row.draw, row.uid) for row in rows} == {(7, case.fault)}
    assert len({row.rollout_id for row in rows}) == len(case.rows)


async def test_a_scored_row_carries_what_the_rollout_cost(policy: str, store: str) -> None:
    env = env_of("faulty", store)
    (episode,) = await play(env, [drawn(env, "none")], policy)
    (row,) = rows_in(store)
    assert row.rollout_id == episode.traces[0].id
    assert (row.tokens, row.turns, row.model) == (1, 1, "scripted")
    assert 0 < row.wall_time < 10


async def test_a_task_without_a_draw_number_leaves_no_row(policy: str, store: str) -> None:
    env = env_of("faulty", store)
    (episode,) = await play(env, [drawn(env, "none", draw=None)], policy)
    assert episode.ok
    assert rows_in(store) == []


async def test_scoring_a_saved_trace_again_leaves_no_row(policy: str, store: str) -> None:
    env = env_of("faulty", store)
    task = drawn(env, "none")
    (episode,) = await play(env, [task], policy)
    await task.score(episode.traces[0])
    assert len(rows_in(store)) == 1


def shape(rows: list[Outcome]) -> Shape:
    return [(row.status, row.reward) for row in rows]
