from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from curriculum_env.errors import RefillError
from curriculum_env.gates import Refill, Variance, fill

LIVE, DEAD = [1.0, 0.0], [0.0, 0.0]


def refill(groups: int, **settings: Any) -> Refill[int]:
    return Refill(Variance(), groups, **settings)


class Pool:
    """Tasks half at .5, half at .9, drawn at random, groups of 8; each group has a number."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(3)
        self.played = 0
        self.calls: list[int] = []

    def play(self, n: int) -> Iterator[tuple[int, Sequence[float]]]:
        self.calls.append(n)
        for p in np.where(self.rng.random(n) < 0.5, 0.5, 0.9):
            self.played += 1
            yield self.played, (self.rng.random(8) < p).astype(float).tolist()


def test_a_pool_half_at_a_half_and_half_at_nine_tenths() -> None:
    """rho = (S_8(.5) + S_8(.9)) / 2 = .78086: 327.84 groups for 256, 21.914% thrown away."""
    pool, batches = Pool(), 60
    batch = refill(256)
    for _ in range(batches):
        assert len(fill(batch, pool.play)) == 256
    metrics = batch.metrics()
    assert metrics["rho"] == pytest.approx(0.7808601400, abs=0.01)
    assert metrics["oversampling"] == pytest.approx(1.0 / metrics["rho"])
    assert metrics["discarded"] / pool.played == pytest.approx(0.21914, abs=0.01)
    assert pool.played / batches == pytest.approx(327.84, abs=4.0)
    assert metrics["batches"] == batches
    assert metrics["short_batches"] == metrics["lost"] == metrics["carried"] == 0


def test_each_round_draws_what_is_missing() -> None:
    pool = Pool()
    fill(refill(256), pool.play)
    assert pool.calls[0] == 256
    assert pool.calls == sorted(pool.calls, reverse=True)
    assert sum(pool.calls) == pool.played


def test_what_is_left_over_comes_first_in_the_next_batch() -> None:
    pool = Pool()
    batch = refill(16, oversample=1.5)
    taken: list[int] = []
    carried = []
    for _ in range(20):
        taken += fill(batch, pool.play)
        carried.append(batch.metrics()["carried"])
    assert max(carried) > 0
    assert taken == sorted(set(taken))
    assert len(taken) + batch.metrics()["carried"] + batch.metrics()["discarded"] == pool.played


def test_the_cap_ends_it_with_what_there_is() -> None:
    batch, drawn = refill(8, rounds=3), []

    def play(n: int) -> list[tuple[int, list[float]]]:
        drawn.append(n)
        return [(i, LIVE if len(drawn) == 1 and i < 5 else DEAD) for i in range(n)]

    assert fill(batch, play) == [0, 1, 2, 3, 4]
    assert sum(drawn) == 24
    assert batch.metrics()["short_batches"] == 1


@pytest.mark.parametrize(("on_cap", "lives"), [("stop", 5), ("accept", 0)])
def test_the_cap_ends_it_with_an_error(on_cap: str, lives: int) -> None:
    batch = refill(8, rounds=2, on_cap=on_cap)
    left = iter([LIVE] * lives)
    with pytest.raises(RefillError, match=f"{lives} of 16 groups .* expected 8: raise the cap"):
        fill(batch, lambda n: [(i, next(left, DEAD)) for i in range(n)])


def test_groups_that_never_come_back_do_not_make_it_spin() -> None:
    batch = refill(4, rounds=5)
    with pytest.raises(RefillError):
        fill(batch, lambda n: [])
    assert batch.metrics()["lost"] == 20


def test_with_groups_in_flight_across_batches() -> None:
    """An asynchronous loop: groups end one by one, others are started as soon as some are wanted,
    and one batch is taken while groups of the last are still running."""
    rng = np.random.default_rng(0)
    batch, flying, taken, started = refill(8, oversample=2.0), deque[int](), [], 0
    for _ in range(12):
        while not batch.ready:
            for _ in range(batch.wanted()):
                flying.append(started)
                started += 1
            assert batch.in_flight == len(flying)
            batch.offer(flying.popleft(), LIVE if rng.random() < 0.6 else DEAD)
        taken.append(batch.take())
    assert [len(groups) for groups in taken] == [8] * 12
    flat = [group for groups in taken for group in groups]
    assert flat == sorted(set(flat))
    metrics = batch.metrics()
    kept = len(flat) + metrics["carried"]
    assert kept + metrics["discarded"] + batch.in_flight == started
    assert metrics["rho"] == pytest.approx(kept / (kept + metrics["discarded"]))


def test_an_errored_group_is_lost_and_replaced() -> None:
    batch = refill(2)
    assert batch.wanted() == 2
    assert batch.wanted() == 0
    batch.lost()
    assert batch.wanted() == 1
    assert batch.offer(7, LIVE)
    assert not batch.offer(8, [])
    assert batch.wanted() == 1
    assert batch.metrics() == {
        "rho": 0.5, "oversampling": 2.0, "discarded": 1, "lost": 1, "carried": 1, "batches": 0,
        "short_batches": 0,
    }  # fmt: skip


def test_taking_too_early() -> None:
    with pytest.raises(RuntimeError, match="before the batch is ready"):
        refill(2).take()


@pytest.mark.parametrize(
    "settings", [{"groups": 0}, {"rounds": 0.5}, {"oversample": 0.9}, {"multiple": 0}]
)
def test_settings_that_cannot_work(settings: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        refill(**{"groups": 2, **settings})  # type: ignore[arg-type]


def test_groups_are_started_in_multiples_and_no_more_than_asked_for() -> None:
    batch = refill(6, rounds=3, multiple=2)
    assert batch.wanted(at_most=4) == 4
    for number in range(4):
        batch.offer(number, LIVE if number < 3 else DEAD)
    assert batch.wanted() == 4
    batch.oversample = 10.0
    assert batch.wanted(at_most=3) == 4


def test_giving_up_ends_a_batch_before_its_cap() -> None:
    batch = refill(2, rounds=5)
    for number in range(batch.wanted()):
        batch.offer(number, LIVE if number else DEAD)
    batch.give_up()
    assert batch.ready
    assert batch.wanted() == 0
    assert batch.take() == [1]
    assert batch.wanted() == 2


def test_counts_and_carried_groups_go_on() -> None:
    batch = refill(2, oversample=2.0)
    for number in range(batch.wanted()):
        batch.offer(number, LIVE if number else DEAD)
    with pytest.raises(RuntimeError, match="amid a batch"):
        batch.state_dict()
    assert batch.take() == [1, 2]
    again = refill(2)
    again.load_state_dict(batch.state_dict(), batch.carried)
    assert again.metrics() == batch.metrics()
    assert again.wanted() == 1
    again.offer(4, LIVE)
    assert again.take() == [3, 4]
