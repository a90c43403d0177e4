"""What an estimate may spend: tokens, money or both, with what is in flight set aside."""

from __future__ import annotations

from dataclasses import dataclass, field

from curriculum_env.pool.estimate.rollouts import Bound


@dataclass(frozen=True, slots=True)
class Prices:
    """Money per million tokens, in any currency."""

    prompt: float = 0.0
    completion: float = 0.0

    def of(self, prompt_tokens: float, completion_tokens: float) -> float:
        """What so many tokens cost."""
        return (self.prompt * prompt_tokens + self.completion * completion_tokens) / 1e6


@dataclass(slots=True)
class Budget:
    """At most `tokens` (prompt and completion together) and at most `money`; None: no limit.

    `reserve` sets the most that a rollout can take aside before it starts, so that the limit holds
    whatever the rollouts in flight turn out to take.
    """

    tokens: float | None = None
    money: float | None = None
    prices: Prices = field(default_factory=Prices)
    spent_tokens: float = 0.0
    spent_money: float = 0.0
    _reserved_tokens: float = 0.0
    _reserved_money: float = 0.0

    @property
    def limited(self) -> bool:
        return self.tokens is not None or self.money is not None

    def reserve(self, bound: Bound) -> bool:
        """Set `bound` aside; False, and nothing done, where it does not fit."""
        tokens, money = sum(bound), self.prices.of(*bound)
        if not self._fits(tokens, money):
            return False
        self._reserved_tokens += tokens
        self._reserved_money += money
        return True

    def settle(self, bound: Bound, prompt_tokens: int, completion_tokens: int) -> None:
        """A rollout for which `bound` was set aside took so many tokens."""
        self._reserved_tokens -= sum(bound)
        self._reserved_money -= self.prices.of(*bound)
        self.spend(prompt_tokens, completion_tokens)

    def spend(self, prompt_tokens: int, completion_tokens: int) -> None:
        """So many tokens are paid for."""
        self.spent_tokens += prompt_tokens + completion_tokens
        self.spent_money += self.prices.of(prompt_tokens, completion_tokens)

    def _fits(self, tokens: float, money: float) -> bool:
        over_tokens = self.spent_tokens + self._reserved_tokens + tokens
        over_money = self.spent_money + self._reserved_money + money
        return (self.tokens is None or over_tokens <= self.tokens) and (
            self.money is None or over_money <= self.money
        )
