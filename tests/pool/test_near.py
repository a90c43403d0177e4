"""Near duplicates: recall on rewritten tasks, precision on look-alikes, in one index of all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from curriculum_env.pool.near import NearIndex
from tests.pool.labelled import FORMULAS, SHORT, SHORT_LOOKALIKES, TASKS, TRIED, UNSEEN


class Pair(NamedTuple):
    kind: str
    original: str
    prompt: str
    answer: str | None


def rewritten() -> Iterator[Pair]:
    for task in TASKS:
        yield Pair("paraphrase", task.text, task.paraphrase, task.answer)
        yield Pair("reordered", task.text, task.reordered, task.answer)
        yield Pair("names", task.text, task.renamed(), task.answer)
    for task in TRIED:
        yield Pair("paraphrase", task.text, task.paraphrase, task.answer)
    for latex, other in FORMULAS:
        yield Pair("spelling", latex, other, None)
    for text, other, answer in SHORT:
        yield Pair("short", text, other, answer)


def lookalikes() -> Iterator[Pair]:
    for task in TASKS:
        yield Pair("numbers", task.text, task.renumbered(), task.other_answer)
    for task in (*TASKS, *TRIED, *UNSEEN):
        yield Pair("lookalike", task.text, task.lookalike, task.lookalike_answer)
    for (text, _, _), (other, answer) in zip(SHORT, SHORT_LOOKALIKES, strict=True):
        yield Pair("short", text, other, answer)


@pytest.fixture(scope="module")
def index() -> NearIndex:
    found = NearIndex()
    for task in (*TASKS, *TRIED, *UNSEEN):
        found.add(task.text, task.text, task.answer)
    for latex, _ in FORMULAS:
        found.add(latex, latex)
    for text, _, answer in SHORT:
        found.add(text, text, answer)
    return found


def found(index: NearIndex, pair: Pair, *, answers: bool = True) -> bool:
    match = index.match(pair.prompt, pair.answer if answers else None)
    return match is not None and match.uid == pair.original


def test_recall_and_precision(index: NearIndex) -> None:
    positives, negatives = list(rewritten()), list(lookalikes())
    right = sum(found(index, pair) for pair in positives)
    wrong = sum(index.match(pair.prompt, pair.answer) is not None for pair in negatives)
    assert len(positives) >= 110
    assert len(negatives) >= 95
    assert right / len(positives) >= 0.95
    assert right / (right + wrong) >= 0.95


@pytest.mark.parametrize("kind", ["reordered", "names", "spelling", "short"])
def test_recall_of_each_kind_but_paraphrases(index: NearIndex, kind: str) -> None:
    pairs = [pair for pair in rewritten() if pair.kind == kind]
    assert sum(found(index, pair) for pair in pairs) / len(pairs) >= 0.95


def test_recall_of_paraphrases_that_no_threshold_was_chosen_by(index: NearIndex) -> None:
    pairs = [Pair("", task.text, task.paraphrase, task.answer) for task in UNSEEN]
    assert sum(found(index, pair) for pair in pairs) / len(pairs) >= 0.8


def test_recall_where_answers_are_unknown(index: NearIndex) -> None:
    pairs = list(rewritten())
    assert sum(found(index, pair, answers=False) for pair in pairs) / len(pairs) >= 0.85


def test_other_numbers_are_another_task_even_where_answers_are_unknown(index: NearIndex) -> None:
    pairs = [pair for pair in lookalikes() if pair.kind == "numbers"]
    assert not [pair.prompt for pair in pairs if index.match(pair.prompt) is not None]


def test_the_same_prompt_is_exact_whatever_its_answer() -> None:
    index = NearIndex()
    index.add("a", "What is $\\frac12$ of 18?", "9")
    match = index.match("What is ½ of 18 ?", "8")
    assert match is not None
    assert (match.uid, match.kind, match.score) == ("a", "exact", 1.0)
    assert match.prompt == "What is $\\frac12$ of 18?"


def test_an_empty_index_and_odd_prompts() -> None:
    index = NearIndex()
    assert index.match("Anything?") is None
    for number, text in enumerate(["", "?", "7", "$$", "\\", "a"]):
        index.add(str(number), text)
    assert index.match("Nothing of that kind, is it?") is None
    assert len(index) == 6
