"""A finer ladder: sums alone, graded by the lengths of both their operands.

Sums share sides with the other problems: one held out here is held out there.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import islice, product

from arithmetic_curriculum.dataset import held_out, in_turn, shuffled
from arithmetic_curriculum.expression import Expression, evaluate, write
from arithmetic_curriculum.levels import Family
from curriculum_env import Row, content_uid

LONGEST = 9
HELD_OUT_PER_PAIR = 20

Lengths = tuple[int, int]


def sum_rows(size: int, weights: Sequence[float], seed: int = 0) -> Iterator[Row]:
    """At most `size` distinct training sums, operands of n digits with the weight `weights[n-1]`.

    A pair of lengths that is used up leaves its share to the others.

    Raises:
        ValueError: the weights are not 1 to 9 numbers from 0 on, some above 0.
    """
    if not 0 < len(weights) <= LONGEST or min(weights) < 0 or not max(weights) > 0:
        raise ValueError(
            f"sums is {list(weights)}; expected the weights of operands of 1, 2, ... digits: "
            f"1 to {LONGEST} numbers, none below 0 and not all 0"
        )
    streams = {pair: _pair(pair, f"train {seed}", train=True) for pair in _pairs(len(weights))}
    share = {(i, j): weights[i - 1] * weights[j - 1] for i, j in streams}
    return islice(_weighted(streams, share, random.Random(f"sums {seed}")), size)


def heldout_sums(longest: int) -> Iterator[Row]:
    """The evaluation sums: the same 20 (of one-digit ones, those there are) of each pair of
    lengths up to `longest`, whatever the training pool."""
    turns = [_pair(pair, "held out", train=False) for pair in _pairs(longest)]
    return in_turn([islice(turn, HELD_OUT_PER_PAIR) for turn in turns])


def _pairs(longest: int) -> Iterator[Lengths]:
    lengths = range(1, longest + 1)
    return product(lengths, lengths)


def _weighted(
    streams: dict[Lengths, Iterator[Row]], share: dict[Lengths, float], rng: random.Random
) -> Iterator[Row]:
    """Rows of streams drawn by their shares, until all with a share have ended."""
    going = [pair for pair in streams if share[pair] > 0]
    while going:
        (pair,) = rng.choices(going, [share[pair] for pair in going])
        row = next(streams[pair], None)
        if row is None:
            going.remove(pair)
        else:
            yield row


def _pair(lengths: Lengths, salt: str, *, train: bool) -> Iterator[Row]:
    family = Family(0, "addition", lengths)
    rng = random.Random(f"{salt} sum {lengths}")
    for number in shuffled(family.size, rng):
        expression = family.problem(number)
        if held_out(expression) != train:
            yield row_of(lengths, expression)


def row_of(lengths: Lengths, expression: Expression) -> Row:
    """The row of a sum whose operands have those lengths."""
    data = {"expression": write(expression), "answer": evaluate(expression)}
    pair = "{}+{}".format(*lengths)
    features = {"operation": "addition", "digits": sum(lengths), "lengths": pair}
    return Row(content_uid(data), data, domain="addition", level=pair, features=features)
