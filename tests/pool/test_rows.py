from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from curriculum_env import Curriculum, CurriculumConfig
from curriculum_env.errors import PoolError
from curriculum_env.pool import StoredRows, load_rows, stream_rows
from curriculum_env.pool.table import KEY, read_rows, record_of, schema
from curriculum_env.types import Row

RECORDS: list[dict[str, Any]] = [
    {"prompt": f"Question {i} of many?", "answer": [i, f"no. {i}"], "rate": i / 7, "topic": "t",
     "tests": {"in": [i]}}
    for i in range(50)
]  # fmt: skip
COLUMNS = {"features.rate": "rate", "extra.tests": "tests", "domain": "topic"}


def test_stored_rows_are_those_that_were_streamed() -> None:
    stored = load_rows(RECORDS, columns=COLUMNS)
    streamed = list(stream_rows(RECORDS, columns=COLUMNS))
    assert list(stored) == streamed
    assert [stored[i] for i in range(50)] == streamed
    assert stored[-1] == streamed[-1]
    assert stored[3:9:2] == streamed[3:9:2]
    with pytest.raises(IndexError):
        stored[50]
    data = stored[7].data
    assert dict(data) == streamed[7].data
    assert {**data}["tests"] == {"in": [7]}
    assert json.dumps(dict(data)) == json.dumps(dict(streamed[7].data))
    assert repr(data) == repr(streamed[7].data)
    assert len(data) == len(streamed[7].data)


def test_a_stored_row_can_be_sent_to_another_process() -> None:
    data = load_rows(RECORDS, columns=COLUMNS)[1].data
    assert pickle.loads(pickle.dumps(data)) == dict(data)  # noqa: S301


def test_the_first_of_equal_tasks_is_kept_and_no_more_than_asked() -> None:
    again = [*RECORDS, *RECORDS]
    assert len(list(stream_rows(again))) == 100
    assert len(load_rows(again)) == 50
    assert len(load_rows(again, limit=20)) == 20


def test_the_same_task_of_two_sources_has_one_uid() -> None:
    text, chat = stream_rows(
        [
            {"prompt": "How many legs?", "answer": 4.0},
            {"prompt": [{"role": "user", "content": "How many legs?"}], "answer": ["4"]},
        ]
    )
    assert text.uid == chat.uid


def test_a_curriculum_draws_from_stored_rows() -> None:
    with Curriculum(load_rows(RECORDS), CurriculumConfig(group_size=2)) as curriculum:
        uid = curriculum.ask().uid
        assert curriculum.row(uid).data["prompt"].startswith("Question")


def write(path: Path, rows: list[Row], form: bytes = b"1") -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pylist([record_of(row) for row in rows], schema=schema())
    pq.write_table(table.replace_schema_metadata({KEY: form}), path)


def test_a_pool_file_keeps_rows_whole(tmp_path: Path) -> None:
    chat = [{"role": "system", "content": "Short."}, {"role": "user", "content": "And so?"}]
    rows = [
        Row("a", {"prompt": chat, "answer": ["1", "2"], "source": "s", "licence": "l",
                  "fingerprint": "f", "tests": [1]}, "d", "3", {"x": 1.5}, 3.0, 8.0),
        *stream_rows(RECORDS, columns=COLUMNS),
    ]  # fmt: skip
    write(tmp_path / "pool.parquet", rows)
    assert list(read_rows(tmp_path / "pool.parquet")) == rows
    assert list(stream_rows(str(tmp_path / "pool.parquet"))) == rows
    assert list(load_rows(str(tmp_path / "pool.parquet"))) == rows


def test_a_pool_of_a_later_version_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "pool.parquet", list(stream_rows(RECORDS)), b"99")
    with pytest.raises(PoolError, match="format '99'"):
        load_rows(str(tmp_path / "pool.parquet"))


def test_a_temporary_folder_without_room_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    with pytest.raises(PoolError, match="TMPDIR"):
        load_rows(RECORDS)


def test_no_rows_are_an_empty_sequence() -> None:
    assert list(StoredRows.spool([])) == []
