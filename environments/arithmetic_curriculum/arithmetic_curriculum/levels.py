"""The ladder: which problems belong to each level, from `7 + 5` to three operators deep.

A level is one or more families; a family is a finite, numbered space of problems, so that a
problem can be drawn by its number and no number has to be drawn twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

from arithmetic_curriculum.expression import Expression, depth, fill, shapes, write


@dataclass(frozen=True)
class Family:
    """All problems of one level with the same operation and operand sizes.

    `digits` gives the number of decimal digits of each operand from left to right. A division
    is numbered by its quotient and divisor, so it always comes out even.
    """

    level: int
    operation: str
    digits: tuple[int, ...]

    @cached_property
    def shapes(self) -> tuple[Expression, ...]:
        """The trees of this family, each with its operand positions."""
        operators = {"addition": "+", "subtraction": "-", "multiplication": "*", "division": "/"}
        every = shapes(len(self.digits), operators.get(self.operation, "+-*"))
        if self.operation in operators:
            return tuple(every)
        nested = self.operation == "nested"
        return tuple(shape for shape in every if ("(" in write(shape)) == nested)

    @cached_property
    def ranges(self) -> tuple[range, ...]:
        """The values each operand takes; a divisor is at least 2."""
        ranges = [range(10 ** (d - 1) if d > 1 else 0, 10**d) for d in self.digits]
        if self.operation == "division":
            ranges[-1] = range(max(2, ranges[-1].start), ranges[-1].stop)
        return tuple(ranges)

    @cached_property
    def size(self) -> int:
        """How many problems there are."""
        return len(self.shapes) * prod(map(len, self.ranges))

    def problem(self, number: int) -> Expression:
        """The problem with this number, 0 <= number < size."""
        operands = []
        for values in reversed(self.ranges):
            number, place = divmod(number, len(values))
            operands.append(values[place])
        operands.reverse()
        if self.operation == "division":
            operands[0] *= operands[1]
        return fill(self.shapes[number], operands)

    @cached_property
    def features(self) -> dict[str, int | str]:
        """What a curriculum may read about a problem without parsing it."""
        return {
            "level": self.level,
            "operation": self.operation,
            "operands": len(self.digits),
            "digits": sum(self.digits),
            "depth": max(map(depth, self.shapes)),
        }


FAMILIES = (
    Family(1, "addition", (1, 1)),
    Family(1, "subtraction", (1, 1)),
    Family(1, "multiplication", (1, 1)),
    Family(2, "addition", (1, 2)),
    Family(2, "addition", (2, 1)),
    Family(2, "subtraction", (2, 1)),
    Family(2, "division", (1, 1)),
    Family(3, "addition", (2, 2)),
    Family(3, "subtraction", (2, 2)),
    Family(4, "addition", (3, 3)),
    Family(4, "subtraction", (3, 3)),
    Family(4, "multiplication", (2, 1)),
    Family(4, "division", (2, 1)),
    Family(5, "addition", (4, 4)),
    Family(5, "subtraction", (4, 4)),
    Family(5, "mixed", (1, 1, 1)),
    Family(6, "multiplication", (2, 2)),
    Family(6, "mixed", (2, 2, 2)),
    Family(6, "nested", (1, 1, 1)),
    Family(7, "nested", (2, 2, 2)),
    Family(7, "nested", (1, 1, 1, 1)),
    Family(8, "nested", (2, 2, 2, 2)),
    Family(8, "nested", (2, 2, 2, 2, 2)),
)

LEVELS = tuple(sorted({family.level for family in FAMILIES}))
