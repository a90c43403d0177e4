"""The state of the boundary heaps, by uid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from curriculum_env.samplers.heapa.stock import UNKNOWN, Stage, Stock
from curriculum_env.types import BoolArray

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
    named_N = np.zeros(len(memory), np.bool_)
    named_N[list(chain(*queues.values()))] = True
    prior_N = memory["prior"].copy()
    memory.load_state_dict(state["memory"])
    for name in ("prior", "score", "key"):
        np.copyto(memory[name], prior_N, where=~named_N)
    for name in COUNTS:
        setattr(sampler, name, state[name])
    sampler.stock = _stock(sampler, queues, ~named_N)
    sampler.stock.evictions = state["evictions"]


def _stock(sampler: Heapa, queues: Mapping[str, list[int]], others_N: BoolArray) -> Stock:
    stock = Stock(sampler.config.alpha, sampler.config.capacity)
    key_N = sampler.memory["key"]
    stock.stage = bytearray(bytes([Stage.EVICTED]) * len(key_N))
    for half, name in ((stock.halves.low, "low"), (stock.halves.high, "high")):
        half.fill(queues[name], key_N[queues[name]].tolist())
        for row in queues[name]:
            stock.stage[row] = Stage.SCORED
    stock.draw(queues["archive"])
    stock.give_back(queues["returning"])
    scored_N = key_N != UNKNOWN
    for row in [*np.flatnonzero(others_N & ~scored_N).tolist(), *queues["cold"]]:
        stock.insert(row, None)
    for row in np.flatnonzero(others_N & scored_N).tolist():
        stock.insert(row, key_N.item(row))
    return stock
