from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from verifiers.v1.episode import WireEpisode

from curriculum_env.adapters.verifiers.runner.rollouts import place
from curriculum_env.cli import settings
from curriculum_env.store import open_store
from curriculum_env.testing.policy import Outage
from curriculum_env.testing.serving import TASKSETS
from tests.cli.conftest import HERE, Cli, Served, refused

GROUPS, SIZE = 6, 4


def arguments(served: Served, folder: Path, taskset: str = "coins", **more: Any) -> list[str]:
    options = {"groups": GROUPS, "group-size": SIZE, "base-url": served.url, "model": "scripted"}
    flags = {**options, **more, "output": folder}
    return ["run", taskset, *(f"--{name}={value}" for name, value in flags.items())]


def episodes(folder: Path) -> list[Any]:
    lines = (folder / "traces.jsonl").read_bytes().splitlines()
    return [WireEpisode.model_validate_json(line) for line in lines]


def report(folder: Path) -> dict[str, Any]:
    summary: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return summary


def draws(folder: Path) -> list[tuple[int, str]]:
    with closing(open_store(f"sqlite:///{folder}/curriculum.db")) as store:
        return [(draw.number, draw.uid) for draw in store.draws()]


def recorded(folder: Path) -> Counter[tuple[int, str]]:
    with closing(open_store(f"sqlite:///{folder}/curriculum.db")) as store:
        return Counter((outcome.draw, outcome.status) for outcome in store.reader().read())


@pytest.mark.parametrize("workers", [0, 2])
def test_a_run_leaves_episodes_outcomes_and_a_report(
    cli: Cli, served: Served, tmp_path: Path, workers: int
) -> None:
    done = cli(*arguments(served, tmp_path, workers=workers))
    assert (done.code, done.err) == (0, "")
    drawn = dict(draws(tmp_path))
    assert len(drawn) == GROUPS
    played = episodes(tmp_path)
    assert Counter(place(e.task.data).number for e in played) == dict.fromkeys(drawn, SIZE)
    assert all(e.ok and e.task.key == drawn[place(e.task.data).number] for e in played)
    assert recorded(tmp_path) == {(number, "ok"): SIZE for number in drawn}
    rewards = [trace.reward for episode in played for trace in episode.traces]
    summary = report(tmp_path)
    assert summary["mean_reward"] == pytest.approx(sum(rewards) / len(rewards))
    assert (summary["draws"], summary["rollouts"], summary["in_flight"]) == (GROUPS, 24, 0)
    assert served.policy.calls == GROUPS * SIZE
    for words in (
        "level",
        "pass rate",
        "ρ (groups not all alike)",
        "uniform drawing",
        "last half",
        "effective",
    ):
        assert words in done.out


def test_the_report_counts_each_level(cli: Cli, served: Served, tmp_path: Path) -> None:
    assert cli(*arguments(served, tmp_path)).code == 0
    by_level: dict[str, list[float]] = {}
    for episode in episodes(tmp_path):
        level = place(episode.task.data).level
        by_level.setdefault(level, []).extend(trace.reward for trace in episode.traces)
    summary = report(tmp_path)
    assert sum(level["rows"] for level in summary["levels"]) == 2000
    for level in summary["levels"]:
        rewards = by_level.get(level["level"], [])
        assert level["rollouts"] == len(rewards)
        assert level["draws"] == len(rewards) / SIZE
        if rewards:
            assert level["pass_rate"] == pytest.approx(sum(rewards) / len(rewards))


def test_resuming_a_finished_run_draws_on(cli: Cli, served: Served, tmp_path: Path) -> None:
    assert cli(*arguments(served, tmp_path)).code == 0
    first = draws(tmp_path)
    done = cli("run", "--resume", f"--output={tmp_path}", "--groups=9")
    assert (done.code, done.err) == (0, "")
    assert draws(tmp_path)[:GROUPS] == first
    assert len(draws(tmp_path)) == 9
    assert len(episodes(tmp_path)) == served.policy.calls == 9 * SIZE


