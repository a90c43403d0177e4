"""The conformance suite of samplers: subclass `SamplerContract` and give `make`."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from functools import lru_cache
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from pydantic_config import BaseConfig

from curriculum_env.config import CurriculumConfig
from curriculum_env.engine import Curriculum
from curriculum_env.estimators import Beta
from curriculum_env.samplers import Choice, Pick, Sampler, View, build_sampler
from curriculum_env.samplers.buckets import Buckets
from curriculum_env.types import Draw, Group, Outcome, Row

GROUP_SIZE = 4


def make_rows(count: int, start: int = 0) -> list[Row]:
    """Rows of five levels, whose pass rate is to be (i mod 11) / 10."""
    return list(_rows(count, start))


@lru_cache(maxsize=8)
def _rows(count: int, start: int) -> tuple[Row, ...]:
    return tuple(
        Row(uid=f"{i:08x}", data={"i": i}, domain="d", level=str(i % 5), features={"size": i % 7})
        for i in range(start, start + count)
    )


def make_view(size: int, *, draw: int = 0, pick: Any = "proportional") -> View:
    """A view of `size` available rows, each with a group or none behind it."""
    estimator = Beta()
    estimator.add(make_rows(size))
    for row in range(0, min(size, 2000), 2):
        estimator.update(row, [float(i < row % 9) for i in range(8)])
    rng = np.random.Generator(np.random.Philox(key=np.array([0, draw], np.uint64)))
    buckets = Buckets()
    buckets.add(make_rows(size))
    return View(estimator, np.ones(size, np.bool_), np.ones(size), 8, rng, pick, buckets=buckets)


class SamplerContract(ABC):
    """What every sampler must do. `make()` returns its config."""

    @abstractmethod
    def make(self) -> BaseConfig: ...

    def built(self, rows: int) -> Sampler:
        sampler = build_sampler(self.make())
        sampler.add(make_rows(rows))
        return sampler

    def chosen(self, sampler: Sampler, n: int, view: View) -> list[int]:
        """What it selects, after checking that it may."""
        choice = sampler.select(n, view)
        assert isinstance(choice, Choice)
        rows = [int(row) for row in choice.rows_K]
        assert len(rows) <= n
        assert len(set(rows)) == len(rows) == len(choice.propensity_K)
        assert all(view.available_N[row] for row in rows)
        assert np.all((choice.propensity_K > 0.0) & (choice.propensity_K <= 1.0))
        return rows

    @pytest.mark.parametrize("pick", get_args(Pick))
    @pytest.mark.parametrize("n", [1, 7, 64])
    def test_it_fills_what_was_asked_for(self, n: int, pick: str) -> None:
        assert len(self.chosen(self.built(200), n, make_view(200, pick=pick))) == n

    def test_only_available_rows(self) -> None:
        view = make_view(100)
        view.available_N[:90] = False
        assert set(self.chosen(self.built(100), 50, view)) <= set(range(90, 100))

    def test_no_row_available(self) -> None:
        view = make_view(10)
        view.available_N[:] = False
        assert self.chosen(self.built(10), 4, view) == []

    def test_one_row(self) -> None:
        assert self.chosen(self.built(1), 8, make_view(1)) == [0]

    def test_an_empty_pool(self) -> None:
        assert self.chosen(self.built(0), 8, make_view(0)) == []

    def test_the_same_seed_gives_the_same_choice(self) -> None:
        first = self.chosen(self.built(300), 40, make_view(300))
        assert first == self.chosen(self.built(300), 40, make_view(300))

    def test_its_state_survives_json(self) -> None:
        sampler, other = self.built(120), self.built(120)
        for number in range(6):
            rows = self.chosen(sampler, 5, make_view(120, draw=number))
            for row in rows:
                sampler.observe(Group(number, row, (1.0, 0.0, 0.0, 1.0)))
        other.load_state_dict(json.loads(json.dumps(sampler.state_dict())))
        for number in range(6, 12):
            views = make_view(120, draw=number), make_view(120, draw=number)
            assert self.chosen(sampler, 5, views[0]) == self.chosen(other, 5, views[1])

    def test_metrics_are_numbers(self) -> None:
        assert all(isinstance(value, float | int) for value in self.built(5).metrics().values())

    def test_a_hundred_thousand_rows_in_time(self) -> None:
        sampler, view = self.built(100_000), make_view(100_000)
        spent = []
        for _ in range(3):
            start = time.perf_counter()
            self.chosen(sampler, 390, view)
            spent.append(time.perf_counter() - start)
        assert min(spent) < 0.25

    def test_through_the_engine(self) -> None:
        config = self.make()

        class Machine(EngineMachine):
            sampler = config

        run_state_machine_as_test(
            Machine,
            settings=settings(
                max_examples=25,
                stateful_step_count=30,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )


class EngineMachine(RuleBasedStateMachine):
    """Asks, tells, adds rows and goes through save and load in any order, against a plain model
    of the leases and the cooldown."""

    sampler: BaseConfig
    cooldown = 3

    def __init__(self) -> None:
        super().__init__()
        self.rows = make_rows(24)
        self.engine = self.open()
        self.leased: dict[int, Draw] = {}
        self.last_draw: dict[str, int] = {}
        self.told = 0

    def open(self) -> Curriculum:
        settings = {
            "group_size": GROUP_SIZE,
            "cooldown": self.cooldown,
            "refresh": 5,
            "lease_seconds": None,
            "sampler": self.sampler,
        }
        return Curriculum(self.rows, CurriculumConfig.model_validate(settings))

    @rule()
    def ask(self) -> None:
        if len(self.leased) >= 12:
            return
        draw = self.engine.ask()
        assert draw.uid not in {other.uid for other in self.leased.values()}
        if draw.continues is None:
            assert draw.number - self.last_draw.get(draw.uid, -99) > self.cooldown
        assert 0.0 < draw.propensity <= 1.0
        self.leased[draw.number] = draw
        self.last_draw[draw.uid] = draw.number

    @rule(choice=st.integers(0, 1 << 30), passes=st.integers(0, GROUP_SIZE), failed=st.booleans())
    def tell_a_group(self, choice: int, passes: int, failed: bool) -> None:
        if not self.leased:
            return
        number = sorted(self.leased)[choice % len(self.leased)]
        draw = self.leased.pop(number)
        for i in range(draw.rollouts or GROUP_SIZE):
            self.told += 1
            errored = failed and i == 0
            self.engine.tell(
                Outcome(
                    number,
                    draw.uid,
                    f"r{self.told}",
                    None if errored else float(i < passes),
                    "error" if errored else "ok",
                )
            )

    @rule()
    def save_and_load(self) -> None:
        state = self.engine.state_dict()
        plain = json.loads(json.dumps({k: v for k, v in state.items() if k != "arrays"}))
        other = self.open()
        other.load_state_dict({**plain, "arrays": state["arrays"]})
        ahead = [self.engine.ask() for _ in range(3)], [other.ask() for _ in range(3)]
        assert [(d.number, d.uid) for d in ahead[0]] == [(d.number, d.uid) for d in ahead[1]]
        self.engine = self.open()
        self.engine.load_state_dict({**plain, "arrays": state["arrays"]})

    @rule(count=st.integers(1, 3))
    def add_rows(self, count: int) -> None:
        if len(self.rows) < 60:
            fresh = make_rows(count, start=len(self.rows))
            self.rows = [*self.rows, *fresh]
            self.engine.add(fresh)

    @invariant()
    def the_open_groups_are_the_leased_rows(self) -> None:
        assert self.engine.metrics()["in_flight"] == len(self.leased)
        assert self.engine.metrics()["forced_draws"] == 0
