"""Several opinions, one verdict."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from curriculum_env.augment.proposal import Annotation, Discard
from curriculum_env.pool.answers import answer_key
from curriculum_env.pool.estimate.rollouts import Bound, ServiceError

Opinion: TypeAlias = Annotation | Discard
Ask: TypeAlias = Callable[[], Awaitable[Opinion]]
OpinionT = TypeVar("OpinionT", Annotation, Discard)


@dataclass(frozen=True, slots=True)
class Votes:
    """`most` opinions at most, of which `needed` must be the same: more than half, and at least the
    share `agreement`. Answers are the same where `answer_key` says so. An opinion that is none
    counts among the votes and agrees with no other.

    With an opinion wrong at rate e, independently, a wrong verdict needs `needed` wrong ones that
    agree: of 3 votes at e = .05 that is at most 3 e^2 (1 - e) + e^3 = .7%.
    """

    most: int = 3
    agreement: float = 0.5

    @property
    def needed(self) -> int:
        """How many must agree."""
        return min(self.most, max(self.most // 2 + 1, math.ceil(self.most * self.agreement - 1e-9)))

    async def settle(self, ask: Ask) -> Opinion:
        """The verdict; no more opinions are asked for than decide it.

        Raises:
            ServiceError: an opinion could not be had; `paid` are the tokens of those that were.
            HaltError: none can be had any more.
        """
        opinions: list[Opinion] = []
        ahead = 0
        while ahead < self.needed <= ahead + self.most - len(opinions):
            opinions += await _gathered(ask, self.needed - ahead, opinions)
            ahead = max(Counter(filter(None, map(_key, opinions))).values(), default=0)
        return self._verdict(opinions, ahead)

    def _verdict(self, opinions: list[Opinion], ahead: int) -> Opinion:
        took = spent(opinions)
        if ahead >= self.needed:
            ((winner, _),) = Counter(filter(None, map(_key, opinions))).most_common(1)
            first = next(opinion for opinion in opinions if _key(opinion) == winner)
            assert isinstance(first, Annotation)
            share = ahead / len(opinions)
            return paid(replace(first, votes=len(opinions), agreement=share), took)
        failed = [opinion for opinion in opinions if isinstance(opinion, Discard)]
        if len(failed) > len(opinions) - self.needed:
            return paid(failed[0], took)
        return Discard("votes_differ", f"{ahead} of {len(opinions)} agree", "", *took)


async def _gathered(ask: Ask, count: int, before: list[Opinion]) -> list[Opinion]:
    """So many opinions at a time; where one fails, the others are waited for and paid."""
    found = await asyncio.gather(*(ask() for _ in range(count)), return_exceptions=True)
    given = [one for one in found if isinstance(one, Annotation | Discard)]
    errors = [one for one in found if isinstance(one, BaseException)]
    if not errors:
        return given
    others = [error for error in errors if not isinstance(error, ServiceError)]
    if others:
        raise others[0]
    raise ServiceError(str(errors[0]), spent([*before, *given]))


def paid(opinion: OpinionT, took: Bound) -> OpinionT:
    """The opinion, with what it took."""
    return replace(opinion, prompt_tokens=took.prompt, completion_tokens=took.completion)


def spent(opinions: list[Opinion]) -> Bound:
    """The tokens that opinions took."""
    return Bound(
        sum(opinion.prompt_tokens for opinion in opinions),
        sum(opinion.completion_tokens for opinion in opinions),
    )


def _key(opinion: Opinion) -> str | None:
    """Equal for opinions that say the same."""
    if isinstance(opinion, Discard):
        return None
    if not opinion.clean:
        return "unclean"
    if not opinion.solvable:
        return "unsolvable"
    return "no answer" if opinion.answer is None else f"= {answer_key(opinion.answer)}"
