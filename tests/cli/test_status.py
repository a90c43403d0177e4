from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq
import pytest

from curriculum_env import Curriculum, CurriculumConfig, Outcome, Row
from curriculum_env.cli import settings
from curriculum_env.cli.standing import standing
from curriculum_env.cli.stored import read_store
from curriculum_env.store import open_store
from tests.cli.conftest import Cli, refused

SIZE = 4
EASY, HARD = "easy", "hard"


def rows() -> list[Row]:
    return [
        Row(f"{level}-{index}", {}, domain="sums", level=level)
        for level in (EASY, HARD)
        for index in range(20)
    ]


def config(**settings: object) -> CurriculumConfig:
    return CurriculumConfig.model_validate({"group_size": SIZE, "pick": "top", **settings})


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Curriculum]:
    """A curriculum that holds its store in tmp_path/curriculum.db, 12 of its draws finished."""
    url = f"sqlite:///{tmp_path}/curriculum.db"
    with Curriculum(rows(), config(), url) as curriculum:
        for _ in range(12):
            finish(curriculum)
        yield curriculum


def finish(curriculum: Curriculum, rollouts: int = SIZE) -> None:
    """Draw once; half of an easy row's rollouts pass, none of a hard one's."""
    draw = curriculum.ask()
    for index in range(rollouts):
        reward = float(draw.level == EASY and index % 2 == 0)
        curriculum.tell(Outcome(draw.number, draw.uid, f"{draw.number}-{index}", reward, tokens=2))
    curriculum.sync(5.0)


@pytest.mark.parametrize(
    "form", ["{folder}", "{folder}/curriculum.db", "sqlite:///{folder}/curriculum.db"]
)
def test_a_live_store_is_read_without_being_taken(
    cli: Cli, live: Curriculum, tmp_path: Path, form: str
) -> None:
    shown = cli("status", form.format(folder=tmp_path), "--json")
    assert (shown.code, shown.err) == (0, "")
    found = json.loads(shown.out)
    drawn = {row["level"]: row["draws"] for row in found["report"]["buckets"]}
    assert sum(drawn.values()) == 12
    assert found["report"]["survival"] == pytest.approx(drawn[EASY] / 12)
    assert found["pool"] == 40
    assert found["frontier"]["untouched"] == 40 - found["report"]["distinct"]
    assert (found["in_flight"], found["dropped"], found["strays"]) == (0, 0, 0)
    finish(live)
    assert live.draws == 13


def test_it_believes_what_the_run_believes(live: Curriculum, tmp_path: Path) -> None:
    found = standing(read_store(str(tmp_path)))
    table = live.table()
    drawn = table["visits"] > 0
    assert found.frontier.too_hard == int((table["mean"][drawn] < 0.2).sum())
    assert found.frontier.frontier == int((table["mean"][drawn] >= 0.2).sum())
    expected = float(live.estimator.survival(SIZE).mean())
    assert found.report.expected_uniform == pytest.approx(expected, abs=1e-9)


def test_rows_that_joined_are_part_of_the_pool(live: Curriculum, tmp_path: Path) -> None:
    row = ["new", {}, "sums", "new", {}, 0.0, 0.0, EASY, 1.0]
    live.store.log_event("rows", {"rows": [row], "proposed": 1, "queue": []})
    found = standing(read_store(str(tmp_path)))
    assert found.pool == 41
    assert found.frontier.untouched == 41 - found.report.distinct
    assert {level.level: level.rows for level in found.report.buckets} == {
        EASY: 20, HARD: 20, "new": 1
    }  # fmt: skip


def test_what_is_in_flight_and_what_was_dropped(live: Curriculum, tmp_path: Path) -> None:
    live.ask()
    finish(live, rollouts=SIZE - 1)
    stored = read_store(str(tmp_path))
    now = standing(stored)
    assert (now.in_flight, now.dropped) == (2, 0)
    later = standing(stored, now=stored.draws[-1].time + 3601)
    assert (later.in_flight, later.dropped) == (0, 2)


def test_outages_and_losses_are_told(cli: Cli, live: Curriculum, tmp_path: Path) -> None:
    began = {"phase": "began", "reason": "errors", "since_outcome": 3, "groups_undone": 2}
    live.store.log_event("outage", began)
    live.store.log_event("outage", {"phase": "ended", "reason": "errors", "rollouts": 9})
    live.store.log_event("outage", {**began, "reason": "zeros"})
    live.store.log_event("outage", {**began, "reason": "zeros"})
    live.store.log_event("unwritten", {"count": 5})
    live.store.record([Outcome(10_000, "easy-0", "stray", 1.0)])
    found = standing(read_store(str(tmp_path)))
    assert [outage.ended is None for outage in found.outages] == [False, True]
    assert (found.unwritten, found.strays) == (5, 1)
    shown = cli("status", tmp_path)
    assert (shown.code, shown.err) == (0, "")
    for words in ("outage (errors)", "still lasting", "5 unwritten", "1 of no draw", "frontier:"):
        assert words in shown.out


