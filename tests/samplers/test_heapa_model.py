"""The sampler against a model of plain lists, whatever happens in whatever order."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from curriculum_env.samplers.heapa import Heapa, HeapaConfig
from curriculum_env.samplers.heapa.stock import Stage
from curriculum_env.types import Group, Row
from tests.samplers.heapa_model import Model
from tests.samplers.rule_views import fresh

SETTINGS: list[dict[str, Any]] = [
    {},
    {"alpha": 0.2, "mixed": True, "chunk": 3, "adjust": "inverse"},
    {"capacity": 7, "chunk": 2, "archive_max": 4},
    {"alpha": 0.95, "capacity": 12, "mixed": True, "refresh_every": 4, "lineage": "child"},
    {"chunk": 1, "archive_max": 6, "refresh_every": 1, "priors": False},
    {"lineage": "none", "refresh_every": 3},
]
FACTORS = st.sampled_from([0.5, 0.8, 1.0, 1.2, 2.0])
PRIORS = st.sampled_from([None, 0.0, 0.25, 0.5, 1.0])


class LifeCycle(RuleBasedStateMachine):
    config: HeapaConfig

    @initialize(count=st.integers(0, 12), prior=PRIORS)
    def start(self, count: int, prior: float | None) -> None:
        self.sampler, self.model = Heapa(self.config), Model(self.config)
        self.step = 0
        self._add([_row(i, prior=prior if i % 2 else None) for i in range(count)])

    def _add(self, rows: list[Row]) -> None:
        self.sampler.add(rows)
        self.model.add(rows)

    @rule(n=st.integers(0, 9), out=st.sets(st.integers(0, 40)))
    def select(self, n: int, out: set[int]) -> None:
        self.step += 1
        size = len(self.model.rows)
        view = fresh(size, self.step)
        view.available_N[[row for row in out if row < size]] = False
        available = set(np.flatnonzero(view.available_N).tolist())
        expected = self.model.select(n, available, np.random.default_rng(self.step))
        assert self.sampler.select(n, view).rows_K.tolist() == expected

    @rule(choice=st.integers(0, 1000), passes=st.integers(0, 4), invalid=st.integers(0, 4))
    def observe(self, choice: int, passes: int, invalid: int) -> None:
        """Mostly a row that was drawn, now and then any: one that another drew, or a late one."""
        archive = self.model.archive
        rows = archive if archive and choice % 4 else range(len(self.model.rows))
        if rows:
            row = rows[choice % len(rows)]
            invalid = min(invalid, 4 - passes)
            success_G = tuple(float(i < passes) for i in range(4))
            self.sampler.observe(Group(self.step, row, success_G, invalid))
            self.model.observe(row, (passes - invalid) / 4)

    @rule(count=st.integers(1, 4), prior=PRIORS)
    def add_rows(self, count: int, prior: float | None) -> None:
        start = len(self.model.rows)
        if start + count <= 40:
            self._add([_row(start + i, prior=prior) for i in range(count)])

    @rule(parent=st.integers(0, 39), factor=FACTORS, prior=PRIORS)
    def add_a_variant(self, parent: int, factor: float, prior: float | None) -> None:
        start = len(self.model.rows)
        if 0 < start < 40:
            self._add([_row(start, prior, _row(parent % start).uid, factor)])

    @rule()
    def save_and_load(self) -> None:
        state = json.loads(json.dumps(self.sampler.state_dict()))
        self.sampler = Heapa(self.config)
        self.sampler.add(self.model.rows)
        self.sampler.load_state_dict(state)
        assert json.loads(json.dumps(self.sampler.state_dict())) == state

    @invariant()
    def the_same_rows_are_in_the_same_places(self) -> None:
        stock, model = self.sampler.stock, self.model
        low = sorted(model.low, key=lambda entry: (-entry[0], entry[1]))
        assert list(stock.halves.low) == [row for _, _, row in low]
        assert list(stock.halves.high) == [row for _, _, row in sorted(model.high)]
        assert [row for row in stock.cold if stock.stage[row] == Stage.COLD] == model.cold
        assert list(stock.archive) == model.archive
        assert list(stock.returning) == model.returning
        evicted = [row for row, stage in enumerate(stock.stage) if stage == Stage.EVICTED]
        assert evicted == sorted(model.evicted)
        assert stock.evictions == len(evicted)
        assert self.config.capacity is None or len(stock) <= self.config.capacity

    @invariant()
    def every_row_is_in_one_place(self) -> None:
        stock = self.sampler.stock
        metrics = self.sampler.metrics()
        names = ("heap_low", "heap_high", "cold", "archived", "returning", "evicted")
        assert sum(metrics[name] for name in names) == len(stock.stage) == len(self.model.rows)


def _row(i: int, prior: float | None = None, parent: str = "", factor: float = 1.0) -> Row:
    passes, attempts = (0.0, 0.0) if prior is None else (prior * 8, 8.0)
    return Row(f"{i:04x}", {}, "", "", {}, passes, attempts, parent, factor)


@pytest.mark.parametrize("chosen", SETTINGS, ids=str)
def test_a_life_of_rows(chosen: dict[str, Any]) -> None:
    class Machine(LifeCycle):
        config = HeapaConfig.model_validate(chosen)

    run_state_machine_as_test(
        Machine, settings=settings(max_examples=40, stateful_step_count=40, deadline=None)
    )
