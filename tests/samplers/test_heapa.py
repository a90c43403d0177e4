"""Rules that the model of plain lists is too small to reach, and how much work they are."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from curriculum_env import Curriculum, CurriculumConfig, Outcome, Row
from curriculum_env.samplers.heapa import Heapa, HeapaConfig, ends
from curriculum_env.samplers.heapa.ends import GREATEST, LEAST, Ends
from curriculum_env.samplers.heapa.halves import Halves
from curriculum_env.types import Group
from tests.samplers.rule_views import fresh, group, rows, rows_of


def made(keys: list[float | None], **settings: Any) -> Heapa:
    sampler = Heapa(HeapaConfig.model_validate(settings))
    sampler.add([_row(i, key) for i, key in enumerate(keys)])
    return sampler


def _row(i: int, key: float | None = None, parent: int | None = None, factor: float = 1.0) -> Row:
    known = {} if key is None else {"prior_passes": 1e6 * key, "prior_attempts": 1e6}
    above = "" if parent is None else f"{parent:04x}"
    return Row(f"{i:04x}", {}, parent=above, factor=factor, **known)  # type: ignore[arg-type]


def test_cold_rows_in_turn_then_the_boundary() -> None:
    sampler = made([None, 0.1, 0.9, None, 0.4, 0.6])
    assert rows(sampler.select(2, fresh(6))) == [0, 3]
    assert set(rows(sampler.select(1, fresh(6)))) <= {4, 5}


def test_candidates_are_the_easiest_hard_and_the_hardest_easy_rows() -> None:
    keys: list[float | None] = [i / 99 for i in range(100)]
    drawn = set()
    for seed in range(40):
        drawn |= set(rows(made(keys).select(5, fresh(100, seed))))
    assert drawn == set(range(45, 55))


def test_the_chance_of_a_candidate_and_of_a_sure_row() -> None:
    choice = made([None, *(i / 40 for i in range(40))]).select(6, fresh(41))
    assert choice.propensity_K == pytest.approx([1.0] + [0.1] * 5)


def test_mixed_mode_takes_half_from_the_easiest_end() -> None:
    chosen = rows(made([i / 99 for i in range(100)], mixed=True).select(10, fresh(100)))
    assert chosen[:5] == [99, 98, 97, 96, 95]
    assert all(39 < row < 60 for row in chosen[5:])


def test_at_most_four_rows_move_over_the_boundary_in_an_operation() -> None:
    halves = Halves(0.5)
    halves.fill(range(40), [i / 40 for i in range(40)])
    for row in range(12):
        halves.low.discard(row)
    assert (len(halves.low), len(halves.high)) == (8, 20)
    for expected in (12, 14, 14):
        halves.rebalance()
        assert len(halves.low) == expected


def test_the_statistic_is_the_mean_shaped_reward() -> None:
    sampler = made([None, None, None])
    sampler.observe(Group(0, 0, (1.0, 0.0, 0.0, 0.0), invalid=2))
    sampler.observe(Group(1, 1, (0.0, 0.0), invalid=2))
    sampler.observe(Group(2, 2, (0.5, 0.25)))
    assert sampler.memory["score"].tolist() == [-0.25, -1.0, 0.375]


@pytest.mark.parametrize(
    ("settings", "rewards", "statistic"),
    [
        ({}, [1.0, 0.0, -1.0, -1.0], -0.25),
        ({"reward_range": (0.0, 10.0)}, [10.0, 5.0, -1.0, 0.0], 0.125),
        ({"invalid_reward": -3.0}, [1.0, 1.0, -3.0, 0.0], 0.25),
        ({"reward_range": (-1.0, 1.0)}, [1.0, -1.0, -1.0, -1.0], 0.25),
        ({"success_threshold": 0.5}, [0.7, 0.2, -1.0, 0.9], 0.25),
    ],
)
def test_invalid_answers_reach_the_rule_through_the_engine(
    settings: dict[str, Any], rewards: list[float], statistic: float
) -> None:
    config = {"group_size": 4, "sampler": {"type": "heapa"}, **settings}
    with Curriculum(rows_of(*[""] * 8), CurriculumConfig.model_validate(config)) as curriculum:
        draw = curriculum.ask()
        for i, reward in enumerate(rewards[:3]):
            curriculum.tell(Outcome(draw.number, draw.uid, f"r{i}", reward))
        state = curriculum.state_dict()
        plain = json.loads(json.dumps({k: v for k, v in state.items() if k != "arrays"}))
        curriculum.load_state_dict({**plain, "arrays": state["arrays"]})
        curriculum.tell(Outcome(draw.number, draw.uid, "r3", rewards[3]))
        sampler = curriculum.sampler
        assert isinstance(sampler, Heapa)
        assert sampler.memory["score"][int(draw.uid, 16)] == pytest.approx(statistic)


def test_the_pool_is_drained_then_recycled_in_chunks_over_selections() -> None:
    sampler = made([None] * 64, chunk=8)
    for draw in range(16):
        for row in rows(sampler.select(4, fresh(64, draw))):
            sampler.observe(group(row, row % 9))
    assert sampler.metrics()["archived"] == 64.0
    chosen = rows(sampler.select(4, fresh(64, 16)))
    assert len(chosen) == 4
    assert sampler.metrics()["recycled"] == 8.0
    assert sampler.metrics()["returning"] == 56.0
    sampler.select(4, fresh(64, 17))
    assert sampler.metrics()["recycled"] == 16.0
    assert sampler.metrics()["recyclings"] == 1.0


def test_a_batch_larger_than_a_chunk_gets_two_candidates_for_each_row() -> None:
    sampler = made([None] * 300, chunk=10)
    for row in rows(sampler.select(300, fresh(300))):
        sampler.observe(group(row, row % 9))
    assert len(rows(sampler.select(50, fresh(300, 1)))) == 50
    assert sampler.metrics()["recycled"] == 100.0


def test_rows_that_may_not_be_drawn_are_not_recycled() -> None:
    sampler = made([None] * 20)
    for row in rows(sampler.select(20, fresh(20))):
        sampler.observe(group(row, 4))
    busy = fresh(20, 1)
    busy.available_N[:15] = False
    assert set(rows(sampler.select(8, busy))) == set(range(15, 20))
    assert sampler.metrics()["archived"] == 20.0


def test_a_row_whose_group_never_came_is_cold_again() -> None:
    sampler = made([None] * 4)
    assert rows(sampler.select(4, fresh(4))) == [0, 1, 2, 3]
    sampler.observe(group(1, 4))
    again = rows(sampler.select(4, fresh(4, 1)))
    assert set(again[:3]) == {0, 2, 3}
    assert again[3] == 1


@pytest.mark.parametrize(("archive_max", "extremes"), [(None, 10), (20, 0)])
def test_only_an_archive_with_a_limit_keeps_the_extremes_undrawn(
    archive_max: int | None, extremes: int
) -> None:
    """100 rows, 100 draws: without a limit each row has its turn."""
    sampler, drawn = made([i / 99 for i in range(100)], archive_max=archive_max), np.zeros(100)
    for draw in range(25):
        for row in rows(sampler.select(4, fresh(100, draw))):
            drawn[row] += 1
            sampler.observe(Group(draw, row, (row / 99,)))
    assert drawn[:5].sum() + drawn[-5:].sum() == extremes
    assert drawn.max() == 1 if archive_max is None else drawn.max() > 2


def test_recycled_rows_are_scored_by_their_variants() -> None:
    """The paper's example: children (.5, d = 1.2) and (-.25, d = .8), own value .1."""
    for lineage, expected in [("child", 0.1041667), ("path", 0.0270833), ("none", 0.1)]:
        sampler = made([None], lineage=lineage)
        sampler.add([_row(1, None, 0, 1.2), _row(2, None, 0, 0.8)])
        sampler.add([_row(3 + i, None, 2) for i in range(3)])
        assert len(rows(sampler.select(6, fresh(6)))) == 6
        for row, (success, invalid) in enumerate([(0.1, 0), (0.5, 0), (0.0, 1)]):
            successes = (success,) if not invalid else (0.0, 0.0, 0.0, 0.0)
            sampler.observe(Group(row, row, successes, invalid))
        sampler.select(1, fresh(6, 1))
        assert sampler.memory["key"][0] == pytest.approx(expected, abs=5e-8)
        assert sampler.memory["score"][0] == pytest.approx(0.1)


