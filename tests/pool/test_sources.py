from __future__ import annotations

import csv
import gzip
import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curriculum_env.errors import ConfigError, PoolError
from curriculum_env.pool import PRESETS, load_rows, stream_rows
from curriculum_env.pool.sources import source_of
from tests.pool.schemas import PROBLEM, SECOND, write_dataset

RECORDS = [
    {"q": "What is 1+1, written out?", "gold": "two", "level": 1},
    {"q": 'A "quoted",\nbroken question?', "gold": "yes", "level": 2},
]
COLUMNS = {"prompt": "q", "answer": "gold", "level": "level"}


def as_jsonl(path: Path) -> None:
    path.write_text("\n\n".join(map(json.dumps, RECORDS)), encoding="utf-8")


def as_gzip(path: Path) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("\n".join(map(json.dumps, RECORDS)))


def as_json(path: Path) -> None:
    path.write_text("\ufeff" + json.dumps(RECORDS), encoding="utf-8")


def as_parquet(path: Path) -> None:
    pq.write_table(pa.Table.from_pylist(RECORDS), path)


def as_csv(path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, RECORDS[0], delimiter="\t" if ".tsv" in path.name else ",")
        writer.writeheader()
        writer.writerows(RECORDS)


WRITERS: dict[str, Callable[[Path], None]] = {
    "a.jsonl": as_jsonl, "a.ndjson": as_jsonl, "a.jsonl.gz": as_gzip, "a.json": as_json,
    "a.parquet": as_parquet, "a.csv": as_csv, "a.tsv": as_csv,
}  # fmt: skip


@pytest.mark.parametrize("name", WRITERS)
def test_every_kind_of_file_gives_the_same_rows(name: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path / name)
    rows = list(stream_rows(str(tmp_path / name), columns=COLUMNS))
    assert [row.data["prompt"] for row in rows] == [record["q"] for record in RECORDS]
    assert [row.data["answer"] for row in rows] == ["two", "yes"]
    assert [row.level for row in rows] == ["1", "2"]
    assert [row.uid for row in rows] == [row.uid for row in stream_rows(RECORDS, columns=COLUMNS)]


def test_a_pattern_names_many_files(tmp_path: Path) -> None:
    as_jsonl(tmp_path / "a.jsonl")
    (tmp_path / "b.jsonl").write_text('{"q": "What is the third one?", "gold": 3}')
    assert len(load_rows(str(tmp_path / "*.jsonl"), columns=COLUMNS)) == 3


@pytest.mark.parametrize("name", PRESETS)
def test_presets_read_their_schema_by_way_of_load_dataset(
    name: str, tmp_path: Path, cache: Path
) -> None:
    rows = load_rows(f"{name}={write_dataset(name, tmp_path / 'data')}")
    assert [row.data["prompt"] for row in rows] == [PROBLEM, SECOND]
    assert rows[0].data["answer"] == "14"
    assert rows[1].data["answer"] == {
        "gsm8k": "1008",
        "math": "\\frac{16}{2}",
        "skywork-or1": ["8", "2^3"],
    }.get(name, "8")
    assert all(row.data["licence"] == PRESETS[name].licence for row in rows)
    assert all(row.data["source"] and row.domain and row.data["fingerprint"] for row in rows)
    assert len(list(stream_rows(f"{name}={tmp_path / 'data'}"))) == 2 * max(
        1, len(PRESETS[name].configs)
    )
    assert cache.exists()


def test_what_datasets_tell_of_difficulty_is_kept(tmp_path: Path, cache: Path) -> None:
    def first(name: str) -> Any:
        return load_rows(f"{name}={write_dataset(name, tmp_path / name)}")[0]

    assert first("math").bucket == ("Prealgebra", "Level 1")
    assert first("math500").bucket == ("Prealgebra", "1")
    assert first("polaris").level == "7/8"
    skywork = first("skywork-or1")
    assert skywork.level == "3"
    assert skywork.features == {"difficulty_1.5B": 9, "difficulty_7B": 3, "difficulty_32B": 1}
    assert first("guru").features == {"pass_rate_7b": 0.75, "pass_rate_30b": 1.0}


def test_streaming_gives_the_same_rows(tmp_path: Path, cache: Path) -> None:
    text = f"gsm8k={write_dataset('gsm8k', tmp_path / 'data')}"
    mapped, streamed = (list(stream_rows(text, streaming=way)) for way in (False, True))
    assert mapped == streamed


def test_a_split_is_named_behind_the_place(tmp_path: Path, cache: Path) -> None:
    folder = write_dataset("math500", tmp_path / "data")
    columns = {"prompt": "problem", "answer": "answer"}
    assert len(load_rows(f"{folder}@test", columns=columns)) == 2
    with pytest.raises(PoolError, match="split train"):
        load_rows(str(folder), columns=columns)
    assert source_of("gsm8k@test").split == "test"
    assert source_of("owner/name@validation").data == "owner/name"


def test_an_unreachable_dataset_is_one_sentence(cache: Path) -> None:
    with pytest.raises(PoolError, match=r"owner/unknown-name-17.*cannot be loaded"):
        load_rows("owner/unknown-name-17")


def test_without_datasets_files_still_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    as_jsonl(tmp_path / "a.jsonl")
    assert len(load_rows(str(tmp_path / "a.jsonl"), columns=COLUMNS)) == 2
    with pytest.raises(ConfigError, match=r"curriculum-env\[datasets\]"):
        load_rows("gsm8k")


@pytest.mark.parametrize("text", ["gsm9k", "./nowhere", "a/b/c", "nofile.txt", "/etc/hostname"])
def test_what_is_no_source_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="is no source"):
        load_rows(text)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", b'{"q": 1}\n{broken', "line 2 of .* is no JSON"),
        ("a.jsonl", b"[1]", "expected a JSON object"),
        ("a.jsonl", b'{"q": "\xff"}', "cannot be read"),
        ("a.json", b"{}", "list of objects"),
        ("a.json", b"{", "no JSON"),
        ("a.parquet", b"PAR1 but not really", "cannot be read as parquet"),
        ("a.jsonl.gz", b"not gzip", "cannot be read"),
        ("a.csv", b'q,gold\n"open', "cannot be read as .csv"),
    ],
)
def test_broken_files_are_one_sentence(
    name: str, content: bytes, message: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(PoolError, match=message):
        list(stream_rows(str(tmp_path / name), columns=COLUMNS))


def test_no_file_and_no_rows(tmp_path: Path) -> None:
    with pytest.raises(PoolError, match="no file is at"):
        load_rows(str(tmp_path / "missing.jsonl"))
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(PoolError, match="holds no rows"):
        load_rows(str(tmp_path / "empty.jsonl"))
    with pytest.raises(PoolError, match="expected mappings"):
        load_rows([1])  # type: ignore[list-item]


def test_records_that_are_no_task_are_left_out_and_told(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    rows = load_rows([*RECORDS, {"q": "No gold, is there?"}], columns=COLUMNS)
    assert len(rows) == 2
    assert "1 of 3 records are no task" in caplog.text
    with pytest.raises(PoolError, match=r"none of the 2 records .*prompt at 'question'"):
        load_rows(RECORDS, columns={"prompt": "question"})
