from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from curriculum_env import Curriculum, CurriculumConfig
from curriculum_env.errors import ConfigError, OwnerError, SchemaVersionError, StateError
from curriculum_env.pool import load_rows
from curriculum_env.pool.estimate import (
    Bound,
    Depth,
    EstimateSession,
    HaltError,
    Prices,
    RefusedError,
    Reply,
    ServiceError,
    Settings,
    read_priors,
)
from curriculum_env.pool.estimate.journal import Journal
from curriculum_env.testing.policy import ScriptedPolicy, serve_policy
from curriculum_env.types import Row
from tests.pool.estimate.life import IDENTITY, estimate, grade, rows


@dataclass
class Player:
    """Answers by a script: what happens at the n-th rollout, then right answers."""

    script: dict[int, Exception] = field(default_factory=dict)
    tokens: tuple[int | None, int | None] = (10, 5)
    said: str = "right"
    calls: int = 0

    def bound(self, row: Row) -> Bound:
        return Bound(20, 50)

    async def play(self, row: Row) -> Reply:
        self.calls += 1
        if error := self.script.get(self.calls):
            raise error
        return Reply(self.said, *self.tokens, finish="stop")


def made(
    folder: Path, tasks: list[Row], *, resume: bool = False, k: int = 4, **settings: object
) -> EstimateSession:
    options = Settings(**{"depth": Depth(k, k), "concurrency": 4, **settings})  # type: ignore[arg-type]
    return EstimateSession(tasks, folder, IDENTITY, options, resume=resume)


async def play(session: EstimateSession, player: Player, rubric: object = grade) -> None:
    await session.prepare(player, rubric, lambda status: None).run()  # type: ignore[arg-type]


@pytest.fixture
def url() -> Iterator[str]:
    with serve_policy(ScriptedPolicy(seed=2)) as address:
        yield address


def full_rows(count: int) -> list[Row]:
    """Rows as a pool file holds them."""
    labels = {"source": "coins", "licence": "MIT", "fingerprint": "f"}
    return [Row(row.uid, {**row.data, **labels}, "coins", "1") for row in rows(count)]


async def test_priors_reach_the_beliefs_and_the_tails_the_quarantine(
    tmp_path: Path, url: str
) -> None:
    tasks = full_rows(40)
    with closing(made(tmp_path, tasks, k=8)) as session:
        await estimate(session, url)
        report = session.report()
        session.write(report, pools=True)
    kept = list(load_rows(str(tmp_path / "pool.parquet")))
    out = pq.read_table(tmp_path / "quarantine.parquet").to_pylist()
    assert len(kept) + len(out) == 40
    assert len(out) == report.pruned == report.unsolved + report.solved > 2
    assert {row["reason"] for row in out} == {"never solved", "always solved"}
    assert out[0]["detail"] in ("0 of 8 rollouts", "8 of 8 rollouts")
    assert all(0 < row.prior_passes < row.prior_attempts == 8 for row in kept)
    assert {row.uid for row in kept} | {row["uid"] for row in out} == {row.uid for row in tasks}
    config = CurriculumConfig.model_validate({"estimator": {"type": "beta"}})
    with Curriculum(kept, config) as curriculum:
        believed = curriculum.table()["mean"]
    assert believed == pytest.approx([(1 + row.prior_passes) / 10 for row in kept])
    priors = read_priors(tmp_path / "priors.parquet")
    assert {uid: values[:2] for uid, values in priors.items() if not values[2]} == {
        row.uid: (row.prior_passes, row.prior_attempts) for row in kept
    }


async def test_rows_without_a_rollout_stay_in_the_pool_as_they_were(tmp_path: Path) -> None:
    tasks = full_rows(6)
    tasks[5] = Row("coin-5", tasks[5].data, "coins", "1", {}, 3.0, 7.0)
    with closing(made(tmp_path, tasks, tokens=250)) as session:
        await play(session, Player())
        report = session.report()
        session.write(report, pools=True)
    assert report.ended == "the budget is used up"
    assert 0 < report.estimated < 6
    kept = {row.uid: row for row in load_rows(str(tmp_path / "pool.parquet"))}
    assert len(kept) == 6 - report.pruned
    untouched = [i for i in range(6) if session.found.attempts_N[i] == 0]
    assert all(
        (kept[f"coin-{i}"].prior_passes, kept[f"coin-{i}"].prior_attempts)
        == (tasks[i].prior_passes, tasks[i].prior_attempts)
        for i in untouched
    )