def test_capacity_evicts_the_hardest_for_a_scored_row_and_the_easiest_for_a_cold_one() -> None:
    sampler = made([0.1, 0.3, 0.7, 0.9], capacity=4)
    sampler.add([_row(4, 0.5)])
    assert sorted(_scored(sampler)) == [1, 2, 3, 4]
    sampler.add([_row(5)])
    assert sorted(_scored(sampler)) == [1, 2, 4]
    assert sampler.metrics()["evicted"] == 2.0
    sampler.add([_row(6, 0.05)])
    assert sorted(_scored(sampler)) == [1, 2, 4]


def test_recycled_rows_wait_for_room() -> None:
    sampler = made([0.1 * i for i in range(8)], capacity=8, archive_max=4)
    for row in rows(sampler.select(4, fresh(8))):
        sampler.observe(group(row, 4))
    sampler.add([_row(8 + i, 0.5) for i in range(4)])
    sampler.select(4, fresh(12, 1))
    assert sampler.metrics()["returning"] == 4.0
    assert sampler.metrics()["evicted"] == 0.0
    sampler.select(4, fresh(12, 2))
    assert sampler.metrics()["evicted"] == 0.0
    assert sampler.metrics()["recycled"] == 4.0


def _scored(sampler: Heapa) -> list[int]:
    return [*sampler.stock.halves.low, *sampler.stock.halves.high]


