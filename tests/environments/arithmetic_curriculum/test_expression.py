from __future__ import annotations

import pytest
from arithmetic_curriculum.expression import (
    Expression,
    canonical,
    depth,
    evaluate,
    fill,
    shapes,
    write,
)
from hypothesis import given
from hypothesis import strategies as st

from tests.environments.arithmetic_curriculum.evaluator import independent

expressions: st.SearchStrategy[Expression] = st.recursive(
    st.integers(0, 999),
    lambda inner: st.tuples(st.sampled_from("+-*"), inner, inner),
    max_leaves=8,
)


@given(expressions)
def test_value_agrees_with_an_independent_evaluator(expression: Expression) -> None:
    assert evaluate(expression) == independent(write(expression))


@given(expressions, expressions)
def test_text_and_tree_determine_each_other(one: Expression, other: Expression) -> None:
    assert (write(one) == write(other)) == (one == other)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (7, "7"),
        (("+", ("+", 1, 2), 3), "1 + 2 + 3"),
        (("+", 1, ("+", 2, 3)), "1 + (2 + 3)"),
        (("-", 1, ("-", 2, 3)), "1 - (2 - 3)"),
        (("+", 1, ("*", 2, 3)), "1 + 2 * 3"),
        (("*", ("+", 1, 2), 3), "(1 + 2) * 3"),
        (("/", ("*", 8, 3), 4), "8 * 3 / 4"),
        (("*", 8, ("/", 4, 2)), "8 * (4 / 2)"),
    ],
)
def test_writes_the_parentheses_the_tree_needs(expression: Expression, text: str) -> None:
    assert write(expression) == text


def test_divides_exactly() -> None:
    assert evaluate(("/", 12, 4)) == 3
    with pytest.raises(ZeroDivisionError):
        evaluate(("/", 1, 0))


def test_canonical_forgets_the_order_of_sums_and_products() -> None:
    assert canonical(("+", 5, 3)) == canonical(("+", 3, 5))
    assert canonical(("*", ("+", 5, 3), 2)) == canonical(("*", 2, ("+", 3, 5)))
    assert canonical(("-", 5, 3)) != canonical(("-", 3, 5))
    assert canonical(("+", 1, ("*", 2, 3))) != canonical(("*", ("+", 1, 2), 3))


def test_shapes_are_every_tree_once() -> None:
    catalan = {1: 1, 2: 1, 3: 2, 4: 5, 5: 14}
    for operands, trees in catalan.items():
        every = list(shapes(operands, "+-*"))
        assert len(every) == len(set(every)) == trees * 3 ** (operands - 1)


def test_fill_puts_operands_from_left_to_right() -> None:
    assert write(fill(("-", 0, ("*", 1, 2)), [7, 8, 9])) == "7 - 8 * 9"
    assert depth(("-", 0, ("*", 1, 2))) == 2
