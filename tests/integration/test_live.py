"""The loop across processes: the rewards earned in the workers choose the client's next task."""

from __future__ import annotations

import pytest

from benchmarks.live import SURVIVAL, run_live


@pytest.mark.timeout(240)
def test_rewards_from_worker_processes_move_the_draws_to_living_tasks() -> None:
    """Half of 48 tasks never vary: blind drawing has a rho of .45 (sd .06 over 60 draws),
    learning from the first visits about .9. The full-sized claim is `benchmarks/live.py`."""
    learnt = run_live(120, {**SURVIVAL, "cooldown": 4, "refresh": 4}, count=48, dead=0.5)
    assert learnt.rho >= 0.7
    assert learnt.distinct_tasks >= 8