def test_an_estimate_scores_a_row_from_the_start_unless_it_is_told_not_to() -> None:
    assert _scored(made([0.5, None, 0.25])) == [2, 0]
    assert _scored(made([0.5, None, 0.25], priors=False)) == []


def test_its_state_follows_rows_to_a_changed_pool() -> None:
    sampler = made([None, 0.2, 0.8, None, 0.5, None])
    for row in rows(sampler.select(3, fresh(6)))[:2]:
        sampler.observe(group(row, 4))
    state = json.loads(json.dumps(sampler.state_dict()))
    other = Heapa()
    other.add([_row(i, {1: 0.2, 2: 0.8, 4: 0.5, 7: 0.3}.get(i)) for i in (7, 6, 5, 4, 2, 0)])
    other.load_state_dict(state)
    names = [7, 6, 5, 4, 2, 0]
    assert {names[row] for row in other.stock.archive} == {0, 5}
    assert [names[row] for row in _scored(other)] == [4, 7, 2]
    assert [names[row] for row in other.stock.cold] == [6]


def test_a_sampler_that_was_used_takes_a_state_as_a_new_one_does() -> None:
    first, used = made([None, 0.3, 0.6, None]), made([None, 0.3, 0.6, None])
    for row in rows(used.select(4, fresh(4))):
        used.observe(group(row, 8))
    used.load_state_dict(first.state_dict())
    assert used.state_dict() == first.state_dict()


def test_the_ends_of_a_set_and_its_stale_entries() -> None:
    both = Ends(GREATEST)
    for i in range(1000):
        both.push(i % 10, float(i))
        if i < 990:
            both.discard(i % 10)
    assert len(both) == 10
    assert len(both._heaps[GREATEST]) < 100
    assert list(both) == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
    assert both.first(LEAST) == both.pop(LEAST) == (0, 990.0)
    both.push(0, math.inf)
    assert both.first(GREATEST) == (0, math.inf)
    assert 0 in both
    assert both.pop(LEAST) == (1, 991.0)
    assert Ends(LEAST).pop(GREATEST) is None


def test_a_draw_is_work_for_the_logarithm_of_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted, not timed: heap operations per row drawn and put back, in pools of 500 and 8,000;
    each of them is one of `heapq`, so O(log N)."""
    counts = {}
    for size in (500, 8_000):
        sampler, calls = made([i / size for i in range(size)]), 0
        view = fresh(size)

        def counted(operation: Any) -> Any:
            def count(*args: Any) -> Any:
                nonlocal calls
                calls += 1
                return operation(*args)

            return count

        with monkeypatch.context() as patch:
            for name in ("heappush", "heappop"):
                patch.setattr(ends, name, counted(getattr(ends, name)))
            for _ in range(200):
                for row in rows(sampler.select(8, view)):
                    sampler.observe(group(row, 4))
        counts[size] = calls / 1600
    assert counts[8_000] <= 1.2 * counts[500]
    assert max(counts.values()) <= 12.0


@pytest.mark.parametrize("settings", [{"alpha": 0.01}, {"capacity": 0}, {"lineage": "both"}])
def test_settings_out_of_range(settings: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        HeapaConfig.model_validate(settings)


def test_rows_passed_over_are_back_where_they_were() -> None:
    sampler = made([None, None, None, *(i / 40 for i in range(40))])
    before = sampler.metrics()
    drawn = rows(sampler.select(8, fresh(43)))
    sampler.passed_over(drawn)
    assert sampler.metrics() == before
    assert rows(sampler.select(2, fresh(43))) == [0, 1]
    sampler.passed_over([1])
    assert rows(sampler.select(2, fresh(43))) == [1, 2]


def test_relatives_beyond_their_number_wait_for_a_later_plan() -> None:
    family = [_row(0), *(_row(i, parent=0) for i in range(1, 5))]
    others = [_row(i) for i in range(5, 30)]
    config = CurriculumConfig.model_validate(
        {
            "group_size": 4, "cooldown": 0, "refresh": 6, "sampler": {"type": "heapa"},
            "augment": {"enabled": True, "relatives": 1},
        }
    )  # fmt: skip
    with Curriculum([*family, *others], config) as curriculum:
        drawn = []
        for _ in range(30):
            draw = curriculum.ask()
            drawn.append(draw)
            for i in range(4):
                curriculum.tell(Outcome(draw.number, draw.uid, f"{draw.number}-{i}", i % 2))
        assert len({draw.uid for draw in drawn}) == 30
        turns = [i for i, draw in enumerate(drawn) if int(draw.uid, 16) < 5]
        assert np.diff(turns).min() >= 1
        assert len(turns) == 5
