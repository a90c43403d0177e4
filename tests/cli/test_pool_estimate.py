from __future__ import annotations

import json
import os
import signal
import sqlite3
import threading
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from verifiers.v1.utils.loaders import load_taskset

from curriculum_env.errors import PoolError
from curriculum_env.testing.policy import Reply, ScriptedPolicy, serve_policy
from curriculum_env.testing.serving import env_config
from tests.cli.conftest import Cli, Served, refused

TASKS, K = 30, 4
FULL = json.dumps({"error": {"message": "slow down", "code": "rate_limit_exceeded"}})


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    """Coins with pass rates from 0 to 1, as JSONL."""
    rates = [i / (TASKS - 1) for i in range(TASKS)]
    lines = [{"prompt": f"Toss {i}. [p={p:.4f}]", "answer": "right"} for i, p in enumerate(rates)]
    path = tmp_path / "coins.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def arguments(source: Path | str, url: str, folder: Path, **more: Any) -> list[str]:
    options = {"base-url": url, "model": "scripted", "rubric": "exact", "output": folder, **more}
    flags = [f"--{name}={value}" for name, value in options.items()]
    return ["pool", "estimate", str(source), f"-k{K}", *flags]


def report(folder: Path) -> dict[str, Any]:
    summary: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return summary


def graded(folder: Path) -> Counter[str]:
    with closing(sqlite3.connect(folder / "rollouts.db")) as db:
        rows = db.execute("SELECT uid FROM rollouts WHERE status = 'graded'").fetchall()
    return Counter(uid for (uid,) in rows)


def whole(folder: Path) -> bool:
    """Every task has exactly k graded rollouts."""
    return sorted(graded(folder).values()) == [K] * TASKS


