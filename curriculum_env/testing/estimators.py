"""The conformance suites of estimators: subclass `EstimatorContract`, or where rows share nothing
`PerRowEstimatorContract`, and give `make`."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curriculum_env.estimators import Estimator
from curriculum_env.types import Row

GROUPS = st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=16), max_size=12)
INHERITED = settings(deadline=None, suppress_health_check=[HealthCheck.differing_executors])


def make_rows(size: int, passes: float = 0.0, attempts: float = 0.0) -> list[Row]:
    """Rows of one bucket, of which `passes` of `attempts` offline rollouts succeeded."""
    return [
        Row(f"{i:x}", {}, "d", "1", {"size": 3}, prior_passes=passes, prior_attempts=attempts)
        for i in range(size)
    ]


class EstimatorContract(ABC):
    """What every estimator must do. `make()` returns an empty one."""

    @abstractmethod
    def make(self) -> Estimator: ...

    def filled(self, size: int, passes: float = 0.0, attempts: float = 0.0) -> Estimator:
        estimator = self.make()
        estimator.add(make_rows(size, passes, attempts))
        return estimator

    def test_an_empty_one_has_no_rows(self) -> None:
        estimator = self.make()
        assert estimator.size == 0
        assert estimator.mean().shape == estimator.evidence().shape == (0,)
        assert estimator.survival(8).shape == (0,)

    @INHERITED
    @given(GROUPS)
    def test_figures_stay_in_range(self, groups: list[list[float]]) -> None:
        estimator = self.filled(2)
        for number, success_G in enumerate(groups):
            estimator.now = float(number)
            estimator.update(0, success_G)
        low, high = estimator.interval(0.9)
        for values in (estimator.mean(), low, high, estimator.survival(8)):
            assert np.all((values >= 0.0) & (values <= 1.0))
        assert np.all(low <= high)
        gain = estimator.gain(8)
        assert np.all((gain >= 0.0) & (gain <= estimator.survival(8) / 4.0 + 1e-4))
        assert np.all(estimator.evidence() >= 0.0)
        samples = estimator.sample(np.random.default_rng(0))
        assert np.all((samples >= 0.0) & (samples <= 1.0))

    @pytest.mark.parametrize("success", [0.0, 1.0])
    def test_the_mean_goes_where_the_rewards_go(self, success: float) -> None:
        estimator = self.filled(1)
        distances = []
        for _ in range(30):
            estimator.update(0, [success] * 8)
            distances.append(abs(success - float(estimator.mean()[0])))
        assert distances == sorted(distances, reverse=True)
        assert distances[-1] < 0.05

    def test_evidence_narrows_the_interval(self) -> None:
        estimator = self.filled(1)
        before, known = estimator.interval(), float(estimator.evidence()[0])
        for _ in range(3):
            estimator.update(0, [1.0, 0.0] * 4)
        after = estimator.interval()
        assert after[1][0] - after[0][0] < before[1][0] - before[0][0]
        assert estimator.evidence()[0] > known == 0.0

    def test_an_offline_estimate_is_a_prior(self) -> None:
        hard, easy = self.filled(1, passes=1, attempts=8), self.filled(1, passes=7, attempts=8)
        assert hard.mean()[0] < 0.5 < easy.mean()[0]

    def test_samples_follow_the_belief(self) -> None:
        estimator = self.filled(4000)
        for row in range(4000):
            estimator.update(row, [1.0] * 6 + [0.0] * 2)
        samples = estimator.sample(np.random.default_rng(0))
        assert abs(samples.mean() - estimator.mean().mean()) < 0.05
        assert samples.std() > 0.02

    def test_a_group_of_one_never_survives_and_larger_ones_survive_more(self) -> None:
        estimator = self.filled(1)
        estimator.update(0, [1.0] * 3 + [0.0] * 5)
        survival = [float(estimator.survival(size)[0]) for size in (1, 2, 4, 8, 16)]
        assert survival[0] == pytest.approx(0.0, abs=1e-12)
        assert survival == sorted(survival)

    def test_subsets_agree_with_the_whole(self) -> None:
        estimator = self.filled(6)
        estimator.update(2, [1.0] * 8)
        rows = np.array([4, 2])
        for whole, part in (
            (estimator.mean(), estimator.mean(rows)),
            (estimator.evidence(), estimator.evidence(rows)),
            (estimator.survival(8), estimator.survival(8, rows)),
            (estimator.gain(8), estimator.gain(8, rows)),
            (estimator.interval()[0], estimator.interval(rows=rows)[0]),
        ):
            assert np.array_equal(whole[rows], part)

    def test_a_belief_can_be_put_back(self) -> None:
        estimator = self.filled(2)
        estimator.update(0, [1.0, 0.0])
        before, mean = estimator.get(0), estimator.mean().copy()
        estimator.update(0, [1.0] * 8)
        assert estimator.get(0) != before
        estimator.put(0, before)
        assert estimator.get(0) == before
        assert np.array_equal(estimator.mean(), mean)

    def test_lessons_can_be_taken_back_newest_first(self) -> None:
        estimator = self.filled(4)
        before, taught = estimator.mean().copy(), []
        for number, row in enumerate([0, 1, 0, 3, 1, 0]):
            estimator.now = number / 2
            taught.append((row, estimator.get(row)))
            estimator.update(row, [1.0] * number + [0.0])
        assert not np.array_equal(estimator.mean(), before)
        for row, belief in reversed(taught):
            estimator.put(row, belief)
        estimator.now = 0.0
        assert np.array_equal(estimator.mean(), before)

    def test_the_state_survives_json(self) -> None:
        estimator, other = self.filled(3), self.filled(3)
        for number in range(6):
            estimator.now = number / 2
            estimator.update(number % 2, [1.0] * number + [0.0])
        for column in estimator.COLUMNS:
            setattr(other, column, getattr(estimator, column).copy())
        other.load_state_dict(json.loads(json.dumps(estimator.state_dict())))
        other.now = estimator.now
        for number in range(6, 9):
            assert np.array_equal(other.mean(), estimator.mean())
            for each in (estimator, other):
                each.now = number / 2
                each.update(number % 3, [1.0, 0.0])
        assert [other.get(row) for row in range(3)] == [estimator.get(row) for row in range(3)]

    def test_discounting_everything_leaves_the_prior_evidence(self) -> None:
        estimator = self.filled(2)
        estimator.update(0, [1.0] * 8)
        known = float(estimator.evidence()[0])
        estimator.discount(0.5)
        assert 0.0 < estimator.evidence()[0] < known
        estimator.discount(0.0)
        assert estimator.evidence()[0] == pytest.approx(0.0)

    def test_rows_can_be_added_later(self) -> None:
        estimator = self.filled(1)
        estimator.update(0, [1.0] * 8)
        before = estimator.get(0)
        estimator.add(make_rows(1, 2.0, 4.0))
        assert estimator.size == 2
        assert estimator.get(0) == before

    def test_an_update_costs_the_same_at_any_size(self) -> None:
        small, large = self.filled(100), self.filled(200_000)

        def cost(estimator: Estimator) -> float:
            spent = []
            for _ in range(200):
                start = time.perf_counter()
                estimator.update(7, [1.0, 0.0])
                spent.append(time.perf_counter() - start)
            return float(np.median(spent))

        assert cost(large) < 20 * cost(small)


class PerRowEstimatorContract(EstimatorContract):
    """What an estimator must do besides that shares nothing between rows."""

    @INHERITED
    @given(GROUPS)
    def test_a_row_learns_alone(self, groups: list[list[float]]) -> None:
        estimator, untouched = self.filled(3), self.filled(3)
        for success_G in groups:
            estimator.update(1, success_G)
        for row in (0, 2):
            assert estimator.get(row) == untouched.get(row)
