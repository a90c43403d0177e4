from __future__ import annotations

import ast
import random
from dataclasses import replace
from itertools import islice

import pytest
from arithmetic_curriculum.dataset import held_out, train_rows
from arithmetic_curriculum.expression import Expression, evaluate, write
from arithmetic_curriculum.levels import FAMILIES
from arithmetic_curriculum.placing import UnsolvableError, ladder_row, sum_row, value
from arithmetic_curriculum.reading import MOST_OPERANDS, parse, read
from arithmetic_curriculum.sums import heldout_sums, sum_rows
from arithmetic_curriculum.taskset import ArithmeticTaskset, ArithmeticTasksetConfig
from arithmetic_curriculum.variants import FACTORS, solve, vary_ladder, vary_sum
from hypothesis import given
from hypothesis import strategies as st

from curriculum_env import Annotation, Discard
from curriculum_env.augment.evaluation import Evaluation
from curriculum_env.augment.filters import Filters
from curriculum_env.augment.maker import Accepted, Maker
from curriculum_env.augment.proposal import Proposal
from curriculum_env.augment.teacher import SymbolicTeacher

numbers = st.integers(0, 999_999_999)
expressions: st.SearchStrategy[Expression] = st.recursive(
    numbers,
    lambda inner: st.tuples(st.sampled_from("+-*/"), inner, inner),
    max_leaves=MOST_OPERANDS,
)


@given(expressions.filter(lambda made: not isinstance(made, int)))
def test_what_is_written_is_read_again(expression: Expression) -> None:
    assert parse(write(expression)) == expression
    assert read(f"What is {write(expression)}?") == expression


OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


def pythons(node: ast.expr) -> Expression:
    if isinstance(node, ast.Constant):
        assert isinstance(node.value, int)
        return node.value
    assert isinstance(node, ast.BinOp)
    return (OPERATORS[type(node.op)], pythons(node.left), pythons(node.right))


@given(st.lists(st.sampled_from(["1", "20", "3 ", "+", "-", "*", "/", "(", ")", " "]), max_size=12))
def test_precedence_is_pythons(parts: list[str]) -> None:
    text = "".join(parts).strip()
    expression = parse(text)
    if expression is not None:
        assert expression == pythons(ast.parse(text, mode="eval").body)


@given(st.text("0123456789+-*/()× x.,=?!^% whatis"))
def test_any_text_is_read_or_refused(text: str) -> None:
    expression = read(text)
    assert expression is None or parse(write(expression)) == expression


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("What is 12 + 7?", "12 + 7"),
        ("Calculate: 7 − 3 × 2.", "7 - 3 * 2"),
        ("12÷4 = ?", "12 / 4"),
        ("how much is (1+2)*(3)", "(1 + 2) * 3"),
        ("3 x 4", "3 * 4"),
        ("Answer with the number only: 5 + 3", "5 + 3"),
    ],
)
def test_a_question_may_be_put_in_many_ways(text: str, written: str) -> None:
    expression = read(text)
    assert expression is not None
    assert write(expression) == written


