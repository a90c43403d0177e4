"""What augmentation may spend on one store, what is in flight set aside."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from curriculum_env.augment_config import (
    AugmentConfig,
    EndpointTeacherConfig,
    SelfTeacherConfig,
    SymbolicTeacherConfig,
)
from curriculum_env.pool.estimate.budget import Prices
from curriculum_env.store.queue import FREE, RECHECK, Augmentation, Spent

_FRAME = 4096
"""Bytes that the words around a problem take at most: a token is at least one."""


@dataclass(slots=True)
class Spending:
    """`spent` is what the store tells, and `own` the part of it that this service wrote; each item
    sets aside the most it can take before it begins, here and in other services, so that no limit
    is passed whatever is in flight."""

    config: AugmentConfig
    spent: Spent = FREE
    own: Spent = FREE
    _aside: dict[int, Spent] = field(default_factory=dict)
    _elsewhere: Spent = FREE

    @property
    def limited(self) -> bool:
        """Whether there is any limit."""
        budget = self.config.budget
        return any(limit is not None for limit in (budget.requests, budget.tokens, budget.money))

    def told(self, own: Spent, total: Spent, claimed: Iterable[Augmentation]) -> None:
        """The store tells what all services spent, and what others work on; `own` was spent here
        before it was asked."""
        self.spent = total.plus(self.own).minus(own)
        self._elsewhere = FREE
        for item in claimed:
            self._elsewhere = self._elsewhere.plus(self._most(item))

    def policy(self, prompt: int, reply: int, requests: int = 1) -> Spent:
        """What so many tokens of the policy come to."""
        return _priced(self.config.budget.policy_prices, prompt, reply, requests)

    def teacher(self, prompt: int, reply: int, requests: int = 1) -> Spent:
        """What so many tokens of the teacher come to; the policy's where it teaches itself."""
        if isinstance(self.config.teacher, SymbolicTeacherConfig):
            return FREE
        if isinstance(self.config.teacher, SelfTeacherConfig):
            return self.policy(prompt, reply, requests)
        return _priced(self.config.budget.teacher_prices, prompt, reply, requests)

    def reserve(self, item: Augmentation) -> bool:
        """Set aside what `item` can take; False, and nothing done, where that is too much."""
        budget, most = self.config.budget, self._most(item)
        total = self.spent.plus(most).plus(self._elsewhere)
        for other in self._aside.values():
            total = total.plus(other)
        limits = (budget.requests, budget.tokens, budget.money)
        if any(limit is not None and a > limit for limit, a in zip(limits, total, strict=True)):
            return False
        self._aside[item.id] = most
        return True

    def settle(self, item: Augmentation, took: Spent) -> None:
        """The item took so much more, and takes nothing else."""
        self._aside.pop(item.id, None)
        self.took(took)

    def took(self, spent: Spent) -> None:
        """So much was spent, and is written down."""
        self.spent, self.own = self.spent.plus(spent), self.own.plus(spent)

    def _most(self, item: Augmentation) -> Spent:
        config = self.config
        prompt = _FRAME + 4 * sum(len(str(value)) for value in item.source.data.values())
        most = FREE
        by_policy = config.proposer == "policy" and item.kind != RECHECK
        if by_policy and item.state == "asked":
            most = self.policy(prompt, config.proposal_tokens)
        if by_policy or item.kind == RECHECK:
            teacher = config.teacher
            if isinstance(teacher, EndpointTeacherConfig | SelfTeacherConfig):
                votes = teacher.votes + 1
                each = self.teacher(prompt, teacher.max_tokens)
                most = most.plus(Spent(votes, votes * each.tokens, votes * each.money))
        return most


def _priced(prices: tuple[float, float], prompt: int, reply: int, requests: int) -> Spent:
    return Spent(requests, prompt + reply, Prices(*prices).of(prompt, reply))
