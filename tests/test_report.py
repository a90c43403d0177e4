from __future__ import annotations

import pytest

from curriculum_env.report import Beliefs, Ledger, build_report
from curriculum_env.types import Outcome, Status


def ledger(*groups: tuple[str, str, list[float]], size: int = 4) -> Ledger:
    """Draws 0, 1, ... of (uid, level, rewards), all in domain `d`."""
    filled = Ledger(size, lambda reward: min(max(reward, 0.0), 1.0))
    for number, (uid, level, rewards) in enumerate(groups):
        filled.draw(number, uid, "d", level)
        for index, reward in enumerate(rewards):
            filled.record(Outcome(number, uid, f"{number}-{index}", reward, tokens=3))
    return filled


def failed(draw: int, rollout: str, status: Status = "error") -> Outcome:
    return Outcome(draw, "a", rollout, None, status)


def test_rho_is_the_share_of_groups_that_are_not_all_alike() -> None:
    report = build_report(
        ledger(
            ("a", "1", [1, 1, 1, 1]),
            ("b", "1", [1, 0, 1, 1]),
            ("c", "2", [0, 0, 0, 0]),
            ("a", "1", [0, 0, 0, 1]),
        )
    )
    assert report.survival == 0.5
    assert report.survival_last_half == 0.5
    assert (report.draws, report.rollouts, report.tokens) == (4, 16, 48)
    assert report.mean_reward == 8 / 16
    first, second = report.levels
    assert (first.level, first.draws, first.distinct, first.rollouts) == ("1", 3, 2, 12)
    assert (first.pass_rate, first.survival) == (8 / 12, 2 / 3)
    assert (second.pass_rate, second.survival, second.rows) == (0.0, 0.0, None)


def test_the_last_half_is_that_of_the_draws() -> None:
    dead, alive = ("a", "1", [0.0] * 4), ("a", "1", [0.0, 1.0, 0.0, 0.0])
    report = build_report(ledger(dead, dead, alive, alive))
    assert (report.survival, report.survival_last_half) == (0.5, 1.0)


def test_an_unfinished_group_has_no_say_in_rho() -> None:
    filled = ledger(("a", "1", [1, 0]), ("b", "1", [1, 1, 1, 1]))
    report = build_report(filled)
    assert (report.survival, report.in_flight, report.rollouts) == (0.0, 1, 6)


def test_errors_finish_a_group_and_cancellations_do_not() -> None:
    filled = ledger(("a", "1", [1, 0]))
    filled.record(failed(0, "x"))
    filled.record(failed(0, "y", "cancelled"))
    assert build_report(filled).in_flight == 1
    filled.record(failed(0, "z"))
    report = build_report(filled)
    assert (report.in_flight, report.errors, report.cancelled, report.survival) == (0, 2, 1, 1.0)
    assert report.levels[0].errors == 2


def test_a_group_of_errors_alone_is_not_graded() -> None:
    filled = ledger(("a", "1", []))
    for index in range(4):
        filled.record(failed(0, f"x{index}"))
    report = build_report(filled)
    assert (report.survival, report.mean_reward, report.in_flight) == (None, None, 0)


def test_a_rollout_recorded_twice_counts_once() -> None:
    filled = ledger(("a", "1", [1]))
    filled.record(Outcome(0, "a", "0-0", 0.0))
    filled.draw(0, "b", "d", "9")
    report = build_report(filled)
    assert (report.rollouts, report.mean_reward, report.draws) == (1, 1.0, 1)


def test_pass_rates_are_successes_and_the_mean_reward_is_not() -> None:
    report = build_report(ledger(("a", "1", [3.0, -1.0])))
    assert (report.levels[0].pass_rate, report.mean_reward) == (0.5, 1.0)


def test_uniform_drawing_weighs_each_task_alike_and_each_level_by_its_rows() -> None:
    alive, dead = [1.0, 0.0, 1.0, 0.0], [0.0] * 4
    filled = ledger(("a", "1", alive), ("a", "1", alive), ("b", "1", dead), ("c", "2", dead))
    pool = {("d", "1"): 10, ("d", "2"): 30}
    report = build_report(filled, pool=pool)
    assert report.survival == 0.5
    assert report.survival_uniform == pytest.approx((10 * 0.5 + 30 * 0.0) / 40)
    assert [level.rows for level in report.levels] == [10, 30]


def test_beliefs_are_compared_on_one_scale() -> None:
    filled = ledger(("a", "1", []), ("a", "1", []), ("b", "1", []), ("c", "1", []))
    expected = {"a": 0.1, "b": 0.5, "c": 0.9}
    report = build_report(filled, beliefs=Beliefs(expected.__getitem__, 0.25))
    assert report.expected_last_half == pytest.approx(0.7)
    assert report.expected_uniform == 0.25


def test_a_level_never_drawn_leaves_uniform_drawing_unmeasured() -> None:
    pool = {("d", "1"): 10, ("d", "10"): 1, ("d", "2"): 1}
    report = build_report(ledger(("a", "1", [1, 0, 1, 0])), pool=pool)
    assert report.survival_uniform is None
    assert [level.level for level in report.levels] == ["1", "2", "10"]
    assert report.levels[1].pass_rate is None


def test_levels_join_domains_and_buckets_keep_them_apart() -> None:
    filled = ledger(("a", "1", [1, 0, 1, 0]))
    filled.draw(1, "b", "e", "1")
    report = build_report(filled, pool={("d", "1"): 2, ("e", "1"): 3})
    assert [(level.domain, level.level, level.rows) for level in report.levels] == [("", "1", 5)]
    assert [(level.domain, level.rows) for level in report.buckets] == [("d", 2), ("e", 3)]


def test_an_empty_run() -> None:
    report = build_report(ledger())
    assert (report.draws, report.survival, report.effective, report.levels) == (0, None, 0.0, ())