@pytest.mark.parametrize("tokens", [(10, 5), (20, 50), (None, None)])
async def test_a_budget_is_never_exceeded(
    tmp_path: Path, tokens: tuple[int | None, int | None]
) -> None:
    limit = 1000.0
    with closing(made(tmp_path, rows(50), tokens=limit, concurrency=16)) as session:
        player = Player(tokens=tokens)
        await play(session, player)
        spent = sum(session.journal.paid())
        assert limit - 70 < spent <= limit
    with closing(made(tmp_path, rows(50), resume=True, tokens=limit + 140)) as session:
        await play(session, Player())
        assert spent < sum(session.journal.paid()) <= limit + 140


async def test_a_budget_in_money(tmp_path: Path) -> None:
    prices = Prices(prompt=1e6, completion=2e6)
    with closing(made(tmp_path, rows(50), money=1000.0, prices=prices)) as session:
        await play(session, Player())
        report = session.report()
    assert 1000 - 120 < report.spent.money <= 1000
    assert report.ended == "the budget is used up"


async def test_failures_of_the_service_are_no_failures_of_the_task(tmp_path: Path) -> None:
    script: dict[int, Exception] = {n: ServiceError("HTTP 500") for n in range(1, 30, 3)}
    with closing(made(tmp_path, rows(10))) as session:
        await play(session, Player(script))
        report = session.report()
    assert report.mean == 1.0
    assert (report.owed, report.spent.failed) == (0, 10)
    assert report.spent.errors == (("HTTP 500", 10),)


async def test_what_a_failed_rollout_took_is_paid(tmp_path: Path) -> None:
    script: dict[int, Exception] = {1: ServiceError("the rubric broke", Bound(7, 9))}
    with closing(made(tmp_path, rows(1), k=1)) as session:
        await play(session, Player(script))
        assert session.journal.paid() == Bound(10 + 7, 5 + 9)


async def test_a_halt_ends_at_once_and_says_why(tmp_path: Path) -> None:
    player = Player({9: HaltError("HTTP 402: no credit")})
    with closing(made(tmp_path, rows(10))) as session:
        await play(session, player)
        report = session.report()
    assert report.ended == "HTTP 402: no credit"
    assert player.calls <= 9 + 3
    assert report.spent.graded == player.calls - 1


async def test_a_row_the_service_refuses_is_told_and_left(tmp_path: Path) -> None:
    class Picky(Player):
        async def play(self, row: Row) -> Reply:
            if row.uid == "coin-3":
                raise RefusedError("HTTP 400: too long")
            return await super().play(row)

    with closing(made(tmp_path, rows(10))) as session:
        await play(session, Picky())
        report = session.report()
    assert (report.spent.refused, report.owed, report.estimated) == (1, 0, 9)
    assert report.ended == ""


async def test_a_rubric_that_fails_on_a_reply_leaves_it_to_be_graded_later(
    tmp_path: Path,
) -> None:
    async def broken(row: Row, reply: str) -> float:
        if row.uid == "coin-1":
            raise RuntimeError("no such answer")
        return await grade(row, reply)

    with closing(made(tmp_path, rows(4))) as session:
        await play(session, Player(), broken)
        report = session.report()
    assert (report.estimated, report.spent.ungraded, report.owed) == (3, 4, 4)
    with closing(made(tmp_path, rows(4), resume=True)) as session:
        player = Player()
        await play(session, player)
        again = session.report()
    assert (again.estimated, again.spent.ungraded, again.owed) == (4, 0, 0)
    assert player.calls == 0


async def test_a_rubric_that_grades_nothing_stops_the_spending(tmp_path: Path) -> None:
    async def broken(row: Row, reply: str) -> float:
        raise RuntimeError("not installed")

    player = Player()
    with closing(made(tmp_path, rows(1000))) as session:
        await play(session, player, broken)
        report = session.report()
    assert "could grade none" in report.ended
    assert player.calls < 20


