from __future__ import annotations

from collections.abc import Awaitable, Callable
from fractions import Fraction

import pytest

from curriculum_env.pool.audit import FRAMES, AuditReport, Subject, Tally, audit, readable_frames
from curriculum_env.pool.audit.auditing import NEIGHBOURS, cases
from curriculum_env.pool.audit.perturbed import differs, perturbed
from curriculum_env.pool.audit.probes import Case, probes
from curriculum_env.pool.audit.spellings import spellings
from curriculum_env.pool.audit.values import decimal, number_of
from curriculum_env.types import Row

GOLDS = [
    "144", "-7", "1200000", "0", "\\frac{3}{4}", "-1/3", "0.25", "$12$", "1,234",
    "B", "(c)", "Yes", "true", "Paris", "the red fox", "3\\sqrt{13}", "\\pi", "x^2+1",
    "(1, 2)", "[0, \\infty)", "\\text{odd}", "2^{99}", "50\\%", "",
]  # fmt: skip
ALONE = {"answer alone": FRAMES["answer alone"]}


def subject(number: int, gold: str, *others: str) -> Subject:
    return Subject(Row(f"row-{number}", {}), f"What is task {number}?", (gold, *others))


Rule = Callable[[Row, str], Awaitable[float]]


async def audited(rule: Rule, subjects: list[Subject]) -> AuditReport:
    tally = Tally(subjects)
    await audit(subjects, rule, ALONE, told=tally.add)
    return tally.report("a rule", list(ALONE))


@pytest.mark.parametrize("gold", GOLDS)
def test_a_spelling_of_a_number_has_its_value(gold: str) -> None:
    value = number_of(gold)
    written = spellings(gold)
    assert len(set(written.values())) == len(written)
    assert next(iter(written.values())) == gold.strip()
    for kind, text in written.items():
        if value is not None and "power of ten" not in kind:
            assert number_of(text.replace("\\dfrac", "\\frac")) == value, (kind, text)


def test_a_power_of_ten_has_the_value_too() -> None:
    for value in (1000, -250_000, 1_200_000, 7 * 10**9):
        mantissa, _, power = spellings(str(value))["power of ten"].partition(" \\times 10^")
        assert Fraction(mantissa) * 10 ** int(power.strip("{}")) == value


@pytest.mark.parametrize("gold", GOLDS)
def test_what_was_perturbed_is_another_answer(gold: str) -> None:
    wrong = perturbed([gold])
    assert all(text.strip() for text in wrong.values())
    for text in wrong.values():
        assert text != gold
        assert number_of(gold) is None or number_of(text) != number_of(gold)
    assert wrong or not gold


def test_what_was_perturbed_is_none_of_the_other_accepted_answers() -> None:
    assert "one more" in perturbed(["7"])
    assert "one more" not in perturbed(["7", "8.0"])


def test_golds_of_neighbours_are_surely_wrong() -> None:
    assert differs("2", ["1"])
    assert differs("Paris", ["Rome"])
    assert not differs("0.50", ["\\frac{1}{2}"])
    assert not differs("paris", ["Paris"])
    assert not differs("2\\sqrt{2}", ["\\sqrt{8}"])
    assert not differs("1", ["2", "1.0"])
    found = list(cases([subject(i, str(i % 3)) for i in range(9)]))
    assert all(len(case.neighbours) == NEIGHBOURS for case in found)
    assert all(case.golds[0] not in case.neighbours for case in found)


def test_decimals_end_or_are_none() -> None:
    assert decimal(Fraction(-5, 4)) == "-1.25"
    assert decimal(Fraction(1, 3)) is None
    assert decimal(Fraction(2)) == "2"


