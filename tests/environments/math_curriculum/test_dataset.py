from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TypeAlias

import pytest
from math_curriculum.dataset import Where, heldout_rows, train_rows

from curriculum_env import stream_rows
from curriculum_env.errors import CurriculumError
from tests.environments.math_curriculum.asking import SHIPPED, shipped

Records: TypeAlias = "list[dict[str, object]]"

SUMS: Records = [{"prompt": f"What is {n} + {n}?", "answer": str(2 * n)} for n in range(300)]


def write(path: Path, records: Records) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def uids(rows: object) -> set[str]:
    assert hasattr(rows, "__iter__")
    return {row.uid for row in rows}


def test_the_shipped_problems_are_distinct_and_on_every_level_of_every_domain() -> None:
    rows = shipped()
    assert len(rows) == len(uids(rows)) == 120
    assert set(Counter(row.bucket for row in rows).values()) == {4}
    assert {row.level for row in rows} == set("12345")
    assert {row.data["licence"] for row in rows} == {"MIT"}


def test_the_splits_share_no_question(tmp_path: Path) -> None:
    where = Where(write(tmp_path / "pool.jsonl", SUMS))
    train, heldout = train_rows(where), heldout_rows(where)
    assert len(train) + len(heldout) == 300
    assert 0.1 < len(heldout) / 300 < 0.3
    assert not uids(train) & uids(heldout)


def test_one_question_with_two_answers_stays_on_one_side(tmp_path: Path) -> None:
    other: Records = [{**record, "answer": "-1"} for record in SUMS]
    where = Where(write(tmp_path / "pool.jsonl", [*SUMS, *other]))
    questions = [{row.data["prompt"] for row in rows(where)} for rows in (train_rows, heldout_rows)]
    assert not questions[0] & questions[1]


def test_a_problem_stays_on_its_side_when_the_dataset_grows_or_is_sorted_anew(
    tmp_path: Path,
) -> None:
    some = Where(write(tmp_path / "some.jsonl", SUMS[:150]))
    more = Where(write(tmp_path / "more.jsonl", SUMS[::-1]))
    assert uids(train_rows(some)) < uids(train_rows(more))
    assert uids(heldout_rows(some)) < uids(heldout_rows(more))


def test_the_held_out_split_has_at_most_the_size_asked_for_and_the_rest_is_not_trained_on(
    tmp_path: Path,
) -> None:
    pool = write(tmp_path / "pool.jsonl", SUMS)
    whole, few = Where(pool), Where(pool, heldout_size=10)
    assert len(heldout_rows(few)) == 10
    assert uids(heldout_rows(few)) < uids(heldout_rows(whole))
    assert uids(train_rows(few)) == uids(train_rows(whole))


def test_a_pool_of_evaluation_problems_is_held_out_whole(tmp_path: Path) -> None:
    pool = write(tmp_path / "pool.jsonl", SUMS)
    test = write(tmp_path / "test.jsonl", [{**SUMS[3], "answer": "6.0"}, *SUMS[100:110]])
    where = Where(pool, heldout_pool=test)
    assert len(heldout_rows(where)) == 11
    left = {row.data["prompt"] for row in train_rows(where)}
    assert left == {str(record["prompt"]) for record in SUMS} - {
        row.data["prompt"] for row in heldout_rows(where)
    }


def test_repeated_problems_count_once(tmp_path: Path) -> None:
    where = Where(write(tmp_path / "pool.jsonl", [*SUMS, *SUMS]))
    assert len(train_rows(where)) + len(heldout_rows(where)) == 300


def test_answers_no_reply_can_be_compared_with_are_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    bad: Records = [{"prompt": f"What is it, {n}?", "answer": "$5 = 7$"} for n in range(3)]
    two: Records = [{"prompt": "How much is a half?", "answer": ["0.5", "$5 = 7$"]}]
    where = Where(write(tmp_path / "pool.jsonl", [*SUMS, *bad, *two]))
    rows = [*train_rows(where), *heldout_rows(where)]
    assert len(rows) == 301
    (half,) = [row for row in rows if "half" in row.data["prompt"]]
    assert half.data["answer"] == "0.5"
    assert "3 problems were left out" in caplog.text
    unchecked = where._replace(check_answers=False)
    assert len(train_rows(unchecked)) + len(heldout_rows(unchecked)) == 304


def test_columns_with_other_names_and_numbers_for_answers(tmp_path: Path) -> None:
    records: Records = [
        {"q": f"What is {n} + 1?", "a": {"value": n + 1}, "d": 2} for n in range(20)
    ]
    columns = (("answer", "a.value"), ("level", "d"), ("prompt", "q"))
    rows = [*train_rows(Where(write(tmp_path / "pool.jsonl", records), columns))]
    assert {row.level for row in rows} == {"2"}
    assert all(row.data["answer"].isdigit() for row in rows)


def test_the_pool_that_the_command_line_builds(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    from curriculum_env import StoredRows
    from curriculum_env.pool.table import batches, record_of, schema

    stored = StoredRows.spool(stream_rows(write(tmp_path / "raw.jsonl", SUMS)))
    with pq.ParquetWriter(tmp_path / "pool.parquet", schema()) as writer:
        for batch in batches(map(record_of, stored), schema()):
            writer.write_batch(batch)
    raw, built = (Where(str(tmp_path / name)) for name in ("raw.jsonl", "pool.parquet"))
    assert uids(train_rows(built)) == uids(train_rows(raw))
    assert uids(heldout_rows(built)) == uids(heldout_rows(raw))


def test_at_most_so_many_rows(tmp_path: Path) -> None:
    where = Where(write(tmp_path / "pool.jsonl", SUMS))
    assert len(train_rows(where, 7)) == 7


@pytest.mark.parametrize("pool", ["nosuch", "no/such/file.parquet"])
def test_a_pool_that_is_not_there(pool: str) -> None:
    with pytest.raises(CurriculumError, match=r"nosuch|file\.parquet"):
        train_rows(SHIPPED._replace(pool=pool))
