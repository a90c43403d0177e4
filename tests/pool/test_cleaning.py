"""A whole build: what goes and why, and that neither processes, engines nor accidents matter."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from curriculum_env.errors import ConfigError, PoolError
from curriculum_env.pool import load_rows, stream_rows
from curriculum_env.pool.cleaning import BuildReport, BuildSettings, build_pool
from curriculum_env.pool.cleaning.report import REASONS
from curriculum_env.pool.near import NearIndex
from tests.pool.building import lines, numbered, same, write
from tests.pool.labelled import TASKS
from tests.pool.test_contamination import static_model

CHINESE = "一个苹果三元, 小明买了五个苹果, 一共要付多少元?"
HOSTILE = "Is `<script>alert(1)</script>` | a ``` fence\n# of some kind, number 9?"


def messy() -> list[dict[str, Any]]:
    """Every task in four ways, and one record of each further kind."""
    rewritten = [
        {"prompt": text, "answer": task.answer, "topic": "math"}
        for task in TASKS
        for text in (task.text, f" {task.text.upper()}", task.reordered, task.paraphrase)
    ]
    return [
        *rewritten,
        *(
            {"prompt": task.renumbered(), "answer": task.other_answer, "topic": "math"}
            for task in TASKS
        ),
        {"prompt": "How many apples are there in a full box?", "answer": 1},
        {"prompt": "how many apples are  there in a full box ?", "answer": "2"},
        {"prompt": "How many pears are there in half a box?", "answer": 0.5},
        {"prompt": "How many pears are there in half a box?", "answer": "\\frac{1}{2}"},
        {"prompt": "Too few", "answer": 1},
        {"prompt": None, "answer": 1},
        {"prompt": "Is there no answer to this question?", "answer": None},
        {"prompt": CHINESE, "answer": 15},
        {"prompt": HOSTILE, "answer": []},
    ]


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> BuildSettings:
    folder = tmp_path_factory.mktemp("sources")
    evaluation = ({"prompt": task.text, "answer": task.answer} for task in TASKS[:5])
    return BuildSettings(
        sources=(write(folder / "messy.jsonl", messy()),),
        against=(write(folder / "evaluation.jsonl", evaluation),),
        columns=("domain=topic",),
        languages=("en",),
    )


@pytest.fixture(scope="module")
def built(settings: BuildSettings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pool")
    build_pool(settings, folder, processes=2)
    return folder


def test_every_record_is_kept_or_quarantined_with_its_reason(built: Path) -> None:
    quarantine = lines(built / "quarantine.parquet")
    kept = lines(built / "pool.parquet")
    assert len(kept) + len(quarantine) == len(messy())
    by_reason: dict[str, list[dict[str, Any]]] = {}
    for line in quarantine:
        by_reason.setdefault(line["reason"], []).append(line)
    assert set(by_reason) == set(REASONS)
    assert {json.loads(line["record"])["answer"] for line in by_reason["invalid"][:2]} == {1, None}
    assert [line["detail"] for line in by_reason["language"]] == ["zh"]
    assert [line["detail"] for line in by_reason["length"]] == ["7 characters"]
    first, second = by_reason["contradiction"]
    assert (first["match_uid"], second["match_uid"]) == (second["uid"], first["uid"])
    assert first["detail"] == "1 against 2"
    contaminated = by_reason["contamination"]
    assert len(contaminated) >= 0.9 * 5 * 5
    assert {line["match_prompt"] for line in contaminated} <= {task.text for task in TASKS[:5]}
    texts = {line["prompt"] for line in kept}
    assert {task.text for task in TASKS[5:]} <= texts
    assert {task.renumbered() for task in TASKS[5:]} <= texts
    uids = {line["uid"] for line in kept}
    pairs = by_reason["duplicate"] + by_reason["near-duplicate"]
    assert {line["match_uid"] for line in pairs} <= uids
    assert len([line for line in by_reason["near-duplicate"] if line["score"] < 1]) >= 20


def test_the_pool_is_a_source(built: Path, tmp_path: Path) -> None:
    rows = load_rows(str(built / "pool.parquet"))
    assert rows[0].domain == "math"
    assert rows[0].data["source"] == "messy"
    assert rows[0].data["fingerprint"]
    again = build_pool(
        BuildSettings((str(built / "pool.parquet"),)), tmp_path / "again", processes=1
    )
    assert again.kept == len(rows)
    assert list(load_rows(str(tmp_path / "again" / "pool.parquet"))) == list(rows)


def test_the_report_counts_what_the_files_hold(built: Path) -> None:
    told = json.loads((built / "report.json").read_text())
    quarantine = lines(built / "quarantine.parquet")
    assert told["records"] == len(messy())
    assert told["kept"] == pq.read_metadata(built / "pool.parquet").num_rows
    assert sum(told["reasons"].values()) == len(quarantine)
    assert list(told["reasons"]) == [reason for reason in REASONS if reason in told["reasons"]]
    assert sum(told["buckets"].values()) == told["kept"]
    assert sum(told["matched"].values()) == told["reasons"]["contamination"]
    assert all(len(examples) <= 3 for examples in told["examples"].values())
    assert BuildReport.from_json(told).as_json() == told
    page = (built / "report.md").read_text()
    assert all(f"| {reason}: " in page for reason in told["reasons"])


def test_text_of_a_dataset_stays_text_in_the_report(built: Path) -> None:
    page = (built / "report.md").read_text().splitlines()
    (line,) = [line for line in page if "<script>" in line]
    assert line.rstrip().endswith("````")
    assert not any(line.startswith("# of") for line in page)


@pytest.mark.parametrize("processes", [1, 3])
def test_the_number_of_processes_does_not_matter(
    processes: int, settings: BuildSettings, built: Path, tmp_path: Path
) -> None:
    build_pool(settings, tmp_path, processes=processes)
    assert same(tmp_path, built)
    assert not (tmp_path / ".curriculum-env-build").exists()


def test_datatrove_gives_the_same(settings: BuildSettings, built: Path, tmp_path: Path) -> None:
    from curriculum_env.pool.cleaning.trove import build_with_datatrove

    report = build_with_datatrove(settings, tmp_path, tasks=3, processes=1)
    assert report is not None
    assert same(tmp_path, built)
    again = build_with_datatrove(settings, tmp_path, tasks=2, processes=1)
    assert again is not None
    assert same(tmp_path, built)


def test_datatrove_passes_its_executors_options_on(settings: BuildSettings, tmp_path: Path) -> None:
    from curriculum_env.pool.cleaning.trove import build_with_datatrove, options_of

    assert options_of(["time=02:00:00", "cpus_per_task=2"]) == {
        "time": "02:00:00", "cpus_per_task": 2,
    }  # fmt: skip
    with pytest.raises(ConfigError, match="NAME=VALUE"):
        options_of(["time"])
    with pytest.raises(ConfigError, match="LocalPipelineExecutor refuses"):
        build_with_datatrove(settings, tmp_path, options={"partition": "cpu"}, processes=1)


def test_slurm_gets_one_job_per_step(
    settings: BuildSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in for the cluster's `sbatch` notes what it is given and answers with a job id."""
    from curriculum_env.pool.cleaning.trove import build_with_datatrove

    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "sbatch").write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/jobs\necho "Submitted batch job $$"\n'
    )
    (programs / "sbatch").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    options = {"time": "01:00:00", "partition": "cpu"}
    done = build_with_datatrove(
        settings, tmp_path / "out", executor="slurm", options=options, tasks=2, processes=1
    )
    assert done is None
    jobs = (tmp_path / "jobs").read_text().splitlines()
    assert sum("RUN_OFFSET" in job for job in jobs) == 4
    assert sum("RUN_OFFSET" in job and "afterok" in job for job in jobs) == 3