@pytest.mark.parametrize(
    "text",
    [
        "", "12", "(12)", "What is twelve + 7?", "5 + 3!", "5% + 3", "5² + 3", "5 + 3^2", "-5 + 3",
        "5 + -3", "5 + 3 and 2 + 2", "5 + 3 doubled", "twice 5 + 3", "1,000 + 5", "2.5 + 3",
        "5 + 3.5",
        "007 + 1", "5 5 + 3", "((5 + 3)", "5 + 3)", "5 + 3 = 8", "1234567890 + 1", "1" + "+1" * 8,
        "(" * 5000 + "1+1" + ")" * 5000, "x + 3", "٣ + ٣ + 1 +", "5 + 3 + 2 without the 2",
    ],
)  # fmt: skip
def test_what_asks_for_something_else_is_not_read(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize("text", ["8 / 0", "7 / 2", "9 / (3 - 3)", "7 / 2 * 2"])
def test_what_has_no_whole_value_is_unsolvable(text: str) -> None:
    expression = parse(text)
    assert expression is not None
    with pytest.raises(UnsolvableError):
        value(expression)
    found = solve(text, ladder_row)
    assert isinstance(found, Discard)
    assert found.reason == "unsolvable"


def test_the_ladders_own_problems_stand_where_they_stood() -> None:
    for row in train_rows(500):
        expression = parse(row.data["expression"])
        assert expression is not None
        assert ladder_row(expression) == row
    for row in sum_rows(300, [1, 1, 1, 1, 1]):
        expression = parse(row.data["expression"])
        assert expression is not None
        assert sum_row(expression, 5) == row
        assert sum_row(expression, 1) == (row if row.level == "1+1" else None)


@pytest.mark.parametrize(
    ("text", "level", "digits"),
    [("123 + 4", "4", 4), ("4 + 123", "4", 4), ("2 * 13", "4", 3), ("12 * 2 + 5", "6", 4)],
)
def test_others_stand_with_the_lowest_family_that_is_as_long(
    text: str, level: str, digits: int
) -> None:
    expression = parse(text)
    assert expression is not None
    row = ladder_row(expression)
    assert row
    assert (row.level, row.features["digits"]) == (level, digits)


@pytest.mark.parametrize("text", ["12345 + 1", "999 * 999", "8 / 2 / 2", "8 / 2 + 1"])
def test_what_lies_beyond_the_ladder_has_no_place(text: str) -> None:
    expression = parse(text)
    assert expression is not None
    assert ladder_row(expression) is None


@pytest.mark.parametrize("kind", FACTORS)
def test_a_variant_has_other_numbers_in_the_same_expression(kind: str) -> None:
    made = 0
    for parent in islice(train_rows(400), 400):
        variants = [vary_ladder(parent, kind, number) for number in range(3)]
        assert variants == [vary_ladder(parent, kind, number) for number in range(3)]
        for row in filter(None, variants):
            made += 1
            expression = parse(row.data["expression"])
            assert expression is not None
            assert row.data["answer"] == evaluate(expression)
            assert (row.parent, row.factor) == (parent.uid, FACTORS[kind])
            assert row.uid != parent.uid
            assert not held_out(expression)
            assert row.domain == parent.domain
            if kind == "numbers":
                assert (row.level, row.features) == (parent.level, parent.features)
    assert made > 400


def test_variants_of_sums_are_sums_of_the_asked_lengths() -> None:
    evaluation = {row.uid for row in heldout_sums(5)}
    for parent in sum_rows(200, [1, 0.8, 0.6, 0.45, 0.3]):
        plain = vary_sum(parent, "numbers", 0, 5)
        assert plain
        assert plain.level == parent.level
        longer = vary_sum(parent, "harder", 1, 5)
        assert longer is None or longer.features["digits"] == parent.features["digits"] + 1
        assert (longer is None) <= (parent.level == "5+5" or "5" in parent.level)
        shorter = vary_sum(parent, "easier", 1, 5)
        assert (shorter is None) == (parent.level == "1+1")
        made = filter(None, (plain, longer, shorter))
        assert not {row.uid for row in made} & evaluation
        assert vary_sum(parent, "paraphrase", 0) is None


def taskset() -> ArithmeticTaskset:
    return ArithmeticTaskset(ArithmeticTasksetConfig(size=200))


def maker(among: ArithmeticTaskset) -> Maker:
    filters = Filters(among, Evaluation.of(among, among.heldout_rows()))
    filters.add(among.rows())
    return Maker(among, filters, teacher=SymbolicTeacher(among.teacher()))


async def test_a_proposed_problem_becomes_the_environments_own_task() -> None:
    among = taskset()
    parent = next(row for row in among.rows() if row.domain == "addition" and row.level == "4")
    proposal = Proposal(parent.uid, "numbers", "What is 431 + 268?", 1.1)
    found = await maker(among).settle(parent, proposal)
    assert isinstance(found, Accepted)
    assert found.annotation == Annotation("699", model="arithmetic")
    task = among.task(found.row)
    assert (task.data.answer, task.data.prompt) == (
        699, "What is 431 + 268? Answer with the number only.",
    )  # fmt: skip
    assert (found.row.level, found.row.parent, found.row.factor) == ("4", parent.uid, 1.1)


async def test_no_variant_is_held_out_and_every_label_is_right() -> None:
    """Random questions, held-out ones among them, through the whole way."""
    among, rng = taskset(), random.Random(5)
    made, parents = maker(among), list(among.rows())
    evaluation = {row.data["expression"] for row in among.heldout_rows()}
    questions = [f"What is {text}?" for text in sorted(evaluation)[:100]]
    questions += [
        f"What is {write(rng.choice(FAMILIES).problem(rng.randrange(100)))}?" for _ in range(100)
    ]
    accepted = 0
    for question in questions:
        parent = rng.choice(parents)
        found = await made.settle(parent, Proposal(parent.uid, "numbers", question))
        if isinstance(found, Accepted):
            accepted += 1
            assert found.row.data["expression"] not in evaluation
            assert found.row.data["answer"] == evaluate(parse(found.row.data["expression"]) or 0)
        else:
            assert found.reason in ("no_task", "duplicate", "contaminated"), found
    assert 0 < accepted <= 100


async def test_an_answer_that_is_not_the_problems_makes_no_task() -> None:
    among = taskset()
    parent = next(iter(among.rows()))
    assert among.child(parent, "What is 431 + 268?", "700") is None
    assert among.child(parent, "What is 431 / 0?", "0") is None
    row = among.child(parent, "What is 431 + 268?", "699")
    assert row
    assert await among.augment_accepts(row)
    assert not await among.augment_accepts(replace(row, data={**row.data, "answer": 10**500}))
