from __future__ import annotations

import json
import os
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from curriculum_env.adapters.verifiers.runner.rollouts import place
from curriculum_env.store import open_store
from tests.cli.conftest import Cli, Served, refused
from tests.cli.runs import GROUPS, SIZE, arguments, draws, episodes, recorded, report


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
    refused(other, 'sampler.type = "gain", now it is "thompson"')
    fresh = f"--store=sqlite:///{tmp_path}/fresh.db"
    refused(cli("run", "--resume", f"--output={tmp_path}/one", fresh), "does not know")
    with closing(open_store(store)) as owner:
        owner.acquire()
        refused(cli("run", "--resume", f"--output={tmp_path}/one", "--groups=7"), str(os.getpid()))
    assert served.policy.calls == GROUPS * SIZE
