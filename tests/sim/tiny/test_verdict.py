from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from curriculum_env.sim.tiny.curve import Point, Training
from curriculum_env.sim.tiny.verdict import Verdict, as_json, figures, reached


def run(
    rule: str, seed: int, accuracy: Sequence[float], each: int = 1000, rung: float = 0.5
) -> Training:
    """Accuracies at evenly spaced evaluations."""
    points = tuple(Point(each * i, 10 * i, 2.0 * i, a, a / 2) for i, a in enumerate(accuracy))
    return Training(rule, "even", seed, points, {"1": rung, "2": rung}, 0.5, 10, 5.0, 0.5, 0)


SLOW = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.5, 0.5]
FAST = [0.0, 0.2, 0.4, 0.6, 0.8, 0.8, 0.8, 0.8]


@pytest.fixture
def verdict() -> Verdict:
    runs = [run("uniform", s, SLOW) for s in (0, 1)]
    runs += [run("default", s, FAST, rung=0.45 + s / 10) for s in (0, 1)]
    return Verdict([*runs, *(run("mopps", s, SLOW) for s in (0, 1))])


def test_the_target_is_reached_where_three_evaluations_reach_it() -> None:
    assert reached(run("a", 0, FAST), 0.3, "rollouts") == pytest.approx(1500)
    assert reached(run("a", 0, FAST), 0.3, "steps") == pytest.approx(15)
    peak = [0.0, 0.1, 0.9, 0.1, 0.1, 0.1, 0.1]
    assert reached(run("a", 0, peak), 0.5, "rollouts") == np.inf
    assert reached(run("a", 0, [0.5, 0.5]), 0.4, "rollouts") == 0.0


def test_needed_is_over_all_that_uniform_spent(verdict: Verdict) -> None:
    assert verdict.needed("even", "default") == pytest.approx({0: 2500 / 7000, 1: 2500 / 7000})
    assert verdict.needed("even", "uniform")[0] > 5.0 / 7.0
    assert verdict.got_there("even", "default") == 1.0


def test_a_run_that_never_gets_there_counts_with_all_it_spent() -> None:
    never = Verdict([run("uniform", 0, SLOW), run("default", 0, [0.0, 0.1, 0.1, 0.1], each=4000)])
    assert never.needed("even", "default") == {0: pytest.approx(12_000 / 7000)}
    assert never.got_there("even", "default") == 0.0


def test_the_worst_rung_is_the_worst_of_the_means(verdict: Verdict) -> None:
    assert verdict.worst_rung("even", "default") == pytest.approx(0.0)
    assert verdict.gained("even", "default") == pytest.approx([0.3, 0.3])


def test_the_json_has_what_is_asked_for(verdict: Verdict) -> None:
    found: dict[str, Any] = as_json(verdict)["pools"]["even"]
    for rule in ("uniform", "default", "mopps"):
        assert {"rollouts", "steps", "seconds", "final", "rho", "distinct"} <= found[rule].keys()
    assert found["best_other"] == "mopps"
    mean, low, high = found["ours_vs_best_other"]
    assert low <= mean <= high < 1.0
    assert found["ours_vs_uniform"] == found["ours_vs_best_other"]
    assert "ours_vs_limit" not in found
    assert figures(verdict, "even", "default")["seeds"] == 2
