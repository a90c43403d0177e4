from __future__ import annotations

import numpy as np
import pytest

from curriculum_env.samplers.buckets import Buckets
from curriculum_env.samplers.tscl import Tscl, TsclConfig, fitted_slope
from curriculum_env.testing.samplers import make_view


def teacher(arms: int, kind: str, **settings: object) -> Tscl:
    made = Tscl(TsclConfig.model_validate({"teacher": kind, **settings}))
    made.table.grow(arms)
    return made


def chances(made: Tscl, arms: int) -> list[float]:
    return [float(chance) for chance in made.chances(make_view(arms), Buckets())]


def test_online_averages_changes() -> None:
    made = teacher(2, "online")
    made.observe(0, [1.0, 0.0])  # change .5 from nothing: Q = .05
    made.observe(0, [1.0, 1.0])  # change .5: Q = .05 + .1 (.5 - .05)
    made.observe(0, [0.0, 0.5])  # change -.75
    q = 0.095 + 0.1 * (-0.75 - 0.095)
    assert made.slopes().tolist() == pytest.approx([q, 0.0])


def test_naive_learns_a_slope_after_every_ten() -> None:
    made = teacher(1, "naive")
    for i in range(19):
        made.observe(0, [i / 20])
    assert made.slopes()[0] == pytest.approx(0.1 * 0.05)
    made.observe(0, [19 / 20])
    assert made.slopes()[0] == pytest.approx(0.005 + 0.1 * (0.05 - 0.005))


def test_window_fits_scores_to_their_times() -> None:
    made = teacher(3, "window")
    made.observe(0, [0.2])  # time 0
    made.observe(1, [1.0])
    made.observe(0, [0.4])  # time 2
    made.observe(1, [0.5])
    made.observe(0, [0.6])  # time 4: slope .1
    assert made.slopes().tolist() == pytest.approx([0.1, -0.25, 1.0])


def test_window_forgets_all_but_the_last_ten() -> None:
    made = teacher(1, "window")
    for _ in range(5):
        made.observe(0, [0.9])
    for i in range(10):
        made.observe(0, [i / 10])
    assert made.slopes()[0] == pytest.approx(0.1)


def test_sampling_takes_a_past_change_at_random() -> None:
    """Bucket 0 changed by .2, then .6; bucket 1 by .4, then 0: 0 wins at .6, or at .2 against 0."""
    made = teacher(2, "sampling", epsilon=0.0)
    for arm, score in ((0, 0.2), (0, 0.8), (1, 0.4), (1, 0.4)):
        made.observe(arm, [score])
    assert made.slopes().tolist() == pytest.approx([0.4, 0.2])
    wins = np.mean([chances(made, 2)[0], *(sampled(made, draw) for draw in range(1, 30))])
    assert wins == pytest.approx(0.75, abs=0.02)


def sampled(made: Tscl, draw: int) -> float:
    return float(made.chances(make_view(2, draw=draw), Buckets())[0])


def test_the_steepest_but_for_epsilon_and_ties_shared() -> None:
    made = teacher(4, "online")
    assert chances(made, 4) == pytest.approx([0.25] * 4)
    made.observe(2, [1.0])
    assert chances(made, 4) == pytest.approx([0.025, 0.025, 0.925, 0.025])


def test_boltzmann() -> None:
    made = teacher(2, "online", policy="boltzmann", temperature=0.05)
    made.observe(0, [1.0])
    weight = np.exp(0.1 / 0.05)
    assert chances(made, 2) == pytest.approx([weight / (weight + 1), 1 / (weight + 1)])


@pytest.mark.parametrize(("absolute", "chosen"), [(True, 0), (False, 1)])
def test_what_is_being_forgotten_counts_as_in_the_paper(absolute: bool, chosen: int) -> None:
    made = teacher(2, "window", absolute=absolute, epsilon=0.0)
    for i in range(5):
        made.observe(0, [1.0 - 0.2 * i])
        made.observe(1, [0.1 * i])
    assert np.argmax(chances(made, 2)) == chosen


def test_a_line_through_points() -> None:
    x_AW = np.array([[0.0, 1.0, 2.0, 9.0], [3.0, 3.0, 0.0, 0.0]])
    y_AW = np.array([[1.0, 3.0, 5.0, 0.0], [1.0, 2.0, 0.0, 0.0]])
    weight_AW = np.array([[1.0, 1.0, 1.0, 0.0], [1.0, 1.0, 0.0, 0.0]])
    assert fitted_slope(x_AW, y_AW, weight_AW).tolist() == pytest.approx([2.0, 0.0])
