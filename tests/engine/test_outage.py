from __future__ import annotations

import json
import logging
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from curriculum_env import Curriculum, Draw
from curriculum_env.samplers import Pick
from curriculum_env.store import Store, open_store
from curriculum_env.types import FloatArray
from tests.engine.helpers import GROUP_SIZE, curriculum, outcomes, rows

RATES = np.random.default_rng(3).uniform(0.1, 0.9, 400)
ESTIMATORS: dict[str, dict[str, Any]] = {
    "irt": {"type": "irt"},
    "beta": {"type": "beta", "age_decay": 1},
}
both_estimators = pytest.mark.parametrize("estimator", list(ESTIMATORS))


class Service:
    """Plays groups rollout by rollout, eight in flight, so that an outage cuts through groups."""

    def __init__(self, engine: Curriculum, flight: int = 8, seed: int = 5) -> None:
        self.engine, self.flight = engine, flight
        self.rng = np.random.default_rng(seed)
        self.waiting: list[tuple[Draw, int]] = []

    def play(self, rollouts: int, mode: str = "fine") -> None:
        for _ in range(rollouts):
            while len(self.waiting) < self.flight * GROUP_SIZE:
                draw = self.engine.ask()
                self.waiting.extend((draw, i) for i in range(GROUP_SIZE))
            draw, i = self.waiting.pop(int(self.rng.integers(min(24, len(self.waiting)))))
            passed = float(self.rng.random() < RATES[int(draw.uid, 16)])
            reward = {"zeros": 0.0, "errors": None}.get(mode, passed)
            (outcome,) = outcomes(draw, [reward], attempt=f".{i}")
            if mode == "cancelled":
                outcome = replace(outcome, reward=None, status="cancelled")
            self.engine.tell(outcome)


def started(rollouts: int = 4000, estimator: str = "irt") -> Service:
    service = Service(curriculum(rows(400), estimator=ESTIMATORS[estimator]))
    service.play(rollouts)
    return service


def beliefs(service: Service) -> FloatArray:
    return service.engine.table()["mean"].copy()


def worst_change(before: FloatArray, after: FloatArray) -> float:
    return float(np.max(np.abs(after - before) / before))


