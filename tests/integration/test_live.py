"""The loop across processes: the rewards earned in the workers choose the client's next task."""

from __future__ import annotations

import pytest

from benchmarks.live import SURVIVAL, run_live


@pytest.mark.timeout(180)
def test_rewards_from_worker_processes_move_the_draws_to_living_tasks() -> None:
    """Of 60 tasks 36 never vary: drawing blindly keeps rho at .32, learning from the first
    visits lifts it. The full-sized claim is `benchmarks/live.py`."""
    learnt = run_live(120, {**SURVIVAL, "cooldown": 12}, count=60, dead=0.6)
    assert learnt.rho >= 0.6
    assert learnt.distinct_tasks >= 20
