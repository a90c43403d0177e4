from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli, refused

LINES = [
    {"prompt": "What is 12 times 12?", "answer": "144"},
    {"prompt": "What is 1/2 + 1/4?", "answer": "\\frac{3}{4}"},
    {"prompt": "Which letter? A, B, C, D", "answer": "B"},
    {"prompt": "The capital of | France | <b>`?", "answer": "Paris"},
]


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    path = tmp_path / "pool.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES))
    return path


def report(folder: Path) -> dict[str, Any]:
    summary: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return summary


def test_exact_match_rejects_what_is_spelled_otherwise(
    cli: Cli, pool: Path, tmp_path: Path
) -> None:
    done = cli("pool", "audit", pool, "--rubric=exact", "-o", tmp_path / "audit")
    assert (done.code, done.err) == (0, "")
    summary = report(tmp_path / "audit")
    assert (summary["tasks"], summary["false_accepts"], summary["unsolvable"]) == (4, 0, 0)
    rejected = {kind["kind"] for kind in summary["kinds"] if kind["accept"] and kind["wrong"]}
    assert "spelling: display fraction" in rejected
    assert "spelling: display fraction" in done.out
    page = (tmp_path / "audit" / "report.md").read_text()
    assert "Right replies rejected" in page


def test_the_math_rubric_reads_every_spelling(cli: Cli, pool: Path, tmp_path: Path) -> None:
    done = cli("pool", "audit", pool, "-o", tmp_path)
    assert (done.code, done.err) == (0, "")
    summary = report(tmp_path)
    assert summary["false_rejects"] == summary["failed"] == summary["unsolvable"] == 0
    plain = {"empty", "white space", "refusal", "echo of the prompt", "gold denied"}
    wrong = {kind["kind"] for kind in summary["kinds"] if not kind["accept"] and kind["wrong"]}
    assert not wrong & plain
    assert not any(kind.startswith(("perturbed", "neighbour")) for kind in wrong)


def test_a_taskset_is_audited_by_its_own_scoring(cli: Cli, tmp_path: Path) -> None:
    flags = ["--set=taskset.size=24", "--sample=12", "--worst=3"]
    done = cli("pool", "audit", "--taskset=arithmetic-curriculum", *flags, "-o", tmp_path)
    assert (done.code, done.err) == (0, "")
    summary = report(tmp_path)
    assert (summary["tasks"], summary["failed"], summary["unsolvable"]) == (12, 0, 0)
    assert "boxed" in summary["frames"]
    assert summary["false_rejects"] == 0
    kinds = {kind["kind"]: kind for kind in summary["kinds"]}
    assert kinds["perturbed: one more"]["wrong"] == kinds["echo of the prompt"]["wrong"] == 0


def test_a_plain_taskset_whose_gold_has_another_name(cli: Cli, tmp_path: Path) -> None:
    audit = ("pool", "audit", "--taskset=finite-words")
    refused(cli(*audit, "-o", tmp_path), "no answer or gold", "--gold", "word")
    done = cli(*audit, "--gold=word", "--reply={answer}!", "-o", tmp_path)
    assert done.code == 0
    assert report(tmp_path)["unsolvable"] == 6  # it wants the reply `right`


def test_a_reward_that_needs_more_than_a_reply_is_told(cli: Cli, tmp_path: Path) -> None:
    done = cli("pool", "audit", "--taskset=ungraded", "--gold=prompt", "-o", tmp_path)
    assert done.code == 0
    summary = report(tmp_path)
    assert summary["failed"] == summary["probes"]
    assert "no reward of this task" in summary["errors"][0][0]


def test_a_sample_is_the_same_each_time(cli: Cli, pool: Path, tmp_path: Path) -> None:
    pool.write_text(
        "".join(json.dumps({"prompt": f"Task {i}?", "answer": i}) + "\n" for i in range(40))
    )
    for folder in ("one", "two"):
        flags = ["--rubric=exact", "--sample=5", "-o", tmp_path / folder]
        assert cli("pool", "audit", pool, *flags).code == 0
    one, two = report(tmp_path / "one"), report(tmp_path / "two")
    assert one["tasks"] == 5
    assert [s["uid"] for s in one["suspects"]] == [s["uid"] for s in two["suspects"]]


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--rubric=nonsense"], ["math or exact"]),
        (["--reply=The answer"], ["{answer}"]),
        (["--taskset=coins"], ["not both"]),
    ],
)
def test_what_cannot_be_is_told(cli: Cli, pool: Path, flags: list[str], words: list[str]) -> None:
    refused(cli("pool", "audit", pool, *flags), *words)


def test_a_pool_that_is_not_there_is_told(cli: Cli, tmp_path: Path) -> None:
    refused(cli("pool", "audit", tmp_path / "missing.parquet"), "missing.parquet")
    refused(cli("pool", "audit"), "name what to audit")
