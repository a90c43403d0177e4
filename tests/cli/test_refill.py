from __future__ import annotations

from pathlib import Path
from typing import Any

from curriculum_env.types import Group
from tests.cli.conftest import Cli, Served, cli, refused, served
from tests.cli.runs import arguments, draws, recorded, report

__all__ = ["cli", "served"]

EVEN = ("--set=taskset.curriculum.sampler.type=uniform", "--concurrency=4")


def test_the_run_draws_on_until_enough_groups_live(
    cli: Cli, served: Served, tmp_path: Path
) -> None:
    done = cli(*arguments(served, tmp_path, groups=5), "--refill", *EVEN)
    assert (done.code, done.err) == (0, "")
    refill: dict[str, Any] = report(tmp_path)["refill"]
    assert len(refill["batch"]) == refill["groups"] == 5
    numbers = [number for number, _ in draws(tmp_path)]
    kept = 5 + refill["carried"]
    assert len(numbers) == report(tmp_path)["draws"] == kept + refill["discarded"]
    assert refill["discarded"] > 0
    assert set(refill["batch"]) <= set(numbers)
    assert refill["rho"] == kept / len(numbers)
    assert recorded(tmp_path) == {(number, "ok"): 4 for number in numbers}, "all are learned from"
    assert "5 of 5 groups worth training on" in done.out


def test_its_groups_are_those_whose_rewards_differ(
    cli: Cli, served: Served, tmp_path: Path
) -> None:
    from contextlib import closing

    from curriculum_env.store import open_store

    assert cli(*arguments(served, tmp_path, groups=5), "--refill", *EVEN).code == 0
    with closing(open_store(f"sqlite:///{tmp_path}/curriculum.db")) as store:
        outcomes = store.reader().read()
    for number in report(tmp_path)["refill"]["batch"]:
        rewards = [outcome.reward for outcome in outcomes if outcome.draw == number]
        assert Group(number, 0, tuple(reward or 0.0 for reward in rewards)).alive


def test_resuming_asks_for_more_of_them(cli: Cli, served: Served, tmp_path: Path) -> None:
    assert cli(*arguments(served, tmp_path, groups=3), "--refill", *EVEN).code == 0
    first, calls = draws(tmp_path), served.policy.calls
    done = cli("run", "--resume", f"--output={tmp_path}", "--groups=6")
    assert (done.code, done.err) == (0, "")
    assert len(report(tmp_path)["refill"]["batch"]) == 6
    assert draws(tmp_path)[: len(first)] == first
    assert served.policy.calls == calls + 4 * (len(draws(tmp_path)) - len(first))


def test_a_pool_without_a_living_group_ends_with_a_word(
    cli: Cli, served: Served, tmp_path: Path
) -> None:
    served.policy.answer = lambda prompt: "no idea"
    file = tmp_path / "run.toml"
    file.write_text("[refill]\nrounds = 2\n")
    out = tmp_path / "out"
    done = cli(*arguments(served, out, groups=3), f"--config={file}", *EVEN)
    assert done.code == 2
    assert "0 of 6 groups drawn are worth training on" in done.err
    assert report(out)["draws"] == 6
    assert report(out)["refill"]["batch"] == []


def test_refill_needs_a_split_that_does_not_end(cli: Cli, served: Served, tmp_path: Path) -> None:
    asked = arguments(served, tmp_path, set="taskset.split=heldout")
    refused(cli(*asked, "--refill"), "heldout", "leave out --refill")
