"""In a world that forgets quickly, a bandit that follows progress too hard is caught at it."""

from __future__ import annotations

from benchmarks.bandit import FORGETFUL, NARROW, bandit, follow, guarded


def test_a_weight_too_high_narrows_the_detector_fires_and_what_was_forgotten_recovers() -> None:
    moderate, hard = (
        follow(guarded(bandit(beta1, **NARROW)), FORGETFUL, seed=1) for beta1 in (1.0, 30.0)
    )
    assert moderate.alarms == 0
    assert moderate.fewest > 10.0
    assert hard.fewest < 1.5
    assert hard.alarms >= 1
    assert hard.recovered >= 1
    assert hard.worst < moderate.worst
