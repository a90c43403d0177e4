"""Contamination: an index of half of the tasks; the other half, rewritten too, must stay clean."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from curriculum_env.errors import ConfigError
from curriculum_env.pool.contamination import Decontaminator
from tests.pool.labelled import FORMULAS, SHORT, SHORT_LOOKALIKES, TASKS, TRIED, Task

EVALUATION, CLEAN = TASKS[::2] + TRIED[::2], TASKS[1::2] + TRIED[1::2]
STOCK = (
    "The answer can be written as m/n, where m and n are relatively prime positive integers. "
    "Find m + n."
)


def variants(task: Task) -> Iterator[tuple[str, str, str]]:
    yield "exact", task.text, task.answer
    yield "paraphrase", task.paraphrase, task.answer
    yield "inside", f"Solve this with care. {task.text} Put it into a box.", task.answer
    if task.reordered:
        yield "reordered", task.reordered, task.answer
        yield "names", task.renamed(), task.answer
        yield "numbers", task.renumbered(), task.other_answer


@pytest.fixture(scope="module")
def index() -> Decontaminator:
    tasks = [(task.text, task.text, task.answer, "ours") for task in EVALUATION]
    tasks += [(latex, latex, None, "formulas") for latex, _ in FORMULAS]  # type: ignore[misc]
    tasks += [(text, text, answer, "short") for text, _, answer in SHORT]
    return Decontaminator.of(tasks)


def test_recall_and_precision(index: Decontaminator) -> None:
    planted = [(text, answer) for task in EVALUATION for _, text, answer in variants(task)]
    planted += [(other, None) for _, other in FORMULAS]  # type: ignore[misc]
    planted += [(other, answer) for _, other, answer in SHORT]
    clean = [(text, answer) for task in CLEAN for _, text, answer in variants(task)]
    clean += [(task.lookalike, task.lookalike_answer) for task in CLEAN]
    clean += SHORT_LOOKALIKES
    right = sum(index.match(text, answer) is not None for text, answer in planted)
    wrong = sum(index.match(text, answer) is not None for text, answer in clean)
    assert len(planted) >= 120
    assert len(clean) >= 120
    assert right / len(planted) >= 0.95
    assert right / (right + wrong) >= 0.95


@pytest.mark.parametrize("kind", ["exact", "inside", "reordered", "names"])
def test_recall_of_each_kind(index: Decontaminator, kind: str) -> None:
    texts = [text for task in EVALUATION for name, text, _ in variants(task) if name == kind]
    assert sum(index.match(text) is not None for text in texts) / len(texts) >= 0.95


def test_other_numbers_count_unless_they_shall_not() -> None:
    task = TASKS[0]
    long = "A baker bakes {} trays of {} buns and sells {} of them before the shop has opened."
    for templates in (True, False):
        index = Decontaminator.of([("a", long.format(4, 6, 8), "16", "s")], templates=templates)
        match = index.match(long.format(5, 7, 9), "26")
        assert (match is not None) == templates
        assert match is None or match.kind == "template"
        assert index.match(task.text) is None


def test_a_wrong_gold_answer_hides_nothing(index: Decontaminator) -> None:
    match = index.match(EVALUATION[0].reordered, "0")
    assert match is not None
    assert match.source == "ours"


def test_stock_phrases_prove_nothing() -> None:
    """Three evaluation tasks end alike; a fourth task that ends so gives none of them away."""
    beginnings = [
        "A fair die is rolled until a six shows; the chance that this takes an even number.",
        "Circles of radius 4 and 9 touch each other and a line; a third one fits between them.",
        "The expected number of fixed points of the square of a random permutation of 10 things.",
    ]
    index = Decontaminator.of(
        (str(i), f"{text} {STOCK}", None, "s") for i, text in enumerate(beginnings)
    )
    other = "A spider walks on the edges of a cube at random and returns after 7 steps or never."
    assert index.match(f"{other} {STOCK}") is None
    assert index.match(f"{beginnings[1]} {STOCK}") is not None
    assert index.match(beginnings[1]) is not None


def test_one_stock_phrase_is_enough_to_be_one() -> None:
    index = Decontaminator.of([("a", f"A fair die is rolled until a six shows. {STOCK}", None, "")])
    assert index.match(f"A spider walks at random on the edges of a cube. {STOCK}") is None


def test_a_task_of_many_sets_is_no_stock_phrase() -> None:
    text = TASKS[0].text
    index = Decontaminator.of((str(i), f"{text}{' Hint: none.' * i}", None, "s") for i in range(5))
    match = index.match(f"My teacher asked us the following thing in class today. {text} Tell me.")
    assert match is not None
    assert match.kind == "13-gram"


def test_a_short_task_inside_another_is_not_it() -> None:
    index = Decontaminator.of([("a", "What is the square root of 144?", "12", "s")])
    assert index.match("Answer briefly: what is the square root of 144?") is not None
    long = (
        "A field is a square whose area in square metres is twelve times the square root of 144. "
        "A fence with a gate that is three metres wide runs around it. How long is the fence?"
    )
    assert index.match(long) is None


def static_model(folder: Path) -> None:
    """A model2vec model on disk: a vector for each word, the same for words that mean the same."""
    from model2vec import StaticModel
    from tokenizers import Tokenizer, models, pre_tokenizers

    meanings = ["dog puppy hound", "sleeps naps", "on", "the", "sofa couch", "engine", "burns"]
    words = ["[UNK]", *(word for group in meanings for word in group.split())]
    tokenizer = Tokenizer(
        models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    vectors = np.zeros((len(words), len(meanings)), np.float32)
    for axis, group in enumerate(meanings):
        for word in group.split():
            vectors[words.index(word), axis] = 1.0
    StaticModel(vectors, tokenizer).save_pretrained(folder)


def test_neighbours_among_embeddings(tmp_path: Path) -> None:
    from curriculum_env.pool.embedding import Embeddings

    static_model(tmp_path)
    index = Decontaminator(embedder=Embeddings(str(tmp_path), 0.9))
    index.add("a", "the dog sleeps on the sofa", source="s")
    index.add("b", "the engine burns", source="s")
    match = index.match("the puppy naps on the couch")
    assert match is not None
    assert (match.uid, match.kind) == ("a", "embedding")
    assert match.score == pytest.approx(1.0)
    assert index.match("the puppy burns") is None
    assert index.match("unknown things alone") is None


def test_a_model_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    from curriculum_env.pool.embedding import Embeddings

    with pytest.raises(ConfigError, match=r"cannot be loaded.*model2vec"):
        Embeddings(str(tmp_path / "nowhere"), 0.9)
