from __future__ import annotations

import json

import pytest

from curriculum_env.rubrics.math import GoldProblem, MathChecker, check_golds
from tests.docs.markdown import ROOT

USABLE = [
    "5", "-3", "0.5", r"\frac{1}{2}", r"$\frac{1}{2}$", r"3\sqrt{13}", "12,345", "x^2+1", "x=5",
    "(1,2)", r"[1,\infty)", r"\{1,2\}", "1, 2, 3", "A", "(B)", r"\text{(C)}", "Yes", "May 5",
    r"\text{no solution}", "3:30", "3:4", r"60^\circ", r"5\text{ cm}", r"\$12.50", r"25\%",
    r"1011_2", r"\begin{pmatrix}1\\2\end{pmatrix}", r"\emptyset", r"\mathbb{R}", r"\infty",
    r"1,2,\ldots,n", r"]0,1[", "y = 2x + 3", "x > 3", r"f(x) = x^2", r"2+3=5", "2^{100}",
    r"\pm\sqrt{3}", "n!", r"\frac{1}{2004!}", "Evelyn", r"\boxed{5}", "5 apples", "10 m/s",
]  # fmt: skip

UNUSABLE = [
    ("", "empty"),
    ("  ", "empty"),
    ("$$", "empty"),
    (r"9^{9^{9^9}}", "large"),
    ("(10^9)!", "large"),
    ("7" * 5_000, "large"),
    (r"\frac{1}{2", "brackets"),
    ("(1, 2", "brackets"),
    ("5=7", "different values"),
    (r"2+3=6", "different values"),
    ("We add two and three and then we see that the sum of both is five", "sentence"),
    ("???", "cannot be read"),
    (r"\frac{}{}", "cannot be read"),
    ("#### 5", "cannot be read"),
]


@pytest.mark.parametrize("gold", USABLE)
def test_usable(checker: MathChecker, gold: str) -> None:
    assert checker.check_golds([gold]) == []
    assert checker.verify_sync(gold, f"\\boxed{{{gold.strip('$')}}}")


@pytest.mark.parametrize(("gold", "reason"), UNUSABLE)
def test_unusable(checker: MathChecker, gold: str, reason: str) -> None:
    (problem,) = checker.check_golds([gold])
    assert reason in problem.reason
    assert (problem.index, problem.gold) == (0, gold)


def test_each_is_told_with_its_place(checker: MathChecker) -> None:
    golds: list[str | int | float] = ["1", "", *map(str, range(600)), "5=7", 3, 2.5]
    assert checker.check_golds(golds) == [
        GoldProblem(1, "", "is empty"),
        GoldProblem(602, "5=7", "is an equation between different values"),
    ]


def test_numbers_may_be_golds() -> None:
    assert check_golds([3, 2.5]) == []


def test_every_labelled_gold_is_usable(checker: MathChecker) -> None:
    pairs = json.loads((ROOT / "benchmarks" / "math_pairs.json").read_text())
    assert checker.check_golds(dict.fromkeys(pair["gold"] for pair in pairs)) == []
