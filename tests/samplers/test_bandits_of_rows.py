"""MoPPS, GRESO, difficulty pools, Kimi, SFL and PLR."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from curriculum_env.estimators import Beta, BetaConfig
from curriculum_env.samplers.difficulty_pools import DifficultyPools, DifficultyPoolsConfig
from curriculum_env.samplers.greso import Greso, GresoConfig
from curriculum_env.samplers.kimi import Kimi
from curriculum_env.samplers.mopps import Mopps, MoppsConfig
from curriculum_env.samplers.plr import Plr, PlrConfig
from curriculum_env.samplers.sfl import Sfl, SflConfig
from curriculum_env.types import Group, Row
from tests.samplers.rule_views import first_share, fresh, group, rows, rows_of, sure, teach


# --- MoPPS -----------------------------------------------------------------------------------
@pytest.mark.parametrize("decay", [0.5, 1.0])
def test_the_posterior_is_a_beta_belief_of_that_decay(decay: float) -> None:
    sampler = Mopps(MoppsConfig(decay=decay))
    estimator = Beta(BetaConfig(decay=decay, age_decay=1.0))
    pool = [Row("a", {}), Row("b", {}, prior_passes=3, prior_attempts=8)]
    sampler.add(pool)
    estimator.add(pool)
    for row, passes in [(0, 3), (0, 6), (1, 8), (1, 1)]:
        sampler.observe(group(row, passes))
        estimator.update(row, group(row, passes).success_G)
    found = sampler.posterior(np.arange(2))
    assert np.allclose(found, estimator.counts())


def test_the_posterior_of_two_groups_by_hand() -> None:
    sampler = Mopps()
    sampler.add(rows_of(""))
    sampler.observe(group(0, 3))
    sampler.observe(group(0, 6))
    assert [float(count[0]) for count in sampler.posterior(np.arange(1))] == [
        1 + 0.5 * 3 + 6,
        1 + 0.5 * 5 + 2,
    ]


def test_sixteen_random_candidates_for_each_row_asked_for() -> None:
    sampler, hits = Mopps(MoppsConfig(decay=None)), 0
    mean_N = [0.5] * 4 + [0.95] * 60
    for draw in range(1000):
        hits += rows(sampler.select(1, sure(mean_N, draw)))[0] < 4
    missed = np.prod([(60 - i) / (64 - i) for i in range(16)])
    assert hits / 1000 == pytest.approx(1.0 - missed, abs=0.04)


def test_nearest_the_target_or_anywhere_in_the_band() -> None:
    mean_N = [0.32, 0.68, 0.5, 0.95, 0.05]
    close = Mopps(MoppsConfig(decay=None))
    assert rows(close.select(1, sure(mean_N))) == [2]
    band = Mopps(MoppsConfig(decay=None, rule="band"))
    first = {rows(band.select(1, sure(mean_N, draw)))[0] for draw in range(60)}
    assert first == {0, 1, 2}
    assert rows(band.select(4, sure(mean_N)))[:3] != [3, 4]
    with pytest.raises(ValidationError, match="two rising pass rates"):
        MoppsConfig(band=(0.7, 0.3))


# --- GRESO -----------------------------------------------------------------------------------
def test_the_chance_to_keep_a_row_falls_with_each_group_all_alike() -> None:
    sampler = Greso()
    sampler.add(rows_of(*[""] * 5))
    for row, passes in [(0, 8), (1, 8), (1, 8), (2, 0), (2, 0), (2, 0), (3, 8), (3, 7)]:
        sampler.observe(group(row, passes))
    for _ in range(20):
        sampler.observe(group(4, 0))
    assert sampler.keep() == pytest.approx([0.5, 0.25, 0.125, 1.0, 0.01])


def test_a_streak_of_the_other_kind_starts_anew() -> None:
    sampler = Greso()
    sampler.add(rows_of(""))
    for passes in (8, 8, 8, 0):
        sampler.observe(group(0, passes))
    assert sampler.keep() == pytest.approx([0.5])


def test_the_chances_follow_the_share_of_each_kind() -> None:
    """Of 64 groups a quarter may be without variance: 5.33 easy and 10.67 hard."""
    sampler = Greso()
    sampler.add(rows_of(""))
    for easy, hard, p_easy, p_hard in [
        (5, 10, 0.51, 0.51),
        (6, 10, 0.50, 0.52),
        (5, 11, 0.51, 0.51),
    ]:
        for i in range(64):
            sampler.observe(group(0, 8 if i < easy else 0 if i < easy + hard else 4))
        assert sampler.metrics() == pytest.approx({"keep_easy": p_easy, "keep_hard": p_hard})


@pytest.mark.parametrize(("passes", "bound"), [(8, 0.05), (4, 0.95)])
def test_the_chances_stay_in_their_bounds(passes: int, bound: float) -> None:
    sampler = Greso(GresoConfig(batch=1))
    sampler.add(rows_of(""))
    for _ in range(60):
        sampler.observe(group(0, passes))
    assert sampler.metrics()["keep_easy"] == pytest.approx(bound)


def test_the_code_counts_mixed_groups_beyond_its_thresholds_too() -> None:
    nearly = Group(0, 0, tuple([1.0] + [0.0] * 15))
    for mixed, expected in [(False, 1.0), (True, 0.5)]:
        sampler = Greso(GresoConfig(mixed=mixed))
        sampler.add(rows_of(""))
        sampler.observe(nearly)
        assert sampler.keep() == pytest.approx([expected])
    with pytest.raises(ValidationError, match="hard < easy"):
        GresoConfig(easy=0.1, hard=0.5)


def test_rows_come_in_proportion_to_the_chance_to_keep_them() -> None:
    sampler = Greso()
    sampler.add(rows_of("", ""))
    sampler.observe(group(0, 8))
    assert first_share(sampler, 2) == pytest.approx([1 / 3, 2 / 3], abs=0.04)


# --- difficulty pools, Kimi ------------------------------------------------------------------
def test_the_latest_group_gives_the_pool() -> None:
    sampler = DifficultyPools()
    sampler.add(rows_of(*[""] * 6))
    for row, passes in [(0, 2), (1, 3), (2, 6), (3, 7), (4, 0), (4, 4)]:
        sampler.observe(group(row, passes))
    assert sampler.weights().tolist() == [0.2, 1.0, 1.0, 0.2, 1.0, 1.0]
    assert sampler.metrics() == {
        "pool_unseen": 1.0,
        "pool_hard": 1.0,
        "pool_normal": 3.0,
        "pool_easy": 1.0,
    }
    expected = [0.2 / 4.4, 1 / 4.4, 1 / 4.4, 0.2 / 4.4, 1 / 4.4, 1 / 4.4]
    assert first_share(sampler, 6) == pytest.approx(expected, abs=0.04)
    choice = sampler.select(1, fresh(6))
    assert float(choice.propensity_K[0]) == pytest.approx(expected[rows(choice)[0]])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"thresholds": (0.8, 0.2)}, "two rising pass rates"),
        ({"weights": (0.0, 0.0, 0.0)}, "not all 0"),
        ({"weights": (-1.0, 1.0, 1.0)}, "not all 0"),
    ],
)
def test_pools_that_cannot_be(settings: dict[str, tuple[float, ...]], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        DifficultyPoolsConfig.model_validate(settings)


def test_kimi_draws_in_proportion_to_the_failure_rate() -> None:
    counts = np.zeros(3)
    for draw in range(2000):
        counts[Kimi().select(1, sure([0.9, 0.6, 0.5], draw)).rows_K] += 1
    assert counts / 2000 == pytest.approx([0.1, 0.4, 0.5], abs=0.04)
    assert rows(Kimi().select(3, sure([1.0, 0.5, 1.0])))[0] == 1


# --- SFL -------------------------------------------------------------------------------------
def test_half_from_the_most_learnable_half_fresh() -> None:
    sampler = Sfl(SflConfig(buffer=20))
    view = fresh(400)
    for row in range(200):
        teach(view, row, group(row, 4 if row < 20 else 7).success_G)
    chosen = []
    for draw in range(100):
        view.rng = np.random.default_rng(draw)
        chosen += rows(sampler.select(16, view))
    assert sum(row < 20 for row in chosen) / 1600 == pytest.approx(0.5, abs=0.05)
    rest = [row for row in chosen if row >= 20]
    assert sum(row >= 200 for row in rest) / len(rest) == pytest.approx(200 / 380, abs=0.06)


def test_nothing_learnable_yet_is_all_fresh_and_nothing_fresh_is_all_buffer() -> None:
    assert len(rows(Sfl().select(8, fresh(20)))) == 8
    assert len(rows(Sfl(SflConfig(buffer=20)).select(8, sure([0.5] * 20)))) == 8


# --- PLR -------------------------------------------------------------------------------------
def seen(passes: list[int], config: PlrConfig | None = None) -> Plr:
    """Row i was drawn as number i and passed `passes[i]` of 8."""
    sampler = Plr(config)
    sampler.add(rows_of(*[""] * len(passes)))
    for row, count in enumerate(passes):
        sampler.observe(group(row, count, draw=row))
    return sampler


def test_probabilities_by_rank_and_staleness() -> None:
    """Mean |A| of k of 8 is 2p(1-p): rows 1, 2, 0 rank first, second, third."""
    found = seen([8, 4, 2]).probabilities(np.ones(3, np.bool_))
    total = 1.0 + 0.5**10 + (1 / 3) ** 10
    by_rank = np.array([(1 / 3) ** 10, 1.0, 0.5**10]) / total
    stale = np.array([2.0, 1.0, 0.0]) / 3.0
    assert found == pytest.approx(0.9 * by_rank + 0.1 * stale)
    assert found.sum() == pytest.approx(1.0)


def test_ranks_run_over_the_rows_given() -> None:
    found = seen([8, 4, 2], PlrConfig(staleness=0.0)).probabilities(np.array([True, False, True]))
    assert found == pytest.approx(np.array([0.5**10, 0.0, 1.0]) / (1.0 + 0.5**10))


def test_a_draw_replays_as_often_as_rows_were_seen() -> None:
    sampler = seen([4] * 30)
    sampler.add([Row(f"new{i}", {}) for i in range(70)])
    chosen = [row for draw in range(200) for row in rows(sampler.select(10, fresh(100, draw)))]
    assert sum(row < 30 for row in chosen) / 2000 == pytest.approx(0.3, abs=0.04)


def test_unseen_rows_fill_in_and_are_filled_in_for() -> None:
    sampler = seen([4] * 5)
    view = fresh(5)
    assert len(rows(sampler.select(5, view))) == 5
    sampler.add([Row("new", {})])
    wide = fresh(6)
    wide.available_N[:5] = False
    assert rows(sampler.select(3, wide)) == [5]
