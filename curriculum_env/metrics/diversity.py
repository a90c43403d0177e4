"""How many tasks the draws really touched."""

from __future__ import annotations

import math
from collections.abc import Iterable


def effective_number(visits: Iterable[int]) -> float:
    """exp(entropy of the draws): the number of tasks if all were drawn alike; 0 for no draw."""
    counts = [count for count in visits if count > 0]
    total = sum(counts)
    if total == 0:
        return 0.0
    return math.exp(math.log(total) - sum(count * math.log(count) for count in counts) / total)


class Diversity:
    """Distinct and effective number of tasks drawn so far, without a pass over the pool."""

    def __init__(self) -> None:
        self.draws = 0
        self.distinct = 0
        self._sum_n_log_n = 0.0

    def observe(self, earlier_visits: int) -> None:
        """A row that was drawn `earlier_visits` times before was drawn again."""
        before, after = earlier_visits, earlier_visits + 1
        self.draws += 1
        self.distinct += before == 0
        self._sum_n_log_n += after * math.log(after) - (before * math.log(before) if before else 0)

    @property
    def effective(self) -> float:
        if self.draws == 0:
            return 0.0
        return math.exp(math.log(self.draws) - self._sum_n_log_n / self.draws)

    def state_dict(self) -> list[float]:
        return [self.draws, self.distinct, self._sum_n_log_n]

    def load_state_dict(self, state: list[float]) -> None:
        self.draws, self.distinct, self._sum_n_log_n = int(state[0]), int(state[1]), state[2]
