"""The boundary heaps and the life cycle of rows as plain lists: slow, written from the rules."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from curriculum_env.samplers.heapa import HeapaConfig
from curriculum_env.types import Row


@dataclass
class Model:
    """`low` and `high` hold (key, age, row); all other queues hold rows, the first to go first."""

    config: HeapaConfig
    rows: list[Row] = field(default_factory=list)
    score: dict[int, float] = field(default_factory=dict)
    key: dict[int, float] = field(default_factory=dict)
    low: list[tuple[float, int, int]] = field(default_factory=list)
    high: list[tuple[float, int, int]] = field(default_factory=list)
    cold: list[int] = field(default_factory=list)
    archive: list[int] = field(default_factory=list)
    returning: list[int] = field(default_factory=list)
    evicted: set[int] = field(default_factory=set)
    age: int = 0
    drawn: int = 0
    asked: int = 0

    # --- halves --------------------------------------------------------------------------------
    def easiest_of(self, half: list[tuple[float, int, int]]) -> tuple[float, int, int]:
        return min(half, key=lambda entry: (-entry[0], entry[1]))

    def hardest_of(self, half: list[tuple[float, int, int]]) -> tuple[float, int, int]:
        return min(half, key=lambda entry: (entry[0], entry[1]))

    def push(self, half: list[tuple[float, int, int]], row: int, key: float) -> None:
        half.append((key, self.age, row))
        self.age += 1

    def rebalance(self) -> None:
        target = round(self.config.alpha * (len(self.low) + len(self.high)))
        excess = len(self.low) - target
        if abs(excess) <= 1:
            return
        for _ in range(min(abs(excess), 4)):
            source, goal = (self.low, self.high) if excess > 0 else (self.high, self.low)
            top = self.easiest_of(source) if source is self.low else self.hardest_of(source)
            source.remove(top)
            self.push(goal, top[2], top[0])

    def put_in(self, row: int, key: float) -> None:
        if not self.high or key > self.hardest_of(self.high)[0]:
            self.push(self.high, row, key)
        else:
            self.push(self.low, row, key)

    def size(self) -> int:
        return len(self.cold) + len(self.low) + len(self.high)

    def insert(self, row: int) -> None:
        full = self.config.capacity is not None and self.size() >= self.config.capacity
        if row in self.key:
            self.put_in(row, self.key[row])
            if full:
                half = self.low or self.high
                hardest = self.hardest_of(half)
                half.remove(hardest)
                self.evicted.add(hardest[2])
            self.rebalance()
            return
        if full and (self.low or self.high):
            half = self.high or self.low
            easiest = self.easiest_of(half)
            half.remove(easiest)
            self.evicted.add(easiest[2])
            self.rebalance()
        elif full:
            self.evicted.add(self.cold.pop(0))
        self.cold.append(row)

    def leave(self, row: int) -> bool:
        """Whether the row was cold or scored, and is no more."""
        was = row in self.cold or any(row == entry[2] for entry in self.low + self.high)
        self.cold = [other for other in self.cold if other != row]
        self.low = [entry for entry in self.low if entry[2] != row]
        self.high = [entry for entry in self.high if entry[2] != row]
        return was

    # --- what happens --------------------------------------------------------------------------
    def add(self, rows: list[Row]) -> None:
        start = len(self.rows)
        self.rows += rows
        for place, row in enumerate(rows, start):
            if row.prior_attempts and self.config.priors:
                self.score[place] = self.key[place] = row.prior_passes / row.prior_attempts
        places = range(start, len(self.rows))
        capacity = self.config.capacity
        if not self.low + self.high and (capacity is None or self.size() + len(rows) <= capacity):
            scored = sorted((place for place in places if place in self.key), key=self.key.get)  # type: ignore[arg-type]
            split = round(self.config.alpha * len(scored))
            for place in scored[:split]:
                self.push(self.low, place, self.key[place])
            for place in scored[split:]:
                self.push(self.high, place, self.key[place])
            self.cold += [place for place in places if place not in self.key]
        else:
            for place in places:
                self.insert(place)

    def observe(self, row: int, statistic: float) -> None:
        if self.leave(row):
            self.rebalance()
            self.archive.append(row)
        self.score[row] = self.key[row] = statistic

    def select(self, n: int, available: set[int], rng: np.random.Generator) -> list[int]:
        self.refresh_heaps(n)
        self.put_back(n)
        limit = self.config.archive_max
        if self.size() < n or (limit is not None and self.drawn >= limit):
            self.recycle(n, available, rng)
        chosen = self.draw(n, available, rng)
        if len(chosen) < n and self.recycle(n - len(chosen), available - set(chosen), rng, True):
            chosen += self.draw(n - len(chosen), available, rng)
        return chosen

    def draw(self, n: int, available: set[int], rng: np.random.Generator) -> list[int]:
        chosen = [row for row in self.cold if row in available][:n]
        self.cold = [row for row in self.cold if row not in chosen]
        if self.config.mixed:
            chosen += self.easy((n - len(chosen)) // 2, available)
        chosen += self.boundary(n - len(chosen), available, rng)
        self.archive += chosen
        self.drawn += len(chosen)
        return chosen

    def easy(self, n: int, available: set[int]) -> list[int]:
        found: list[int] = []
        barred: list[tuple[float, int, int]] = []
        while self.high and len(found) < n:
            top = self.easiest_of(self.high)
            self.high.remove(top)
            if top[2] in available:
                found.append(top[2])
            else:
                barred.append(top)
        for key, _, row in barred:
            self.push(self.high, row, key)
        return found

    def boundary(self, need: int, available: set[int], rng: np.random.Generator) -> list[int]:
        found: list[tuple[list[tuple[float, int, int]], float, int]] = []
        barred: list[tuple[list[tuple[float, int, int]], float, int]] = []
        high_first = True
        while len(found) < 2 * need and self.low + self.high:
            before = len(found)
            for half in (self.high, self.low) if high_first else (self.low, self.high):
                while half and len(found) == before:
                    top = self.easiest_of(half) if half is self.low else self.hardest_of(half)
                    half.remove(top)
                    place = found if top[2] in available else barred
                    place.append((half, top[0], top[2]))
            high_first = not high_first
        count = len(found)
        chosen = rng.choice(count, min(need, count), replace=False).tolist() if count else []
        kept = [one for i, one in enumerate(found) if i not in chosen]
        for half, key, row in kept + barred:
            self.push(half, row, key)
        self.rebalance()
        return [found[i][2] for i in chosen]

    # --- recycling -----------------------------------------------------------------------------
    def recycle(
        self, n: int, available: set[int], rng: np.random.Generator, crowd: bool = False
    ) -> bool:
        rows = [row for row in self.archive if row in available]
        self.archive = [row for row in self.archive if row not in available]
        if rows:
            fresh = self.refreshed()
            for row in rows:
                if row in self.score:
                    self.key[row] = self.score[row]
                if row in fresh:
                    self.key[row] = fresh[row]
            self.returning += [rows[i] for i in rng.permutation(len(rows))]
        self.drawn = 0
        return self.put_back(n, crowd)

    def put_back(self, n: int, crowd: bool = False) -> bool:
        any_yet = False
        while self.returning and (not any_yet or self.size() < 2 * n):
            for _ in range(self.config.chunk):
                full = self.config.capacity is not None and self.size() >= self.config.capacity
                if not self.returning or (full and not crowd):
                    break
                self.insert(self.returning.pop(0))
                any_yet = True
            if full and not crowd:
                break
        return any_yet

    def refresh_heaps(self, n: int) -> None:
        self.asked += n
        every = self.config.refresh_every
        if every is None or self.asked < every or not self.children():
            return
        self.asked = 0
        for row, value in sorted(self.refreshed().items()):
            scored = any(row == entry[2] for entry in self.low + self.high)
            if scored and self.key[row] != value:
                self.leave(row)
                self.rebalance()
                self.key[row] = value
                self.put_in(row, value)
                self.rebalance()

    # --- lineage -------------------------------------------------------------------------------
    def children(self) -> dict[int, list[int]]:
        place = {row.uid: i for i, row in enumerate(self.rows)}
        found: dict[int, list[int]] = {}
        for i, row in enumerate(self.rows):
            if row.parent in place:
                found.setdefault(place[row.parent], []).append(i)
        return found

    def refreshed(self) -> dict[int, float]:
        """What is known of each row with relatives, refreshed."""
        children = self.children()
        related = {*children, *(child for some in children.values() for child in some)}
        if self.config.lineage == "none":
            return {row: self.score[row] for row in related if row in self.score}
        found = {row: self.value(row, children) for row in related}
        return {row: value for row, value in found.items() if value is not None}

    def leaves(self, row: int, children: dict[int, list[int]]) -> int:
        return sum(self.leaves(child, children) for child in children.get(row, [])) or 1

    def value(self, row: int, children: dict[int, list[int]]) -> float | None:
        own = self.score.get(row)
        total = weights = 0.0
        for child in children.get(row, []):
            value, d = self.value(child, children), min(max(self.rows[child].factor, 0.75), 1.33)
            if value is None:
                continue
            divide = (value >= 0) == (self.config.adjust == "published")
            weight = self.leaves(child, children) if self.config.lineage == "path" else 1
            total += weight * (value / d if divide else value * d)
            weights += weight
        if not weights:
            return own
        mean = total / weights
        return min(max(mean if own is None else (own + mean) / 2, -1.0), 1.0)