def test_all_at_once_finds_what_one_at_a_time_finds(tmp_path: Path) -> None:
    """The sorted arrays of a build and `NearIndex` are two ways to one answer."""
    records = messy()[: 5 * len(TASKS)] + numbered(300)
    build_pool(
        BuildSettings((write(tmp_path / "a.jsonl", records),)), tmp_path / "out", processes=1
    )
    index, clean = NearIndex(), []
    for row in stream_rows(records):
        prompt, answer = row.data["prompt"], row.data["answer"]
        if index.match(prompt, answer) is None:
            clean.append(row.uid)
        index.add(row.uid, prompt, answer)
    assert [row.uid for row in load_rows(str(tmp_path / "out" / "pool.parquet"))] == clean


def test_without_near_duplicates_only_exact_ones_go(tmp_path: Path) -> None:
    source = write(tmp_path / "a.jsonl", messy())
    report = build_pool(BuildSettings((source,), near=False), tmp_path / "out", processes=1)
    assert "near-duplicate" not in report.reasons
    assert report.reasons["duplicate"] >= len(TASKS)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"sources": ()}, "no source"),
        ({"sources": ("a.jsonl",), "min_chars": 9, "max_chars": 8}, "min_chars <= max_chars"),
        ({"sources": ("nothing",)}, "is no source"),
        ({"sources": ("a.jsonl",), "against": ("nothing",)}, "is no source"),
        ({"sources": ("a.jsonl",), "languages": ("xx",)}, "no language"),
        ({"sources": ("a.jsonl",), "preset": "gsm9k"}, "no preset"),
        ({"sources": ("a.jsonl",), "columns": ("x",)}, "PART=PATH"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        BuildSettings(**settings)


def test_an_evaluation_set_without_tasks_is_refused(tmp_path: Path) -> None:
    source = write(tmp_path / "a.jsonl", numbered(5))
    (tmp_path / "none.jsonl").touch()
    settings = BuildSettings((source,), against=(str(tmp_path / "none.jsonl"),))
    with pytest.raises(PoolError, match="holds no task"):
        build_pool(settings, tmp_path / "out", processes=1)


def test_records_that_hold_anything(tmp_path: Path) -> None:
    odd: list[dict[str, Any]] = [
        {"prompt": "Half a character \ud800 in a prompt?", "answer": 1},
        {"prompt": "Half a character in what comes along?", "answer": 1, "more": ["\udfff"]},
        {"prompt": "A very long number, what is it?", "answer": "9" * 5000},
        {"prompt": "A number of many digits?", "answer": int("9" * 400)},
        {"prompt": "No number, is it? " * 3, "answer": float("nan")},
        {"prompt": "An answer of ten thousand words? Yes.", "answer": "word " * 10_000},
        {"prompt": "$" * 9000 + "\\(" * 5000, "answer": "\\frac{" * 5000},
        {"prompt": {"deep": [1]}, "answer": {"deep": {}}},
        {"prompt": [{"role": "user", "content": "Hi there, what is 4+4?"}] * 3, "answer": [8, 8]},
    ]
    settings = BuildSettings(
        (write(tmp_path / "odd.jsonl", odd),), columns=("extra.more=more",), languages=("en",)
    )
    report = build_pool(settings, tmp_path / "out", processes=1)
    assert report.reasons["invalid"] == 3
    assert report.kept == 6
    assert len(load_rows(str(tmp_path / "out" / "pool.parquet"))) == 6
    assert load_rows(str(tmp_path / "out" / "pool.parquet"))[0].data["more"] == ["\udfff"]


def test_a_folder_that_was_there_stays(tmp_path: Path) -> None:
    (tmp_path / "out" / "work").mkdir(parents=True)
    (tmp_path / "out" / "work" / "mine.txt").touch()
    build_pool(
        BuildSettings((write(tmp_path / "a.jsonl", numbered(3)),)), tmp_path / "out", processes=1
    )
    assert (tmp_path / "out" / "work" / "mine.txt").exists()


def test_evaluation_sets_may_have_columns_of_their_own(tmp_path: Path) -> None:
    evaluation = write(tmp_path / "e.jsonl", [{"q": TASKS[0].text, "a": TASKS[0].answer}])
    source = write(tmp_path / "a.jsonl", [{"prompt": TASKS[0].text, "answer": "150"}])
    settings = BuildSettings(
        (source,), against=(evaluation,), against_columns=("prompt=q", "answer=a")
    )
    assert build_pool(settings, tmp_path / "out", processes=1).matched == {evaluation: 1}


def test_embeddings_by_setting(tmp_path: Path) -> None:
    static_model(tmp_path / "model")
    evaluation = write(
        tmp_path / "e.jsonl", [{"prompt": "the dog sleeps on the sofa", "answer": 1}]
    )
    told = ("the puppy naps on the couch", "the engine burns")
    source = write(tmp_path / "a.jsonl", ({"prompt": text, "answer": 2} for text in told))
    settings = BuildSettings(
        (source,), against=(evaluation,), embedding=0.9, embedder=str(tmp_path / "model")
    )
    report = build_pool(settings, tmp_path / "out", processes=1)
    assert report.details == {"contamination: embedding": 1}
    assert report.kept == 1


def test_answers_contradict_only_if_none_is_accepted_by_all(tmp_path: Path) -> None:
    records: list[dict[str, Any]] = [
        {"prompt": "What is two to the third power?", "answer": ["8", "2^3"]},
        {"prompt": "What is two to the third power?", "answer": "8.0"},
        {"prompt": "What is three to the second power?", "answer": ["9", "nine"]},
        {"prompt": "What is three to the second power?", "answer": ["nine", "neun"]},
        {"prompt": "What is three to the second power?", "answer": ["9", "6"]},
    ]
    report = build_pool(
        BuildSettings((write(tmp_path / "a.jsonl", records),)), tmp_path / "out", processes=1
    )
    assert report.reasons == {"duplicate": 1, "contradiction": 3}
    third = lines(tmp_path / "out" / "quarantine.parquet")[2]
    assert third["detail"] == "neun | nine against 6 | 9"


def test_nothing_but_junk_is_an_empty_pool(tmp_path: Path) -> None:
    report = build_pool(
        BuildSettings((write(tmp_path / "a.jsonl", [{"x": 1}] * 3),)), tmp_path / "out", processes=1
    )
    assert (report.kept, report.records) == (0, 3)
    assert len(lines(tmp_path / "out" / "quarantine.parquet")) == 3