@pytest.mark.parametrize("success", [float("nan"), -0.5, 1.5])
async def test_a_success_that_is_none_is_not_counted(tmp_path: Path, success: float) -> None:
    async def odd(row: Row, reply: str) -> float:
        return success if row.uid == "coin-0" else 1.0

    with closing(made(tmp_path, rows(3))) as session:
        await play(session, Player(), odd)
        report = session.report()
    assert (report.estimated, report.mean, report.spent.ungraded) == (2, 1.0, 4)


def test_a_second_process_is_turned_away(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from curriculum_env.pool.estimate.journal import Journal\n"
        "Journal(Path(sys.argv[1]))"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "rollouts.db")]
    with closing(made(tmp_path, rows(2))):
        second = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "OwnerError: another process is estimating" in second.stderr
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


async def test_half_a_success_counts_half(tmp_path: Path) -> None:
    async def half(row: Row, reply: str) -> float:
        return 0.5

    with closing(made(tmp_path, rows(3))) as session:
        await play(session, Player(), half)
        assert session.found.passes_N.tolist() == [2.0] * 3
        assert session.report().pruned == 0


async def test_a_grown_pool_goes_on_with_what_it_has(tmp_path: Path) -> None:
    with closing(made(tmp_path, rows(5))) as session:
        await play(session, Player())
    player = Player()
    with closing(made(tmp_path, rows(8)[::-1], resume=True)) as session:
        await play(session, player)
        assert session.found.attempts_N.tolist() == [4] * 8
    assert player.calls == 3 * 4


async def test_odd_text_is_kept(tmp_path: Path) -> None:
    said = "half \ud83d a pair, 🎲, and a \0 NUL"
    with closing(made(tmp_path, rows(1), k=1)) as session:
        await play(session, Player(said=said))
    with closing(sqlite3.connect(tmp_path / "rollouts.db")) as db:
        kept = db.execute("SELECT reply FROM rollouts").fetchone()[0]
    assert kept == said.replace("\ud83d", "?")


def test_a_folder_belongs_to_one_estimate(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds no estimate to resume"):
        made(tmp_path, rows(2), resume=True)
    with closing(made(tmp_path, rows(2))), pytest.raises(OwnerError, match="another process"):
        made(tmp_path, rows(2), resume=True)
    with pytest.raises(ConfigError, match="--resume"):
        made(tmp_path, rows(2))
    with pytest.raises(ConfigError, match=r'begun with model = "scripted", now it is "other"'):
        EstimateSession(rows(2), tmp_path, {"model": "other"}, Settings(Depth(1, 1)), resume=True)
    made(tmp_path, rows(2), resume=True).close()


def test_a_journal_of_another_version_or_kind_is_refused(tmp_path: Path) -> None:
    Journal(tmp_path / "rollouts.db").close()
    with closing(sqlite3.connect(tmp_path / "rollouts.db")) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(SchemaVersionError, match="version 99"):
        Journal(tmp_path / "rollouts.db")
    (tmp_path / "text.db").write_text("no database at all, but long enough to be looked at")
    with pytest.raises(StateError, match="not a database"):
        Journal(tmp_path / "text.db")


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be made"):
        made(tmp_path / "file" / "estimate", rows(1))


async def test_the_report_adds_up(tmp_path: Path, url: str) -> None:
    with closing(made(tmp_path, rows(30), k=5)) as session:
        await estimate(session, url)
        report = session.report()
        session.write(report, pools=False)
    written = json.loads((tmp_path / "report.json").read_text())
    assert sum(written["buckets"]) == sum(written["histogram"]) == written["estimated"] == 30
    assert written["mean"] == pytest.approx(session.found.rate_N.mean())
    assert written["spent"]["graded"] == 150
    assert written["survival_kept"] > written["survival"]
    assert np.all(session.found.bucket_N() >= 0)
    page = (tmp_path / "report.md").read_text()
    assert "| 0.8 ≤ p ≤ 1 |" in page.replace("\\", "")
    assert not (tmp_path / "pool.parquet").exists()
