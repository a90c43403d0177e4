"""Problems made on the way, each known by its number, none of them held out."""

from __future__ import annotations

import random
from collections.abc import Sequence

from arithmetic_curriculum import sums
from arithmetic_curriculum.dataset import held_out, row_of
from arithmetic_curriculum.levels import FAMILIES, LEVELS, Family
from curriculum_env import Row


def fresh_problem(number: int, seed: int = 0, levels: Sequence[int] = LEVELS) -> Row | None:
    """Candidate `number`, from 0 on, the levels taking turns; None where it is held out."""
    rng = random.Random(f"fresh {seed} {number}")
    turns = sorted(set(levels))
    level = turns[number % len(turns)]
    family = rng.choice([family for family in FAMILIES if family.level == level])
    expression = family.problem(rng.randrange(family.size))
    return None if held_out(expression) else row_of(family, expression)


def fresh_sum(number: int, weights: Sequence[float], seed: int = 0) -> Row | None:
    """Candidate `number` among the sums, all pairs of lengths with a weight alike: the curriculum
    finds the ones to train on. None where it is held out."""
    rng = random.Random(f"fresh sum {seed} {number}")
    lengths = [digits for digits, weight in enumerate(weights, 1) if weight > 0]
    pair = (rng.choice(lengths), rng.choice(lengths))
    family = Family(0, "addition", pair)
    expression = family.problem(rng.randrange(family.size))
    return None if held_out(expression) else sums.row_of(pair, expression)