def test_only_the_newest_run_is_shown(live: Curriculum, tmp_path: Path) -> None:
    live.close()
    with Curriculum(rows(), config(resume="warm"), f"sqlite:///{tmp_path}/curriculum.db") as warm:
        finish(warm)
        found = standing(read_store(str(tmp_path)))
        assert (found.run, found.report.draws) == (2, 1)
        expected = float(warm.estimator.survival(SIZE).mean())
        assert found.report.expected_uniform == pytest.approx(expected, abs=1e-9)


def test_the_group_size_is_inferred(tmp_path: Path) -> None:
    with Curriculum(rows(), config(group_size=None), f"sqlite:///{tmp_path}/curriculum.db") as own:
        assert read_store(str(tmp_path)).group_size == 1
        for _ in range(3):
            finish(own)
        assert read_store(str(tmp_path)).group_size == SIZE


def test_export_writes_every_task_drawn(cli: Cli, live: Curriculum, tmp_path: Path) -> None:
    out = tmp_path / "difficulty.parquet"
    done = cli("export", tmp_path, out)
    assert (done.code, done.err) == (0, "")
    exported = pq.read_table(out).to_pydict()
    table = live.table()
    drawn = table["visits"] > 0
    believed = dict(zip(table["uid"][drawn], table["mean"][drawn], strict=True))
    assert dict(zip(exported["uid"], exported["mean"], strict=True)) == pytest.approx(believed)
    assert sum(exported["visits"]) == 12
    assert sum(exported["evidence"]) == pytest.approx(float(table["evidence"][drawn].sum()))
    assert set(exported["rollouts"]) == {SIZE}
    assert sum(exported["evidence"]) < sum(exported["rollouts"]) == 12 * SIZE
    for low, mean, high in zip(exported["low"], exported["mean"], exported["high"], strict=True):
        assert 0.0 <= low < mean < high <= 1.0
    assert set(exported["level"]) <= {EASY, HARD}
    sidecar = json.loads((tmp_path / "difficulty.json").read_text())
    assert (sidecar["rows"], sidecar["group_size"]) == (len(believed), SIZE)
    assert sidecar["store"].endswith("curriculum.db")
    assert sidecar["metrics"]["ok"] == 12 * SIZE


def test_an_export_is_parquet_by_its_name_too(cli: Cli, live: Curriculum, tmp_path: Path) -> None:
    refused(cli("export", tmp_path, tmp_path / "d.csv"), "d.csv", ".parquet")
    assert not list(tmp_path.glob("d.*"))


def test_a_held_out_run_has_no_store(cli: Cli, tmp_path: Path) -> None:
    settings.save({"env": {"taskset": {"id": "coins", "split": "heldout"}}}, tmp_path)
    before = sorted(tmp_path.rglob("*"))
    refused(cli("status", tmp_path), "never recorded", "report.json")
    refused(cli("export", tmp_path, tmp_path / "d.parquet"), "never recorded")
    assert sorted(tmp_path.rglob("*")) == before


def test_what_is_no_store_is_refused_and_left_alone(cli: Cli, tmp_path: Path) -> None:
    refused(cli("status", tmp_path / "none.db"), "there is no store at")
    refused(cli("status", tmp_path), "there is no store at")
    refused(cli("status", "memory://here"), "inside the process")
    refused(cli("status", "mysql://host/db"), "mysql")
    refused(cli("export", tmp_path / "none.db", tmp_path / "out.parquet"), "there is no store")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "text.db").write_text("no database, but long enough to be taken for one " * 9)
    refused(cli("status", tmp_path / "text.db"), "cannot be read as a store", "give the URL")
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE cats (name TEXT)")
    refused(cli("status", tmp_path / "other.db"), "not a store of curriculum-env", "give the URL")
    with closing(open_store(f"sqlite:///{tmp_path}/empty.db")):
        refused(cli("status", tmp_path / "empty.db"), "holds no run yet")


def test_a_run_without_draws_has_a_status_and_no_beliefs(cli: Cli, tmp_path: Path) -> None:
    with Curriculum(rows(), config(), f"sqlite:///{tmp_path}/curriculum.db"):
        shown = cli("status", tmp_path)
    assert (shown.code, shown.err) == (0, "")
    assert "last draw never" in shown.out
    refused(cli("export", tmp_path, tmp_path / "out.parquet"), "nothing has been drawn")


def test_an_export_that_cannot_be_written(cli: Cli, live: Curriculum, tmp_path: Path) -> None:
    refused(cli("export", tmp_path, tmp_path / "none" / "out.parquet"), "cannot be written")


RULES = [
    {"type": "staged", "by": "prior"},
    {"type": "adarft"},
    *({"type": name} for name in ("thompson", "uniform", "sequential")),
]


def offline(samplers: dict[str, object], folder: Path, **settings: object) -> dict[str, float]:
    """Run a few draws of rows with offline estimates and features; returns the live beliefs."""
    pool = [
        Row(f"u{i}", {}, features={"size": i}, prior_passes=i % 2 * 50, prior_attempts=50)
        for i in range(12)
    ]
    url = f"sqlite:///{folder}/curriculum.db"
    with Curriculum(pool, config(sampler=samplers, **settings), url) as curriculum:
        for _ in range(6):
            finish(curriculum)
        table = curriculum.table()
    return dict(zip(table["uid"], table["mean"], strict=True))


