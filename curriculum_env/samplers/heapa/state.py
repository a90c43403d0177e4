"""The state of the boundary heaps, by uid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from curriculum_env.samplers.heapa.stock import UNKNOWN, Stage, Stock

if TYPE_CHECKING:
    from curriculum_env.samplers.heapa.heapa import Heapa

COUNTS = ("drawn", "recycled", "recyclings", "since_refresh")
QUEUES = ("low", "high", "archive", "returning", "cold", "evicted")


def saved(sampler: Heapa) -> dict[str, Any]:
    """JSON values. A row that no queue names is cold, and was so before those that `cold` names."""
    stock, uids = sampler.stock, sampler.memory.uids
    queues: dict[str, Iterable[int]] = {
        "low": stock.halves.low,
        "high": stock.halves.high,
        "archive": stock.archive,
        "returning": stock.returning,
        "cold": _out_of_turn(stock),
        "evicted": (row for row, stage in enumerate(stock.stage) if stage == Stage.EVICTED),
    }
    return {
        "memory": sampler.memory.state_dict(),
        "evictions": stock.evictions,
        **{name: getattr(sampler, name) for name in COUNTS},
        **{name: [uids[row] for row in rows] for name, rows in queues.items()},
    }


def _out_of_turn(stock: Stock) -> list[int]:
    """The cold rows from the first on that comes after a row of a later place in the pool."""
    rows = [row for row in stock.cold if stock.stage[row] == Stage.COLD]
    falls = np.flatnonzero(np.diff(rows) < 0)
    return rows[int(falls[0]) + 1 :] if len(falls) else []


def restored(sampler: Heapa, state: Mapping[str, Any]) -> None:
    """Go on from what `saved` returned; rows that the pool lacks are left out, and rows that the
    state does not name start as they would in a new pool."""
    memory = sampler.memory
    index = {uid: row for row, uid in enumerate(memory.uids)}
    queues = {name: [index[uid] for uid in state[name] if uid in index] for name in QUEUES}
    cold = index.keys() - chain(*(state[name] for name in QUEUES), state["memory"]["uid"])
    prior_N = memory["prior"].copy()
    memory.load_state_dict(state["memory"])
    fresh = sorted(index[uid] for uid in cold)
    for name in ("prior", "score", "key"):
        memory[name][fresh] = prior_N[fresh]
    for name in COUNTS:
        setattr(sampler, name, state[name])
    sampler.stock = _stock(sampler, queues)
    sampler.stock.evictions = state["evictions"]


def _stock(sampler: Heapa, queues: Mapping[str, list[int]]) -> Stock:
    stock = Stock(sampler.config.alpha, sampler.config.capacity)
    key_N = sampler.memory["key"]
    stock.stage = bytearray(bytes([Stage.COLD]) * len(sampler.memory))
    for half, name in ((stock.halves.low, "low"), (stock.halves.high, "high")):
        half.fill(queues[name], key_N[queues[name]].tolist())
        _set(stock, queues[name], Stage.SCORED)
    _set(stock, queues["evicted"], Stage.EVICTED)
    stock.draw(queues["archive"])
    stock.give_back(queues["returning"])
    _set(stock, queues["cold"], Stage.EVICTED)
    others = [row for row, stage in enumerate(stock.stage) if stage == Stage.COLD]
    scored = {row for row in others if key_N.item(row) != UNKNOWN}
    for row in [*(row for row in others if row not in scored), *queues["cold"]]:
        stock.insert(row, None)
    for row in sorted(scored):
        stock.insert(row, key_N.item(row))
    return stock


def _set(stock: Stock, rows: Iterable[int], stage: Stage) -> None:
    for row in rows:
        stock.stage[row] = stage