def test_an_estimate_from_a_file_to_a_pool(
    cli: Cli, served: Served, pool: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "estimate"
    done = cli(*arguments(pool, served.url, folder))
    assert (done.code, done.err) == (0, "")
    assert whole(folder)
    assert served.policy.calls == K * TASKS
    kept = pq.read_table(folder / "pool.parquet").num_rows
    out = pq.read_table(folder / "quarantine.parquet").num_rows
    summary = report(folder)
    assert (kept + out, out) == (TASKS, summary["pruned"])
    for words in ("mean pass rate", "0.8 ≤ p ≤ 1", "never solved", "completion tokens"):
        assert words in done.out
    again = cli(*arguments(folder / "pool.parquet", served.url, tmp_path / "again"))
    assert again.code == 0
    assert report(tmp_path / "again")["rows"] == kept


def test_a_finished_estimate_pays_nothing_more_and_may_go_deeper(
    cli: Cli, served: Served, pool: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "estimate"
    assert cli(*arguments(pool, served.url, folder)).code == 0
    refused(cli(*arguments(pool, served.url, folder)), "already holds an estimate", "--resume")
    assert cli(*arguments(pool, served.url, folder), "--resume").code == 0
    assert served.policy.calls == K * TASKS
    assert (
        cli(*arguments(pool, served.url, folder), "--resume", "--max-k=12", "--width=0.6").code == 0
    )
    counts = graded(folder)
    assert min(counts.values()) == K < max(counts.values()) <= 12
    assert served.policy.calls == counts.total()


@pytest.mark.parametrize("changed", ["--temperature=0.5", "--rubric=math", "--system=Be brief."])
def test_rollouts_of_other_settings_are_not_mixed(
    cli: Cli, served: Served, pool: Path, tmp_path: Path, changed: str
) -> None:
    folder = tmp_path / "estimate"
    assert cli(*arguments(pool, served.url, folder)).code == 0
    done = cli(*arguments(pool, served.url, folder), "--resume", changed)
    refused(done, "could not be compared", "--output")


@dataclass
class Storm(ScriptedPolicy):
    """From call 20 on, for `seconds`, every request is told to come back later."""

    seconds: float = 2.0
    header: str = ""
    began: float = 0.0
    turned_away: int = 0

    def reply(self, prompt: str) -> Reply:
        if self.calls >= 20 and not self.began:
            self.began = time.monotonic()
        if self.began and time.monotonic() - self.began < self.seconds:
            self.turned_away += 1
            return Reply(429, FULL, headers=self.header)
        return super().reply(prompt)


@pytest.mark.parametrize("header", ["", "Retry-After: 1\r\n", "Retry-After: 90\r\n"])
def test_a_storm_of_429_passes(cli: Cli, pool: Path, tmp_path: Path, header: str) -> None:
    """With the header, without it, and with one that asks for more than there is patience for."""
    storm = Storm(seconds=1.5, header=header)
    folder = tmp_path / "estimate"
    with serve_policy(storm) as url:
        done = cli(*arguments(pool, url, folder, patience=3, retries=2))
        if done.code == 3:  # patience ended before the storm did
            assert "429" in report(folder)["ended"]
            done = cli(*arguments(pool, url, folder), "--resume")
    assert (done.code, done.err) == (0, "")
    assert whole(folder)
    assert storm.calls == K * TASKS
    assert 0 < storm.turned_away < 60


def test_a_storm_without_end_ends_with_a_sentence(cli: Cli, pool: Path, tmp_path: Path) -> None:
    folder = tmp_path / "estimate"
    with serve_policy(Storm(seconds=1e9)) as url:
        began = time.monotonic()
        done = cli(*arguments(pool, url, folder, patience=1, retries=1))
        assert time.monotonic() - began < 20
    assert (done.code, done.err) == (3, "")
    summary = report(folder)
    assert "HTTP 429" in summary["ended"]
    assert summary["owed"] == K * TASKS - 20
    assert graded(folder).total() == summary["spent"]["graded"] == 20
    assert "rollouts are owed" in done.out


class CutOff(ScriptedPolicy):
    """Every reply ends at the token limit."""

    def reply(self, prompt: str) -> Reply:
        reply = super().reply(prompt)
        return replace(reply, body=reply.body.replace('"stop"', '"length"'))


def test_a_reply_that_was_cut_off_fails_whatever_its_last_words(
    cli: Cli, pool: Path, tmp_path: Path
) -> None:
    with serve_policy(CutOff()) as url:
        assert cli(*arguments(pool, url, tmp_path / "estimate")).code == 0
    summary = report(tmp_path / "estimate")
    assert summary["spent"]["cut_off"] == summary["unsolved"] * K == TASKS * K


@dataclass
class Dying(ScriptedPolicy):
    """From call 20 on, connections are closed without an answer."""

    def reply(self, prompt: str) -> Reply:
        if self.calls >= 20:
            raise ConnectionError
        return super().reply(prompt)


def test_a_dead_endpoint_ends_with_a_sentence_and_keeps_what_was_done(
    cli: Cli, served: Served, pool: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "estimate"
    with serve_policy(Dying()) as url:
        done = cli(*arguments(pool, url, folder, patience=1, retries=0))
    assert (done.code, done.err) == (3, "")
    assert "no rollout has come back" in report(folder)["ended"]
    assert graded(folder).total() == 20
    dead = cli(*arguments(pool, url, folder), "--resume")
    refused(dead, "no server answers", url)
    assert cli(*arguments(pool, served.url, folder), "--resume").code == 0
    assert whole(folder)
    assert served.policy.calls == K * TASKS - 20


def test_a_server_that_never_answers_is_given_up(cli: Cli, pool: Path, tmp_path: Path) -> None:
    folder = tmp_path / "estimate"
    hanging = ScriptedPolicy()
    text = pool.read_text().replace("Toss", "Toss [delay=3600]")
    pool.write_text(text)
    with serve_policy(hanging) as url:
        done = cli(*arguments(pool, url, folder, patience=0.5, timeout=0.5, retries=0))
    assert (done.code, done.err) == (3, "")
    assert "timed out" in report(folder)["ended"]


def test_a_budget_ends_it_and_more_goes_on(
    cli: Cli, served: Served, pool: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "estimate"
    more = {"max-tokens": 2, "budget-tokens": 700, "price-completion": 5}
    done = cli(*arguments(pool, served.url, folder, **more))
    assert (done.code, done.err) == (3, "")
    summary = report(folder)
    assert summary["ended"] == "the budget is used up"
    assert 0 < summary["spent"]["prompt_tokens"] + summary["spent"]["completion_tokens"] <= 700
    assert summary["spent"]["money"] > 0
    done = cli(*arguments(pool, served.url, folder, **more | {"budget-tokens": 1e6}), "--resume")
    assert done.code == 0
    assert whole(folder)


@pytest.mark.parametrize("taskset", ["coins", "plain-coins"])
def test_a_taskset_is_estimated_by_its_own_episodes(
    cli: Cli, served: Served, tmp_path: Path, taskset: str
) -> None:
    options = {"model": "scripted", "base-url": served.url, "output": tmp_path, "limit": 12}
    flags = [f"--{name}={value}" for name, value in options.items()]
    done = cli("pool", "estimate", f"--taskset={taskset}", "-k3", *flags)
    assert (done.code, done.err) == (0, "")
    assert served.policy.calls == 36
    priors = pq.read_table(tmp_path / "priors.parquet").to_pylist()
    assert [row["prior_attempts"] for row in priors] == [3.0] * 12
    if taskset == "coins":
        assert {row["domain"] for row in priors} == {"coins"}
        assert priors[0]["uid"] == "coin-0"
    assert not (tmp_path / "curriculum.db").exists()
    assert report(tmp_path)["pruned"] == sum(row["quarantine"] is not None for row in priors)


def test_the_priors_of_a_taskset_are_what_its_beliefs_start_from(
    cli: Cli, served: Served, tmp_path: Path
) -> None:
    flags = ["--model=scripted", f"--base-url={served.url}", f"--output={tmp_path}", "-k4"]
    estimated = cli("pool", "estimate", "--taskset=coins", "--set=taskset.count=12", *flags)
    assert estimated.code == 0
    priors = pq.read_table(tmp_path / "priors.parquet").to_pylist()
    kept = {row["uid"]: row for row in priors if row["quarantine"] is None}
    assert 0 < len(kept) < 12
    settings = {"count": 12, "priors": str(tmp_path / "priors.parquet")}
    counting = {"estimator": {"type": "beta"}}
    taskset = load_taskset(env_config("coins", curriculum=counting, **settings).taskset)
    with closing(taskset):
        rows = taskset.curriculum.rows
        believed = dict(
            zip((row.uid for row in rows), taskset.curriculum.table()["mean"], strict=True)
        )
    assert believed == pytest.approx(
        {uid: (1 + row["prior_passes"]) / 6 for uid, row in kept.items()}
    )
    wrapped = {"inner": {"id": "finite-words"}, "priors": settings["priors"]}
    stranger = load_taskset(env_config("curriculum-wrap", **wrapped).taskset)
    with closing(stranger), pytest.raises(PoolError, match="knows none of the rows"):
        _ = stranger.curriculum


def test_failing_episodes_are_errors(cli: Cli, served: Served, tmp_path: Path) -> None:
    options = {"model": "scripted", "base-url": served.url, "output": tmp_path, "patience": 1}
    flags = [f"--{name}={value}" for name, value in options.items()]
    done = cli("pool", "estimate", "--taskset=ungraded", "-k2", *flags)
    assert done.code == 3
    summary = report(tmp_path)
    assert summary["spent"]["failed"] > 0
    assert summary["spent"]["graded"] == 0


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ([], ["name what to estimate"]),
        (["--taskset=coins"], ["not both"]),
        (["--policy=smollm2"], ["leave out --base-url"]),
        (["--max-k=2"], ["--max-k >= -k"]),
        (["--budget-tokens=100"], ["--max-tokens"]),
        (["--budget-money=1", "--max-tokens=5"], ["--price-prompt"]),
        (["--rubric=nonsense"], ["math or exact"]),
        (["--prompt=Solve it"], ["{prompt}"]),
        (["--sampling=top_p"], ["key=value"]),
    ],
)
def test_what_cannot_be_is_told_in_a_sentence(
    cli: Cli, served: Served, pool: Path, tmp_path: Path, flags: list[str], words: list[str]
) -> None:
    given = arguments(pool, served.url, tmp_path / "estimate")
    if not flags:
        given.remove(str(pool))
    refused(cli(*given, *flags), *words)
    assert served.policy.calls == 0


def test_a_missing_taskset_is_told(cli: Cli, served: Served) -> None:
    done = cli("pool", "estimate", "--taskset=nowhere", f"--base-url={served.url}", "-mscripted")
    refused(done, "nowhere", "installed")


def test_ctrl_c_finishes_what_is_in_flight(
    cli: Cli, served: Served, pool: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "estimate"
    pool.write_text(pool.read_text().replace("Toss", "Toss [delay=0.1]"))

    def interrupt() -> None:
        deadline = time.monotonic() + 60
        while served.policy.calls < 10 and time.monotonic() < deadline:
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    presser = threading.Thread(target=interrupt)
    presser.start()
    try:
        done = cli(*arguments(pool, served.url, folder))
    finally:
        presser.join()
        signal.signal(signal.SIGINT, signal.default_int_handler)
    assert (done.code, done.err) == (130, "")
    assert "--resume" in done.out
    summary = report(folder)
    assert summary["ended"] == "interrupted"
    assert summary["spent"]["lost"] == 0
    assert 10 <= served.policy.calls == graded(folder).total() < K * TASKS
