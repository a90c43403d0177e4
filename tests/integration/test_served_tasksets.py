"""Wrapped tasksets through the env server, where workers rebuild each task from its data."""

from __future__ import annotations

import pytest
import verifiers.v1 as vf

from curriculum_env.testing.orchestrator import orchestrator
from curriculum_env.testing.serving import env_server
from tests.adapters.playing import rows_in
from tests.adapters.test_wrapped_tasksets import INNER, wrapped


@pytest.mark.parametrize("inner", INNER)
async def test_a_worker_grades_and_records_what_the_client_draws(
    inner: str, shared: str, policy: str
) -> None:
    """The orchestrator checks that each episode's key and hash are the dispatched task's."""
    env = wrapped(inner, shared)
    taskset = vf.load_taskset(env.config.taskset)
    with env_server(env.config) as server:
        async with orchestrator(server.address, policy, group_size=2) as trainer:
            (group,) = await trainer.play(iter(taskset), 1)
    taskset.close()
    assert group.rewards_G == [1.0, 1.0]
    rows = rows_in(shared)
    assert [(row.uid, row.status, row.reward) for row in rows] == [(group.task.key, "ok", 1.0)] * 2