@both_estimators
def test_a_500_rollout_outage_teaches_nothing(
    estimator: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Errors, then all-zero rewards: beliefs stay within 1% of those without the outage."""
    service, without = started(estimator=estimator), started(estimator=estimator)
    without.play(500, "cancelled")
    with caplog.at_level(logging.WARNING):
        service.play(250, "errors")
        service.play(250, "zeros")
        assert service.engine.metrics()["frozen"] == 1.0
        assert worst_change(beliefs(without), beliefs(service)) <= 0.01
        service.play(400)
    assert service.engine.metrics()["frozen"] == 0.0
    assert service.engine.metrics()["outages"] == 1
    assert "outage: most rollouts fail with errors" in caplog.text
    assert "the outage is over" in caplog.text


@both_estimators
def test_a_sudden_run_of_zeros_alone_is_undone(
    estimator: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Up to the honest failures right before it, which nothing tells apart from it: they belong
    to the eight groups in flight that it cut through."""
    service, without = started(estimator=estimator), started(estimator=estimator)
    service.play(500, "zeros")
    without.play(500, "cancelled")
    assert service.engine.metrics()["frozen"] == 1.0
    assert service.engine.metrics()["outages"] == 1
    change = np.abs(beliefs(service) - beliefs(without)) / beliefs(without)
    assert np.mean(change) <= 0.01
    assert np.count_nonzero(change > 0.01) <= 8
    assert "no rollout scores" in caplog.text


@both_estimators
def test_undetected_zeros_would_have_taught_nonsense(estimator: str) -> None:
    """The same outage without the monitor: the test above can fail."""
    beliefs_of = ESTIMATORS[estimator]
    service = Service(curriculum(rows(400), estimator=beliefs_of, outage={"enabled": False}))
    service.play(4000)
    before = beliefs(service)
    service.play(500, "zeros")
    assert worst_change(before, beliefs(service)) > 0.2


@both_estimators
def test_learning_goes_on_after_it(estimator: str) -> None:
    service = started(estimator=estimator)
    service.play(500, "zeros")
    groups = service.engine.metrics()["groups"]
    service.play(2000)
    assert service.engine.metrics()["groups"] > groups + 150
    visited = service.engine.table()["visits"] >= 3
    error = np.abs(beliefs(service)[visited] - RATES[visited])
    assert np.mean(error) < 0.15


def test_a_hard_pool_is_no_outage() -> None:
    engine = curriculum(rows(300), sampler={"type": "uniform"})
    rng = np.random.default_rng(0)
    for _ in range(600):
        draw = engine.ask()
        for outcome in outcomes(draw, [float(x) for x in rng.random(GROUP_SIZE) < 0.01]):
            engine.tell(outcome)
    assert engine.metrics()["outages"] == 0


@pytest.mark.parametrize("pick", get_args(Pick))
@pytest.mark.parametrize("dead", [0.6, 0.8])
def test_a_small_pool_that_is_mostly_dead_is_no_outage(dead: float, pick: Pick) -> None:
    """A rule that has drawn all living rows turns to the dead ones, many in a row."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        rates = np.where(rng.random(48) < dead, 0.0, rng.uniform(0.1, 0.9, 48))
        engine = curriculum(rows(48), pick=pick, seed=seed)
        for _ in range(300):
            draw = engine.ask()
            passed = rng.random(GROUP_SIZE) < rates[int(draw.uid, 16)]
            for outcome in outcomes(draw, [float(x) for x in passed]):
                engine.tell(outcome)
        assert engine.metrics()["outages"] == 0


@both_estimators
def test_a_mixed_run_is_no_outage(estimator: str) -> None:
    assert started(8000, estimator).engine.metrics()["outages"] == 0


def test_one_dead_bucket_is_no_outage() -> None:
    """Twenty failing groups of one level in a row say nothing about the service."""
    engine = curriculum([*rows(200)], sampler={"type": "sequential"})
    for number in range(200):
        draw = engine.ask()
        level = engine.row(draw.uid).level
        passes = 0 if number >= 100 and level == "0" else 4
        if number >= 100 and level != "0":
            continue
        for outcome in outcomes(draw, [1.0] * passes + [0.0] * (8 - passes)):
            engine.tell(outcome)
    assert engine.metrics()["outages"] == 0


def test_a_policy_that_has_failed_for_long_is_believed(caplog: pytest.LogCaptureFixture) -> None:
    service = Service(curriculum(rows(400), outage={"patience": 600}))
    service.play(3000)
    service.play(2000, "zeros")
    assert service.engine.metrics()["frozen"] == 0.0
    assert service.engine.metrics()["outages"] == 1
    assert "the policy's own failure" in caplog.text


def test_steady_errors_become_the_usual() -> None:
    service = Service(curriculum(rows(400), outage={"patience": 300}))
    rng = np.random.default_rng(0)
    for _ in range(3000):
        service.play(1, "errors" if rng.random() < 0.6 else "fine")
    metrics = service.engine.metrics()
    assert metrics["outages"] <= 3
    assert metrics["groups"] > 100


@both_estimators
def test_an_outage_goes_through_the_state(estimator: str) -> None:
    service = started(estimator=estimator)
    service.play(300, "zeros")
    state = service.engine.state_dict()
    plain = json.loads(json.dumps({k: v for k, v in state.items() if k != "arrays"}))
    other = curriculum(rows(400), estimator=ESTIMATORS[estimator])
    other.load_state_dict({**plain, "arrays": state["arrays"]})
    assert other.metrics()["frozen"] == 1.0
    resumed = Service(other)
    resumed.waiting = list(service.waiting)
    resumed.play(60)
    assert other.metrics()["frozen"] == 0.0


def phases(store: Store) -> list[str]:
    return [event["phase"] for event in store.events("outage")]


def test_an_outage_that_ends_after_a_resume_is_told_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/curriculum.db"
    with curriculum(rows(400), url) as engine:
        service = Service(engine)
        service.play(400)
        service.play(64, "errors")
        engine.sync(5.0)
        assert engine.metrics()["frozen"] == 1.0
    with curriculum(rows(400), url) as resumed:
        assert resumed.metrics()["frozen"] == 1.0
        for _ in range(service.engine.draws):
            resumed.ask()
        again = Service(resumed)
        again.play(200)
        resumed.sync(5.0)
        assert resumed.metrics()["frozen"] == 0.0
    with curriculum(rows(400), url) as third:
        assert third.metrics()["frozen"] == 0.0
        assert phases(third.store) == ["began", "ended"]


def test_an_outage_that_a_killed_process_did_not_see_is_told_by_the_next(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/curriculum.db"
    with curriculum(rows(400), url) as engine:
        draws = [engine.ask() for _ in range(40)]
    with closing(open_store(url)) as workers:
        for draw in draws[:8]:
            workers.record(outcomes(draw, [1.0, 0.0] * 4))
        for draw in draws[8:20]:
            workers.record(outcomes(draw, [None] * GROUP_SIZE))
    with curriculum(rows(400), url) as lasting:
        assert lasting.metrics()["frozen"] == 1.0
    with closing(open_store(url)) as workers:
        assert phases(workers) == ["began"]
        for draw in draws[20:]:
            workers.record(outcomes(draw, [1.0, 0.0] * 4))
    with curriculum(rows(400), url) as over:
        assert over.metrics()["frozen"] == 0.0
    with closing(open_store(url)) as read:
        assert phases(read) == ["began", "ended"]


def test_outages_are_events_of_the_store() -> None:
    service = started()
    service.play(300, "zeros")
    service.play(100)
    assert phases(service.engine.store) == ["began", "ended"]
