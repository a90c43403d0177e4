"""Rules that know rows by a difficulty said or predicted: AdaRFT, staged and DOTS."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from curriculum_env import Curriculum, CurriculumConfig
from curriculum_env.errors import ConfigError
from curriculum_env.samplers.adarft import Adarft, AdarftConfig
from curriculum_env.samplers.difficulty import Difficulty, natural
from curriculum_env.samplers.dots import Dots, DotsConfig
from curriculum_env.samplers.features import Features
from curriculum_env.samplers.staged import Staged, StagedConfig
from curriculum_env.types import Row
from tests.samplers.rule_views import fresh, group, rows, rows_of


def row(uid: str, passes: float = 0, attempts: float = 0, **fields: Any) -> Row:
    return Row(uid, {}, prior_passes=passes, prior_attempts=attempts, **fields)


# --- what is said of a row -------------------------------------------------------------------
def test_levels_sort_as_people_do() -> None:
    assert sorted(["10", "2", "1"], key=natural) == ["1", "2", "10"]
    assert sorted(["grade 10", "grade 9", "easy"], key=natural) == ["easy", "grade 9", "grade 10"]
    assert sorted(["b", "2", "a1", "10"], key=natural) == ["2", "10", "a1", "b"]


def test_offline_rollouts_come_first_then_the_feature_then_the_level() -> None:
    known = row("a", 6, 8, features={"hard": 9}, level="1")
    told = row("b", features={"hard": 3}, level="1")
    assert Difficulty("hard", (1.0, 5.0), None).add([known, told]).tolist() == [25.0, 50.0]
    levels = [row("c", level="10"), row("d", level="2"), row("e", level="1"), known]
    assert Difficulty(None, (0.0, 1.0), None).add(levels).tolist() == [100.0, 50.0, 0.0, 25.0]
    listed = Difficulty(None, (0.0, 1.0), ["10", "2", "1"]).add(levels)
    assert listed.tolist() == [0.0, 50.0, 100.0, 25.0]


def test_a_later_level_moves_the_others() -> None:
    difficulty = Difficulty(None, (0.0, 1.0), None)
    difficulty.add([row("a", level="1"), row("b", level="2")])
    assert difficulty.add([row("c", level="3")]).tolist() == [0.0, 50.0, 100.0]


def test_a_feature_may_fall_with_difficulty_and_is_clipped() -> None:
    found = Difficulty("ease", (1.0, 0.0), None).add(
        [row("a", features={"ease": 0.25}), row("b", features={"ease": -3})]
    )
    assert found.tolist() == [75.0, 100.0]


@pytest.mark.parametrize(
    ("settings", "pool", "message"),
    [
        ({}, [row("a"), row("b")], "row a has no difficulty"),
        ({}, [row("a", level="1"), row("b", level="1")], "every row has level '1'"),
        ({"feature": "x"}, [row("a", level="1")], "row a has None for the feature 'x'"),
        ({"feature": "x"}, [row("a", features={"x": "hard"})], "expected a finite number"),
        ({"feature": "x"}, [row("a", features={"x": math.nan})], "expected a finite number"),
        ({"order": ["1"]}, [row("a", level="1"), row("b", level="2")], "level '2'"),
    ],
)
def test_what_cannot_be_ordered_is_refused_before_any_rollout(
    settings: dict[str, Any], pool: list[Row], message: str
) -> None:
    config = CurriculumConfig.model_validate({"sampler": {"type": "adarft", **settings}})
    with pytest.raises(ConfigError, match=message):
        Curriculum(pool, config)


# --- AdaRFT ----------------------------------------------------------------------------------
def test_the_target_moves_by_fifty_times_the_tanh_of_the_surplus() -> None:
    sampler = Adarft(AdarftConfig(start=40.0))
    sampler.add(rows_of("1", "2", "3"))
    for i in range(64):
        sampler.observe(group(0, 6))
        assert sampler.target == 40.0 or i == 63
    up = 50.0 * math.tanh(2.0 * 0.25)
    assert sampler.target == pytest.approx(40.0 + up)
    assert up == pytest.approx(23.1058579)
    for _ in range(64):
        sampler.observe(group(0, 0))
    assert sampler.metrics()["target_difficulty"] == pytest.approx(40.0 + up - 38.0797078)
    for _ in range(128):
        sampler.observe(group(0, 0))
    assert sampler.target == 0.0


def test_the_rows_nearest_the_target() -> None:
    sampler = Adarft(AdarftConfig(start=62.0))
    sampler.add([row(str(i), 10 - i, 10) for i in range(11)])
    assert sampler.difficulty_N.tolist() == pytest.approx([10.0 * i for i in range(11)])
    assert rows(sampler.select(3, fresh(11))) == [6, 7, 5]
    busy = fresh(11)
    busy.available_N[6] = False
    assert rows(sampler.select(2, busy)) == [7, 5]


def test_rows_of_one_difficulty_take_turns() -> None:
    sampler = Adarft()
    sampler.add(rows_of(*["1"] * 10, "2"))
    assert len({rows(sampler.select(1, fresh(11, draw)))[0] for draw in range(60)}) == 10


@pytest.mark.parametrize("scale", [(1.0, 1.0), (0.0, math.inf)])
def test_a_scale_has_two_ends(scale: tuple[float, float]) -> None:
    with pytest.raises(ValidationError, match="two different finite numbers"):
        AdarftConfig(scale=scale)


# --- staged ----------------------------------------------------------------------------------
def staged(*levels: str, **settings: Any) -> Staged:
    sampler = Staged(StagedConfig.model_validate(settings))
    sampler.add(rows_of(*levels))
    return sampler


def test_a_tier_is_left_at_its_pass_rate_over_a_full_window() -> None:
    sampler = staged("2", "1", "10", window=4)
    for passes in (0, 0, 8, 8):
        sampler.observe(group(1, passes))
    sampler.observe(group(0, 8))
    assert sampler.metrics() == {"tier": 0.0, "tier_pass_rate": 0.5}
    sampler.observe(group(1, 6))
    assert (sampler.tier, sampler.pass_rate) == (0, 0.6875)
    sampler.observe(group(1, 1))
    assert (sampler.tier, sampler.pass_rate) == (1, 0.0)
    for _ in range(20):
        sampler.observe(group(0, 8))
        sampler.observe(group(2, 8))
    assert sampler.tier == 2


def test_a_schedule_moves_on_by_batches_and_stays_at_the_last() -> None:
    sampler = staged("1", "2", "3", advance="schedule", steps=2, batch=4)
    tiers = []
    for _ in range(32):
        tiers.append(sampler.tier)
        sampler.observe(group(0, 0))
    assert tiers == [0] * 8 + [1] * 8 + [2] * 16


def test_a_share_stays_with_the_tier_before() -> None:
    sampler = staged(*["1"] * 100, *["2"] * 100, *["3"] * 100, advance="schedule", steps=1, batch=1)
    assert all(row < 100 for row in rows(sampler.select(20, fresh(300))))
    sampler.observe(group(0, 8))
    sampler.observe(group(0, 8))
    chosen = [row for draw in range(100) for row in rows(sampler.select(20, fresh(300, draw)))]
    assert sum(100 <= row < 200 for row in chosen) / 2000 == pytest.approx(0.2, abs=0.03)
    assert all(row >= 100 for row in chosen)


def test_the_next_tiers_fill_in() -> None:
    sampler = staged("1", "2", "2", "3")
    assert sorted(rows(sampler.select(3, fresh(4)))) == [0, 1, 2]
    assert sorted(rows(sampler.select(4, fresh(4)))) == [0, 1, 2, 3]


def test_tiers_by_offline_pass_rate() -> None:
    sampler = Staged(StagedConfig(by="prior"))
    sampler.add([row(str(p), p, 10) for p in (10, 8, 7, 6, 4, 1, 0)])
    assert sampler.tier_N.tolist() == [0, 0, 1, 1, 2, 3, 3]
    with pytest.raises(ConfigError, match="offline rollouts"):
        sampler.add([row("x")])
    with pytest.raises(ConfigError, match="row x has no level"):
        Staged().add([row("x")])


def test_a_level_that_comes_later_leaves_the_tier_where_it_was() -> None:
    sampler = staged("2", "4", window=1)
    sampler.observe(group(0, 8))
    sampler.add([row("x", level="3")])
    assert (sampler.tier, sampler.tier_N.tolist()) == (2, [0, 2, 1])
    other = staged("2", "4")
    other.load_state_dict(sampler.state_dict())
    assert other.tier == 1
    without = staged("1", "3")
    without.load_state_dict(sampler.state_dict())
    assert without.tier == 0


# --- DOTS ------------------------------------------------------------------------------------
def test_features_compare_numbers_in_deviations_and_words_by_equality() -> None:
    features = Features()
    features.add(
        [
            row("a", level="1", features={"size": 2, "kind": "add", "list": [1]}),
            row("b", level="3", features={"size": 2, "kind": "sub"}),
            row("c", level="1", features={"size": 8, "kind": "add"}),
        ]
    )
    everything = np.arange(3)
    found = features.distance(everything, everything)
    level, size = 2.0 / np.std([1, 3, 1]), 6.0 / np.std([2, 2, 8])
    assert found[0] == pytest.approx([0.0, level + 1.0, size], rel=1e-6)
    assert np.allclose(found, found.T)
    features.add([row("d", level="1", features={"kind": "add"})])
    assert features.distance(np.array([3]), np.array([0]))[0, 0] == pytest.approx(1.0)


def dots(size: int, **settings: Any) -> Dots:
    """Rows of ten sizes; the references know that the failure rate is size / 10."""
    sampler = Dots(DotsConfig.model_validate(settings))
    pool = [row(f"{i:x}", features={"size": i % 10}) for i in range(size)]
    sampler.add(pool)
    for reference in sampler.reference_R.tolist():
        sampler.observe(group(reference, 10 - reference % 10, of=10))
    return sampler


def test_the_difficulty_of_the_unseen_comes_from_rows_like_them() -> None:
    sampler = dots(2000, reference=200, bandwidth=0.05)
    others = np.setdiff1d(np.arange(2000), sampler.reference_R)
    assert sampler.predict(others) == pytest.approx((others % 10) / 10, abs=0.01)
    broad = dots(2000, reference=200, bandwidth=10.0).predict(others)
    assert np.ptp(broad) < 0.2


def test_without_a_graded_reference_all_are_alike() -> None:
    sampler = Dots()
    sampler.add([row(f"{i}", features={"size": i}) for i in range(9)])
    assert sampler.predict(np.arange(9)).tolist() == [0.5] * 9


def test_the_nearest_difficulty_takes_it_all_and_a_fifth_goes_to_the_references() -> None:
    sampler = dots(1000, reference=100, bandwidth=0.05)
    chosen = [row for draw in range(40) for row in rows(sampler.select(20, fresh(1000, draw)))]
    references = np.isin(chosen, sampler.reference_R)
    assert references.mean() == pytest.approx(0.2, abs=0.04)
    assert {row % 10 for row, known in zip(chosen, references, strict=True) if not known} == {5}


def test_probabilities_fall_by_e_in_a_thousandth() -> None:
    sampler = dots(400, reference=10)
    view = fresh(400)
    weight_N = sampler._weights(1, view)
    outside = np.setdiff1d(np.arange(400), sampler.reference_R)
    distance = np.abs(sampler.predict(outside) - 0.5)
    expected = np.exp(-(distance - distance.min()) / 1e-3)
    assert weight_N[outside] == pytest.approx(np.maximum(expected, 1e-300), rel=1e-9, abs=1e-200)
    assert not weight_N[sampler.reference_R].any()


def test_references_never_graded_come_first_then_the_oldest() -> None:
    sampler = Dots(DotsConfig(reference=20))
    sampler.add([row(f"{i}", features={"size": i % 10}) for i in range(200)])
    assert set(rows(sampler.select(20, fresh(200)))) == set(sampler.reference_R.tolist())
    order = sampler.reference_R.tolist()
    for reference in order:
        sampler.observe(group(reference, 4))
    assert sampler.metrics() == {"reference_graded": 20.0}
    assert sampler._references(3, 64, fresh(200)).tolist() == order[:3]


def test_predictions_at_a_hundred_thousand_rows_are_made_for_candidates_only() -> None:
    sampler = dots(20_000, reference=64, candidates=100)
    assert np.count_nonzero(sampler._weights(8, fresh(20_000))) == 100