def test_resuming_owes_what_failed_or_was_torn(cli: Cli, served: Served, tmp_path: Path) -> None:
    assert cli(*arguments(served, tmp_path)).code == 0
    traces = tmp_path / "traces.jsonl"
    lines = traces.read_bytes().splitlines(keepends=True)
    failed = json.loads(lines[3]) | {"ok": False}
    lines[3] = json.dumps(failed).encode() + b"\n"
    traces.write_bytes(b"".join(lines[:20]) + lines[20][:100])
    done = cli("run", "--resume", f"--output={tmp_path}")
    assert done.code == 0
    assert served.policy.calls == GROUPS * SIZE + 5
    kept = {json.loads(line)["id"] for line in lines[:20]} - {failed["id"]}
    played = episodes(tmp_path)
    assert kept <= {episode.id for episode in played}
    counted = Counter(place(episode.task.data).number for episode in played)
    assert counted == dict.fromkeys(dict(draws(tmp_path)), SIZE)


def test_the_held_out_split_is_never_recorded(cli: Cli, served: Served, tmp_path: Path) -> None:
    done = cli(*arguments(served, tmp_path, set="taskset.split=heldout", groups=99))
    assert (done.code, done.err) == (0, "")
    assert not (tmp_path / "curriculum.db").exists()
    assert report(tmp_path)["distinct"] == 8
    assert len(episodes(tmp_path)) == 8 * SIZE


