from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from curriculum_env import Curriculum, CurriculumConfig, Outcome, Row
from curriculum_env.estimators import Ema, gain
from curriculum_env.samplers import View
from curriculum_env.samplers.gain import Gain, GainConfig

SIZES = {"short": 600, "middle": 300, "long": 100}


def pool(sizes: dict[str, int] | None = None) -> list[Row]:
    found = (sizes or SIZES).items()
    return [Row(f"{level}{i}", {}, "sums", level) for level, size in found for i in range(size)]


def view(rows: Sequence[Row], rates: dict[str, float] | None = None) -> View:
    """What a rule sees of rows whose pass rates are known, 1/2 unless said otherwise."""
    estimator = Ema()
    estimator.add(rows)
    estimator.p_N = np.array([(rates or {}).get(row.level, 0.5) for row in rows])
    size = len(rows)
    return View(estimator, np.ones(size, bool), np.ones(size), 8, np.random.default_rng(0))


def shares(rule: Gain, rows: Sequence[Row], seen: View) -> dict[str, float]:
    """The share of the total score that each level has."""
    score_N, level_N = rule.score(seen), np.array([row.level for row in rows])
    levels = dict.fromkeys(row.level for row in rows)
    return {level: float(score_N[level_N == level].sum() / score_N.sum()) for level in levels}


@pytest.mark.parametrize(
    ("balance", "expected"), [(1.0, [1, 1, 1]), (0.0, [6, 3, 1]), (0.5, np.sqrt([6, 3, 1]))]
)
def test_buckets_count_alike_as_far_as_balance_says(
    balance: float, expected: Sequence[float]
) -> None:
    rows, rule = pool(), Gain(GainConfig(balance=balance))
    rule.add(rows)
    found = shares(rule, rows, view(rows))
    assert list(found.values()) == pytest.approx(np.array(expected) / np.sum(expected))


def test_the_share_of_a_bucket_follows_what_a_step_there_gains() -> None:
    rates = {"short": 0.98, "middle": 0.6, "long": 0.05}
    rows, rule = pool(), Gain()
    rule.add(rows)
    worth = np.array([gain(p, 8) for p in rates.values()])
    found = shares(rule, rows, view(rows, rates))
    assert list(found.values()) == pytest.approx(worth / worth.sum())


def test_a_bucket_that_grows_weighs_no_more() -> None:
    rows, rule = pool({"short": 10, "long": 10}), Gain()
    rule.add(rows)
    more = [Row(f"new{i}", {}, "sums", "short") for i in range(90)]
    rule.add(more)
    found = shares(rule, rows + more, view(rows + more))
    assert found == pytest.approx({"short": 0.5, "long": 0.5})


@pytest.mark.parametrize("levels", [lambda i: "", str], ids=["one bucket", "a bucket per row"])
def test_without_buckets_that_tell_anything_rows_count_alike(levels: object) -> None:
    assert callable(levels)
    rows = [Row(str(i), {}, "", levels(i)) for i in range(50)]
    balanced, plain = Gain(), Gain(GainConfig(balance=0.0))
    seen = view(rows)
    seen.estimator.p_N = np.linspace(0.0, 1.0, 50)  # type: ignore[attr-defined]
    for rule in (balanced, plain):
        rule.add(rows)
    ratio_N = balanced.score(seen) / plain.score(seen)
    assert ratio_N == pytest.approx(np.full(50, ratio_N[0]))


def test_rows_that_cannot_gain_are_still_drawn_where_there_are_no_others() -> None:
    rows, rule = pool({"long": 20}), Gain()
    rule.add(rows)
    assert len(rule.select(8, view(rows, {"long": 0.0})).rows_K) == 8


def test_a_rare_level_at_the_frontier_gets_its_share_of_the_draws() -> None:
    config = CurriculumConfig.model_validate(
        {"group_size": 4, "cooldown": 50, "sampler": {"type": "gain"}}
    )
    rng, counts = np.random.default_rng(0), Counter[str]()
    rates = {"short": 0.99, "middle": 0.9, "long": 0.5}
    with Curriculum(pool(), config) as curriculum:
        for _ in range(900):
            draw = curriculum.ask()
            level = curriculum.row(draw.uid).level
            counts[level] += 1
            for i, passed in enumerate(rng.random(4) < rates[level]):
                curriculum.tell(Outcome(draw.number, draw.uid, f"{draw.number}.{i}", float(passed)))
    assert counts["long"] > counts["middle"] > 0.5 * counts["short"]
    assert counts["long"] > 400