@pytest.mark.parametrize("sampler", RULES, ids=lambda rule: str(rule["type"]))
def test_every_rule_can_be_looked_at(cli: Cli, tmp_path: Path, sampler: dict[str, object]) -> None:
    offline(sampler, tmp_path)
    shown = cli("status", tmp_path)
    assert (shown.code, shown.err) == (0, "")
    assert f"sampler {sampler['type']}" in shown.out
    assert cli("export", tmp_path, tmp_path / "d.parquet").code == 0


def test_what_is_shown_says_that_it_lacks_the_offline_estimates(cli: Cli, tmp_path: Path) -> None:
    believed = offline({"type": "uniform"}, tmp_path, estimator={"type": "beta"})
    assert "start without them" in cli("status", tmp_path).out
    done = cli("export", tmp_path, tmp_path / "d.parquet")
    assert done.code == 0
    assert "start without them" in done.err
    assert done.err.count("\n") == 1
    exported = pq.read_table(tmp_path / "d.parquet").to_pydict()
    shown = dict(zip(exported["uid"], exported["mean"], strict=True))
    assert max(abs(shown[uid] - believed[uid]) for uid in shown) > 0.2


def test_without_offline_estimates_nothing_is_said(
    cli: Cli, live: Curriculum, tmp_path: Path
) -> None:
    assert "start without them" not in cli("status", tmp_path).out
    assert cli("export", tmp_path, tmp_path / "d.parquet").err == ""


def test_an_export_never_replaces_a_store(cli: Cli, live: Curriculum, tmp_path: Path) -> None:
    live.close()
    store = tmp_path / "store.parquet"
    (tmp_path / "curriculum.db").rename(store)
    before = store.read_bytes()
    refused(cli("export", store, store), "is a store")
    assert store.read_bytes() == before


def test_an_export_never_replaces_what_is_no_sidecar(
    cli: Cli, live: Curriculum, tmp_path: Path
) -> None:
    """A run's own report is `report.json`."""
    report = tmp_path / "report.json"
    report.write_text('{"draws": 9}')
    refused(cli("export", tmp_path, tmp_path / "report.parquet"), "holds something else")
    assert report.read_text() == '{"draws": 9}'
    for _ in range(2):
        assert cli("export", tmp_path, tmp_path / "difficulty.parquet").code == 0


def test_dataset_text_is_shown_as_it_is(cli: Cli, tmp_path: Path) -> None:
    names = ("[/b]", "[red]x", ":smile:")
    pool = [Row(name, {}, domain=f"{name}d", level=name) for name in names]
    with Curriculum(pool, config(), f"sqlite:///{tmp_path}/curriculum.db") as curriculum:
        for _ in range(9):
            finish(curriculum)
    shown = cli("status", tmp_path)
    assert (shown.code, shown.err) == (0, "")
    for name in names:
        assert f"{name}d" in shown.out


def test_settings_of_another_release_are_one_sentence(cli: Cli, tmp_path: Path) -> None:
    with closing(open_store(f"sqlite:///{tmp_path}/curriculum.db")) as store:
        store.acquire()
        store.start_run({"explore": 7, "sampler": {"type": "gone"}, "unknown": 1})
    refused(cli("status", tmp_path), "another release", "explore", "sampler")


def test_a_path_may_begin_at_home(
    cli: Cli, live: Curriculum, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for store in ("~", "~/curriculum.db", "sqlite:///~/curriculum.db"):
        assert cli("status", store).code == 0
    assert cli("export", "~", "~/home.parquet").code == 0
    assert (tmp_path / "home.parquet").is_file()


def as_reader(*arguments: object) -> subprocess.CompletedProcess[str]:
    """The command line as somebody who may write nothing here."""
    bound = ["setpriv", "--bounding-set=-dac_override"] if os.geteuid() == 0 else []
    command = [*bound, sys.executable, "-m", "curriculum_env.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.skipif(
    os.geteuid() == 0 and shutil.which("setpriv") is None, reason="root may write everywhere"
)
@pytest.mark.parametrize("lives", [False, True])
def test_a_store_that_cannot_be_written_can_be_read(lives: bool) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        with Curriculum(rows(), config(), f"sqlite:///{folder}/curriculum.db") as curriculum:
            finish(curriculum)
            if not lives:
                curriculum.close()
            before = sorted(file.name for file in folder.iterdir())
            for file in folder.iterdir():
                file.chmod(0o444)
            folder.chmod(0o555)
            shown = as_reader("status", folder, "--json")
            folder.chmod(0o755)
            assert (shown.returncode, shown.stderr) == (0, "")
            found = json.loads(shown.stdout)
            assert found["report"]["draws"] == 1
            assert found["url"] == f"sqlite:///{folder}/curriculum.db"
            assert sorted(file.name for file in folder.iterdir()) == before