def test_settings_come_from_a_file_and_flags_win(cli: Cli, served: Served, tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text(
        f"""
        model = "scripted"
        groups = 2
        group_size = 5
        [client]
        base_url = "{served.url}"
        [env.taskset]
        id = "coins"
        count = 30
        [env.taskset.curriculum]
        sampler = {{ type = "sequential" }}
        """
    )
    done = cli("run", f"--config={file}", "--groups=3", f"--output={tmp_path}/out")
    assert (done.code, done.err) == (0, "")
    assert report(tmp_path / "out")["rollouts"] == 15
    assert [uid for _, uid in draws(tmp_path / "out")] == ["coin-0", "coin-1", "coin-2"]


def test_the_group_size_of_the_file_counts_unless_a_flag_gives_another(
    cli: Cli, served: Served, tmp_path: Path
) -> None:
    file = tmp_path / "run.toml"
    file.write_text(
        '[env.taskset]\nid = "coins"\n[env.taskset.curriculum]\ngroup_size = 3\n', encoding="utf-8"
    )
    endpoint = ("--base-url", served.url, "--model", "scripted", "--groups=2")
    for flags, size in (((), 3), (("-G", 5), 5)):
        out = tmp_path / f"out{size}"
        done = cli("run", f"--config={file}", *endpoint, *flags, f"--output={out}")
        assert (done.code, done.err) == (0, "")
        assert (report(out)["group_size"], report(out)["rollouts"]) == (size, 2 * size)
    file.write_text("group_size = 2\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
    refused(cli("run", f"--config={file}", *endpoint), "group_size is 2", "same setting")


def test_the_folder_of_a_wrapped_run_names_what_is_wrapped(
    cli: Cli, served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    inner = ("--set", "taskset.inner.id=plain-coins")
    sizes = ("--groups=1", "--group-size=2")
    done = cli("run", "curriculum-wrap", *inner, "--base-url", served.url, "--model=M x", *sizes)
    assert (done.code, done.err) == (0, "")
    (folder,) = (tmp_path / "outputs").iterdir()
    assert folder.name == "curriculum-wrap--plain-coins--m-x"


def test_where_the_output_is_no_terminal_a_line_says_how_far_it_is(
    cli: Cli, served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("curriculum_env.cli.progress.LINE_SECONDS", 0.0)
    out = cli(*arguments(served, tmp_path)).out
    assert "1/24 rollouts  last 100 draws: ρ –" in out
    assert "23/24 rollouts  last 100 draws: ρ" in out
    assert f"mean reward of all {report(tmp_path)['mean_reward']:.3f}" in out


def test_bad_input_is_refused_before_a_rollout_is_paid_for(
    cli: Cli, served: Served, tmp_path: Path
) -> None:
    def asked(**more: Any) -> Any:
        return cli(*arguments(served, tmp_path / "out", **more))

    refused(cli("run"), "no taskset was named")
    misplaced = tmp_path / "misplaced.toml"
    misplaced.write_text('[taskset]\nid = "coins"\n', encoding="utf-8")
    refused(cli("run", "--config", misplaced), "no setting taskset;", "[env.taskset]", "no taskset")
    refused(cli("run", "coins"), "no model to run against")
    refused(cli("run", "coins", "--base-url", served.url), "no model was named")
    refused(cli("run", "--resume"), "--output")
    refused(cli("run", "--resume", f"--output={tmp_path}"), "holds no run to resume")
    refused(asked(groups=0), "groups", "found 0")
    refused(asked(groups="many"), "--groups", "integer")
    refused(cli("run", "coins", "--no-such-option"), "--no-such-option")
    refused(asked(taskset="no-such-taskset"), "no taskset 'no-such-taskset' is installed")
    refused(asked(taskset="plain-coins"), "curriculum-wrap")
    refused(asked(taskset="curriculum-wrap"), "inner")
    refused(asked(sampler="best"), "'best'", "survival")
    refused(asked(set="taskset.curriculum.explore=2"), "explore", "2")
    refused(asked(set="taskset.curriculum.novelty=2", sampler="best"), "novelty", "'best'")
    refused(asked(set="explore"), "key=value")
    refused(asked(config=tmp_path / "none.toml"), "cannot read")
    refused(asked(**{"base-url": "http://127.0.0.1:9/v1"}), "no server answers")
    refused(asked(policy="smollm2"), "--policy", "--base-url")
    refused(asked(workers=2, store="memory://here"), "memory://here")
    refused(asked(store="mysql://host/db"), "mysql")
    (tmp_path / "file").write_text("")
    refused(asked(store=f"sqlite:///{tmp_path}/file/curriculum.db"), "store")
    refused(cli(*arguments(served, tmp_path / "file")), "file")
    refused(asked(set="taskset.count=0"), "pool")
    assert served.policy.calls == 0
    assert not (tmp_path / "out" / "traces.jsonl").exists()


def test_a_toml_file_that_is_none(cli: Cli, served: Served, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("groups = ")
    refused(cli(*arguments(served, tmp_path / "out", config=tmp_path / "bad.toml")), "not TOML")


def test_two_runs_do_not_share_a_folder_or_a_store(
    cli: Cli, served: Served, tmp_path: Path
) -> None:
    assert cli(*arguments(served, tmp_path / "one")).code == 0
    refused(cli(*arguments(served, tmp_path / "one")), "already holds a run", "--resume")
    store = f"sqlite:///{tmp_path}/one/curriculum.db"
    used = cli(*arguments(served, tmp_path / "two", store=store))
    refused(used, "draws", "--resume", "--set taskset.curriculum.resume=warm", "--store")
    other = cli("run", "--resume", f"--output={tmp_path}/one", "--group-size=2")
    refused(other, "group_size = 4, now it is 2")
    other = cli("run", "--resume", f"--output={tmp_path}/one", "--sampler=thompson")
    refused(other, 'sampler.type = "survival", now it is "thompson"')
    fresh = f"--store=sqlite:///{tmp_path}/fresh.db"
    refused(cli("run", "--resume", f"--output={tmp_path}/one", fresh), "does not know")
    with closing(open_store(store)) as owner:
        owner.acquire()
        refused(cli("run", "--resume", f"--output={tmp_path}/one", "--groups=7"), str(os.getpid()))
    assert served.policy.calls == GROUPS * SIZE


# --- interrupted runs ------------------------------------------------------------------------
@contextmanager
def running(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", "from curriculum_env.cli import main; main()", *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([TASKSETS, HERE, *sys.path])},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        assert process.stdout
        process.stdout.close()


def wait_for(condition: Any, seconds: float = 150.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def paced(served: Served, folder: Path, delay: float, **more: Any) -> list[str]:
    settings = {"groups": 50, "concurrency": 6, "set": f"taskset.delay={delay}", **more}
    return arguments(served, folder, "paced-coins", **settings)


@pytest.mark.parametrize("workers", [0, 2])
def test_ctrl_c_finishes_what_is_in_flight_and_sums_up(
    cli: Cli, served: Served, tmp_path: Path, workers: int
) -> None:
    with running(*paced(served, tmp_path, 0.3, workers=workers)) as process:
        wait_for(lambda: served.policy.calls >= 8)
        os.killpg(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=150)
    assert process.returncode == 130
    assert "Interrupted." in out
    assert f"go on with `curriculum-env run --resume --output {tmp_path}`" in out
    assert "Traceback" not in out
    played = episodes(tmp_path)
    assert all(episode.ok for episode in played)
    assert len(played) == served.policy.calls == report(tmp_path)["rollouts"] < 50 * SIZE
    before = draws(tmp_path)
    total = len(before) + 1
    done = cli("run", "--resume", f"--output={tmp_path}", f"--groups={total}", "--workers=0")
    assert done.code == 0
    assert draws(tmp_path)[: len(before)] == before
    assert len(episodes(tmp_path)) == served.policy.calls == total * SIZE


def test_a_second_ctrl_c_cancels_what_is_in_flight(served: Served, tmp_path: Path) -> None:
    with running(*paced(served, tmp_path, 30.0, workers=2)) as process:
        wait_for(lambda: served.policy.calls >= 6)
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.5)
        assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=150)
    assert process.returncode == 130
    assert "Traceback" not in out
    assert report(tmp_path)["rollouts"] == 0
    assert {status for _, status in recorded(tmp_path)} == {"cancelled"}
    assert sum(recorded(tmp_path).values()) == 6


def test_a_terminated_run_sums_up_too(served: Served, tmp_path: Path) -> None:
    with running(*paced(served, tmp_path, 30.0)) as process:
        wait_for(lambda: served.policy.calls >= 6)
        process.terminate()
        process.communicate(timeout=150)
    assert process.returncode == 130
    assert report(tmp_path)["draws"] == 2


@pytest.mark.parametrize("workers", [0, 2])
def test_a_killed_run_goes_on_without_paying_twice(
    cli: Cli, served: Served, tmp_path: Path, workers: int
) -> None:
    concurrency = 6
    with running(*paced(served, tmp_path, 0.1, workers=workers)) as process:
        wait_for(lambda: served.policy.calls >= 40)
        process.kill()
        process.wait()
    time.sleep(0.5)
    finished = {e.id for line in _whole_lines(tmp_path) if (e := line).ok}
    before, paid = draws(tmp_path), served.policy.calls
    assert finished
    assert paid - len(finished) <= 2 * concurrency
    total = len(before) + 1
    done = cli("run", "--resume", f"--output={tmp_path}", f"--groups={total}", "--workers=0")
    assert done.code == 0
    assert draws(tmp_path)[: len(before)] == before
    played = episodes(tmp_path)
    assert finished <= {episode.id for episode in played}
    assert len(played) == total * SIZE
    assert served.policy.calls == paid + total * SIZE - len(finished)


def _whole_lines(folder: Path) -> list[Any]:
    text = (folder / "traces.jsonl").read_bytes()
    return [WireEpisode.model_validate_json(line) for line in text.split(b"\n")[:-1]]


def test_a_worker_that_dies_is_replaced(served: Served, tmp_path: Path) -> None:
    with running(*paced(served, tmp_path, 0.2, workers=2, groups=20)) as process:
        wait_for(lambda: served.policy.calls >= 12)
        victim = _children(process.pid)[-1]
        os.kill(victim, signal.SIGKILL)
        out, _ = process.communicate(timeout=150)
    assert process.returncode == 3, out
    assert "exit code -9" in out
    summary = report(tmp_path)
    assert f"{summary['errors']} rollouts failed and are owed" in out
    assert 1 <= summary["errors"] <= 6
    assert summary["rollouts"] + summary["errors"] == 20 * SIZE
    assert len(episodes(tmp_path)) == summary["rollouts"]


def test_an_endpoint_that_dies_leaves_a_debt_that_the_hinted_command_pays(
    cli: Cli, served: Served, tmp_path: Path
) -> None:
    served.policy.outage = Outage(start=60, errors=10**6, wrong=0)
    options: dict[str, Any] = {"groups": 40, "set": 'agent.harness={id="coins",max_retries=0}'}
    with running(*arguments(served, tmp_path, **options)) as process:
        out, _ = process.communicate(timeout=150)
    assert process.returncode == 3, out
    failed = report(tmp_path)["errors"]
    assert failed == 40 * SIZE - 60
    assert f"{failed} rollouts failed and are owed" in out
    assert out.count("model call failed") == 2
    assert f"{failed - 1} more like: model call failed" in out
    assert _outages(cli, tmp_path) == [False]
    served.policy.outage = None
    command = re.search(r"go on with `curriculum-env (.*)`", out)
    assert command is not None
    done = cli(*shlex.split(command[1]))
    assert (done.code, done.err) == (0, "")
    assert (report(tmp_path)["rollouts"], report(tmp_path)["errors"]) == (40 * SIZE, 0)
    assert _outages(cli, tmp_path) == [True]


def _outages(cli: Cli, folder: Path) -> list[bool]:
    """Whether each outage is over, as `status` tells it."""
    found = json.loads(cli("status", folder, "--json").out)["outages"]
    return [outage["ended"] is not None for outage in found]


def _children(pid: int) -> list[int]:
    """The worker processes of a run, by rising process id."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (entry / "stat").exists():
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            command = (entry / "cmdline").read_bytes()
            if int(fields[1]) == pid and b"spawn_main" in command:
                found.append(int(entry.name))
    return sorted(found)


# --- where nothing more can be written -------------------------------------------------------
def test_a_full_disk_ends_the_run_as_ctrl_c_does(cli: Cli, served: Served, tmp_path: Path) -> None:
    traces = tmp_path / "traces.jsonl"
    traces.symlink_to("/dev/full")
    ended = cli(*arguments(served, tmp_path, groups=50, concurrency=4))
    refused(ended, "traces.jsonl", "No space left on device", "--resume")
    assert "pass rate" in ended.out
    assert "go on with `curriculum-env run --resume" in ended.out
    paid = served.policy.calls
    assert report(tmp_path)["rollouts"] == paid < 50 * SIZE
    traces.unlink()
    drawn = len(draws(tmp_path))
    done = cli("run", "--resume", f"--output={tmp_path}", f"--groups={drawn}")
    assert done.code == 0
    assert len(episodes(tmp_path)) == drawn * SIZE


def test_a_report_that_cannot_be_written_is_printed_all_the_same(
    cli: Cli, served: Served, tmp_path: Path
) -> None:
    (tmp_path / "report.json").symlink_to("/dev/full")
    ended = cli(*arguments(served, tmp_path))
    refused(ended, "report.json cannot be written")
    assert "pass rate" in ended.out
    assert len(episodes(tmp_path)) == GROUPS * SIZE


def test_a_run_leaves_the_difficulty_of_the_whole_pool(
    cli: Cli, served: Served, tmp_path: Path
) -> None:
    assert cli(*arguments(served, tmp_path)).code == 0
    table = {row["uid"]: row for row in pq.read_table(tmp_path / "difficulty.parquet").to_pylist()}
    assert len(table) == 2000
    drawn = Counter(uid for _, uid in draws(tmp_path))
    assert {uid: row["rollouts"] for uid, row in table.items() if row["visits"]} == {
        uid: times * SIZE for uid, times in drawn.items()
    }
    assert json.loads((tmp_path / "difficulty.json").read_text())["rows"] == 2000


def test_the_output_may_begin_at_home(
    cli: Cli, served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert cli(*arguments(served, Path("~/run"))).code == 0
    assert len(draws(tmp_path / "run")) == GROUPS
    assert sorted(file.name for file in tmp_path.iterdir()) == ["run"]


def test_a_saved_run_that_lacks_settings_is_refused(
    cli: Cli, served: Served, tmp_path: Path
) -> None:
    settings.save({"env": {"taskset": {"id": "coins"}}}, tmp_path)
    refused(cli(*arguments(served, tmp_path), "--resume"), "was started with")
