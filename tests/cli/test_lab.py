from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from curriculum_env import Curriculum, CurriculumConfig, Outcome, Row
from tests.cli.conftest import Cli, refused

SMALL = ("--budget", 4096, "--seeds", 1, "--processes", 1)


def test_one_table_one_plot_and_json(cli: Cli, tmp_path: Path) -> None:
    done = cli(
        "lab", "--settings", "features,dead-pool", "--rules", "default,mopps", *SMALL,
        "--output", tmp_path, "--format", "svg",
    )  # fmt: skip
    assert done.code == 0
    lines = done.out.splitlines()
    assert "features" in lines[0]
    assert "dead-pool" in lines[0]
    assert {line.split()[0] for line in lines[1:4]} == {"default", "mopps", "uniform"}
    assert (tmp_path / "lab.svg").read_bytes().startswith(b"<?xml")
    found = json.loads((tmp_path / "lab.json").read_text())
    assert {line["entrant"] for line in found["settings"]["dead-pool"]} == {
        "default",
        "mopps",
        "uniform",
    }
    assert [panel["setting"] for panel in found["curves"]] == ["features", "dead-pool"]


def test_one_setting_is_shown_in_full(cli: Cli, tmp_path: Path) -> None:
    done = cli("lab", "--settings", "ladder-easy", "--rules", "oracle", *SMALL, "-o", tmp_path)
    assert done.code == 0
    assert "effective" in done.out.splitlines()[0]
    assert "95% intervals" in done.out


def test_a_file_adds_an_entrant_and_json_is_all_that_is_printed(cli: Cli, tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('explore = 0.3\nsampler = { type = "greedy" }\n')
    done = cli(
        "lab", "--settings", "no-features", "--rules", "staged", "--config", mine, *SMALL,
        "--output", tmp_path, "--json",
    )  # fmt: skip
    found = json.loads(done.out)
    assert {line["entrant"] for line in found["settings"]["no-features"]} == {"mine", "uniform"}
    assert [out["entrant"] for out in found["refused"]] == ["staged"]


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_without_matplotlib_all_but_the_plot_is_there(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: tuple[str, ...]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    settings = ("--settings", "features", "--rules", "default")
    done = cli("lab", *settings, *SMALL, "-o", tmp_path, *form)
    assert done.code == 0
    assert "No plot: matplotlib is not installed" in done.err
    assert "curriculum-env[plots]" in done.err
    assert [file.name for file in tmp_path.iterdir()] == ["lab.json"]
    if form:
        assert set(json.loads(done.out)["settings"]) == {"features"}
    else:
        assert "default" in done.out
        assert "lab.png" not in done.out


@pytest.mark.parametrize(
    ("option", "value", "word"),
    [("--settings", "nowhere", "features"), ("--rules", "nobody", "mopps")],
)
def test_unknown_names_are_refused_with_the_known_ones(
    cli: Cli, option: str, value: str, word: str
) -> None:
    refused(cli("lab", option, value), value, word)


def test_a_file_that_is_no_curriculum_is_refused(cli: Cli, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("novelty = 7\n")
    refused(cli("lab", "--config", wrong), "wrong", "novelty")


def test_estimators_are_scored_on_a_recorded_run(cli: Cli, tmp_path: Path) -> None:
    rows = [Row(f"{i}", {}, level=str(i % 2)) for i in range(20)]
    store = tmp_path / "curriculum.db"
    with Curriculum(rows, CurriculumConfig(group_size=4), f"sqlite:///{store}") as curriculum:
        for _ in range(30):
            draw = curriculum.ask()
            for i in range(4):
                reward = float((int(draw.uid) + i) % 4 == 0)
                curriculum.tell(Outcome(draw.number, draw.uid, f"{draw.number}.{i}", reward))
        curriculum.sync(5.0)
    done = cli("lab", "--replay", tmp_path)
    assert done.code == 0
    assert {"beta", "ema", "global-ema"} <= {line.split()[0] for line in done.out.splitlines()}
    scores = json.loads(cli("lab", "--replay", store, "--json").out)
    assert scores == sorted(scores, key=lambda score: score["log_loss"])
    assert {score["rollouts"] for score in scores} == {120}
    refused(cli("lab", "--replay", tmp_path / "nothing.db"), "nothing.db")
