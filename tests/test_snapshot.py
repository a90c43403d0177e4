from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from curriculum_env import Curriculum, CurriculumConfig, Outcome, Row
from curriculum_env.errors import StateError
from curriculum_env.estimators import BetaConfig
from curriculum_env.snapshot import COLUMNS, sidecar_path, write_snapshot


@pytest.fixture
def curriculum() -> Curriculum:
    rows = [Row(f"row-{index}", {}, domain="d", level=str(index)) for index in range(5)]
    return Curriculum(rows, CurriculumConfig(group_size=2, estimator=BetaConfig()))


def test_every_row_is_written_with_what_is_believed_of_it(
    curriculum: Curriculum, tmp_path: Path
) -> None:
    draw = curriculum.ask()
    for index in range(2):
        curriculum.tell(Outcome(draw.number, draw.uid, f"r{index}", 1.0))
    path = tmp_path / "beliefs.parquet"
    assert write_snapshot(curriculum, path, {draw.uid: 7}) == 5
    table = pq.read_table(path)
    assert tuple(table.column_names) == COLUMNS
    by_uid = {row["uid"]: row for row in table.to_pylist()}
    assert by_uid[draw.uid]["mean"] == pytest.approx(0.75, abs=0.01)
    assert by_uid[draw.uid]["evidence"] == pytest.approx(2.0, abs=0.05)
    assert by_uid[draw.uid]["rollouts"] == 7
    assert (by_uid[draw.uid]["visits"], by_uid[draw.uid]["last_draw"]) == (1, draw.number)
    others = [row for uid, row in by_uid.items() if uid != draw.uid]
    unknown = {(row["mean"], row["evidence"], row["rollouts"], row["visits"]) for row in others}
    assert unknown == {(0.5, 0.0, 0, 0)}
    assert {row["last_draw"] for row in others} == {-1}
    sidecar = json.loads(sidecar_path(path).read_text())
    assert CurriculumConfig.model_validate(sidecar["config"]) == curriculum.config
    assert (sidecar["format"], sidecar["rows"], sidecar["metrics"]["groups"]) == (2, 5, 1)


def test_a_snapshot_replaces_the_one_before_and_leaves_nothing_else(
    curriculum: Curriculum, tmp_path: Path
) -> None:
    path = tmp_path / "beliefs.parquet"
    write_snapshot(curriculum, path, {})
    curriculum.add([Row("late", {})])
    assert write_snapshot(curriculum, path, {}, store="sqlite:///elsewhere.db") == 6
    assert pq.read_metadata(path).num_rows == 6
    assert json.loads(sidecar_path(path).read_text())["store"] == "sqlite:///elsewhere.db"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["beliefs.json", "beliefs.parquet"]


def test_a_folder_that_is_not_there_is_named(curriculum: Curriculum, tmp_path: Path) -> None:
    with pytest.raises(StateError, match="cannot be written"):
        write_snapshot(curriculum, tmp_path / "none" / "beliefs.parquet", {})