@pytest.mark.parametrize("gold", [gold for gold in GOLDS if gold])
def test_no_reply_is_put_twice_or_expected_both_ways(gold: str) -> None:
    case = Case("What is it?", [gold], ["12345"])
    found = list(probes(case, FRAMES))
    replies = [probe.reply for probe in found]
    assert len(set(replies)) == len(replies)
    kinds = {probe.kind for probe in found if not probe.accept}
    wanted = {"empty", "refusal", "echo of the prompt", "two answers: hedged", "gold denied"}
    assert wanted | {"gold inside a wrong sentence", "neighbour's gold: boxed"} <= kinds
    assert any(kind.startswith("perturbed") for kind in kinds)


def test_every_option_is_listed_where_the_gold_is_one() -> None:
    kinds = {probe.kind for probe in probes(Case("?", ["B"]), FRAMES)}
    assert {"every option listed", "every option boxed"} <= kinds


async def test_a_right_rubric_has_no_wrong_verdict() -> None:
    subjects = [subject(i, str(10 * i + 3)) for i in range(8)]
    golds = {one.row.uid: one.golds[0] for one in subjects}

    async def rule(row: Row, reply: str) -> float:
        text = reply.replace("\\,", "").replace("{,}", "").strip("$")
        return float(number_of(text) == Fraction(golds[row.uid]))

    report = await audited(rule, subjects)
    assert (report.false_accepts, report.false_rejects, report.unsolvable) == (0, 0, 0)
    assert report.suspects == ()
    assert report.bad > report.good > 8


async def test_a_rubric_that_finds_the_gold_anywhere_is_found_out() -> None:
    subjects = [subject(i, str(10 * i + 3)) for i in range(8)]
    golds = {one.row.uid: one.golds[0] for one in subjects}

    async def rule(row: Row, reply: str) -> float:
        return float(golds[row.uid] in reply)

    report = await audited(rule, subjects)
    wrong = {kind.kind for kind in report.kinds if not kind.accept and kind.wrong}
    assert {"gold inside a wrong sentence", "gold denied", "two answers: hedged"} <= wrong
    assert not wrong & {"empty", "refusal", "white space"}
    assert report.suspects[0].false_accepts >= report.suspects[-1].false_accepts > 0


async def test_a_rubric_that_accepts_or_rejects_everything_is_found_out() -> None:
    subjects = [subject(i, str(i)) for i in range(3)]

    async def always(row: Row, reply: str) -> float:
        return 1.0

    async def never(row: Row, reply: str) -> float:
        return 0.0

    generous, strict = await audited(always, subjects), await audited(never, subjects)
    assert (generous.false_accepts, generous.false_rejects) == (generous.bad, 0)
    assert (strict.false_accepts, strict.false_rejects) == (0, strict.good)
    assert (generous.unsolvable, strict.unsolvable) == (0, 3)
    assert [suspect.unsolvable for suspect in strict.suspects] == [True] * 3


async def test_a_wrong_gold_is_the_worst_task() -> None:
    subjects = [subject(i, str(i + 5)) for i in range(6)]

    async def rule(row: Row, reply: str) -> float:
        right = "999" if row.uid == "row-2" else str(int(row.uid[4:]) + 5)
        return float(reply.strip("$").replace(".0", "") == right)

    report = await audited(rule, subjects)
    assert report.unsolvable == 1
    assert report.suspects[0].uid == "row-2"


async def test_a_rubric_that_raises_is_neither_right_nor_wrong() -> None:
    async def rule(row: Row, reply: str) -> float:
        if not reply.strip():
            raise ZeroDivisionError("empty")
        return 0.0

    report = await audited(rule, [subject(0, "7")])
    assert report.failed == 2
    assert report.errors == (("ZeroDivisionError: empty", 2),)
    empty = next(kind for kind in report.kinds if kind.kind == "empty")
    assert (empty.ruled, empty.wrong, empty.failed) == (0, 0, 1)


async def test_the_ways_in_which_a_rubric_reads_answers_are_found() -> None:
    async def rule(row: Row, reply: str) -> float:
        return float("boxed{7}" in reply)

    frames = await readable_frames([subject(0, "7")], rule, FRAMES, 0.5)
    assert set(frames) == {"boxed", "boxed in a sentence", "boxed after reasoning"}
