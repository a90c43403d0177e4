"""In a world that forgets quickly, a bandit that follows progress too hard is caught at it."""

from __future__ import annotations

from benchmarks.bandit import FORGETFUL, NARROW, bandit, follow, guarded


def test_a_weight_too_high_narrows_the_detector_fires_and_what_was_forgotten_recovers() -> None:
    moderate, hard = (
        [follow(guarded(bandit(beta1, **NARROW)), FORGETFUL, seed) for seed in range(4)]
        for beta1 in (1.0, 30.0)
    )
    assert all(one.fewest > 10.0 for one in moderate)
    assert all(one.fewest < 1.5 for one in hard)
    assert all(one.alarms >= 1 for one in hard)
    assert sum(one.recovered for one in hard) >= 3
    assert sum(one.alarms for one in moderate) < 0.5 * sum(one.alarms for one in hard)
    assert all(one.worst < other.worst for one, other in zip(hard, moderate, strict=True))
