from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Cli, refused

RECORDS = [
    {"q": "What do three pens at 2 dollars each cost?", "gold": {"value": 6}},
    {"q": "what do three pens at 2 dollars each cost", "gold": {"value": "6"}},
    {"q": "How many legs do nine spiders have in all?", "gold": {"value": 72}},
]
COLUMNS = ("--column", "prompt=q", "--column", "answer=gold.value")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, RECORDS)))
    return path


def test_a_pool_a_quarantine_and_a_report(cli: Cli, source: Path, tmp_path: Path) -> None:
    done = cli("pool", "build", source, *COLUMNS, "-o", tmp_path / "out", "--processes", 1)
    assert done.code == 0
    assert "duplicate" in done.out
    assert "2 of 3 records kept" in done.out
    names = {path.name for path in (tmp_path / "out").iterdir()} - {".curriculum-env-build.lock"}
    assert names == {"pool.parquet", "quarantine.parquet", "report.json", "report.md"}


def test_forgotten_columns_are_told(cli: Cli, source: Path, tmp_path: Path) -> None:
    done = cli("pool", "build", source, "-o", tmp_path / "out", "--processes", 1)
    assert "0 of 3 records kept" in done.out
    refused(done, "none of the 3 records", "--column")


def test_json_is_all_that_is_printed(cli: Cli, source: Path, tmp_path: Path) -> None:
    against = tmp_path / "evaluation.jsonl"
    against.write_text(json.dumps(RECORDS[2]))
    done = cli(
        "pool", "build", source, *COLUMNS, "--against", against, "-o", tmp_path / "out",
        "--processes", 1, "--json",
    )  # fmt: skip
    told = json.loads(done.out)
    assert told["reasons"] == {"contamination": 1, "duplicate": 1}
    assert told["matched"] == {str(against): 1}


def test_datatrove_by_option(cli: Cli, source: Path, tmp_path: Path) -> None:
    done = cli(
        "pool", "build", source, *COLUMNS, "-o", tmp_path / "out", "--engine", "datatrove",
        "--processes", 1, "--tasks", 2,
    )  # fmt: skip
    assert done.code == 0
    assert "2 of 3 records kept" in done.out


def test_a_missing_library_is_named(
    cli: Cli, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "curriculum_env.pool.cleaning.trove", raising=False)
    monkeypatch.setitem(sys.modules, "datatrove", None)
    done = cli("pool", "build", source, *COLUMNS, "-o", tmp_path, "--engine", "datatrove")
    refused(done, "curriculum-env[datatrove]")


def test_users_errors_are_one_sentence(cli: Cli, source: Path, tmp_path: Path) -> None:
    refused(cli("pool", "build", "nothing", "-o", tmp_path / "out"), "is no source")
    refused(cli("pool", "build", source, "--column", "x", "-o", tmp_path / "out"), "PART=PATH")
    (tmp_path / "file").touch()
    done = cli("pool", "build", source, *COLUMNS, "-o", tmp_path / "file", "--processes", 1)
    refused(done, "cannot be written")
