from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.lab import competitors
from curriculum_env import CurriculumConfig
from curriculum_env.errors import ConfigError
from curriculum_env.samplers import KINDS
from curriculum_env.sim import SETTINGS, Play, entrants, run_lab, tuned
from curriculum_env.sim.entrants import PLAIN, TUNED, entrant
from curriculum_env.sim.search import candidates, search

TINY = replace(SETTINGS["features"], tasks=300, heldout=200, budget=2048)
BLIND = replace(TINY, name="blind", known=False)


def timeless(plays: list[Play]) -> list[Play]:
    return [replace(found, draw_us=0.0) for found in plays]


def test_processes_do_not_change_what_is_found() -> None:
    everyone = [entrants()[name] for name in ("default", "uniform", "staged")]
    moves: list[None] = []
    alone = run_lab(everyone, [TINY, BLIND], range(2), 1, lambda: moves.append(None))
    together = run_lab(everyone, [TINY, BLIND], range(2), 2)
    assert timeless(alone[0]) == timeless(together[0])
    assert alone[1] == together[1]
    assert len(moves) == 12
    assert [(found.entrant, found.setting) for found in alone[1]] == [("staged", "blind")]
    assert len(alone[0]) == 10


def test_every_registered_rule_is_an_entrant_without_help_of_the_engine() -> None:
    found = entrants()
    types = {config.model_fields["type"].default for config in KINDS} - {None}
    assert {one.config.sampler.type for one in found.values()} >= types
    mopps = found["mopps"].config
    assert (mopps.novelty, mopps.explore, mopps.pick) == (1.0, 0.0, "top")
    assert mopps.estimator.type == "beta"
    assert found["default"].config == CurriculumConfig()
    assert {one.name for one in found.values() if one.kind == "reference"} == {
        "oracle",
        "uniform-live",
    }


def test_settings_that_cannot_be_used_are_refused() -> None:
    with pytest.raises(ConfigError, match="mine cannot be used at 'explore'"):
        entrant("mine", {"explore": 2})


def test_candidates_are_valid_and_start_with_the_rule_itself() -> None:
    own = entrants()["greso"]
    tried = candidates(own, 6, seed=1)
    assert tried[0].config == own.config
    assert len({one.config.model_dump_json() for one in tried}) == 6
    assert [one.config for one in tried] == [one.config for one in candidates(own, 6, seed=1)]


def test_a_search_finds_what_learns_faster() -> None:
    found = search([entrants()["speed"]], [TINY], count=3, seeds=1, processes=1)
    chosen = entrant("chosen", found["speed"])
    plays, _ = run_lab([entrants()["speed"], chosen], [TINY], [1_000_000], processes=1)
    areas = {run.entrant: run.area for run in plays}
    assert areas["chosen"] >= areas["speed"]


def test_the_tuned_column_is_read(tmp_path: Path) -> None:
    path = tmp_path / "tuned.json"
    assert tuned(path) == {}
    path.write_text(json.dumps({"rules": {"mopps": {"sampler": {"type": "mopps", "decay": 0.7}}}}))
    found = tuned(path)["mopps*"]
    assert (found.kind, found.config.sampler.model_dump()["decay"]) == ("tuned", 0.7)


def test_the_shipped_tuned_column_names_rules_of_today() -> None:
    names = {name.removesuffix("*") for name in tuned()}
    assert TUNED.exists()
    assert names <= set(entrants())
    assert "command" in json.loads(TUNED.read_text())


def test_the_oracle_is_ahead_of_everyone_it_should_be() -> None:
    setting = replace(SETTINGS["dead-pool"], budget=16_000)
    everyone = [entrants()[name] for name in ("oracle", "uniform-live", "uniform")]
    plays, _ = run_lab(everyone, [setting], [0], processes=1)
    oracle, live, uniform = (np.array(run.area) for run in plays)
    assert oracle > live > uniform


def test_who_knows_the_policy_but_not_the_tasks_stands_between_the_oracle_and_uniform() -> None:
    setting = replace(SETTINGS["features"], tasks=600, budget=4096)
    sampler = {"type": "custom", "class_path": "curriculum_env.sim.oracle:Oracle"}
    informed = entrant("informed", {**PLAIN, "sampler": {**sampler, "args": {"worth": "informed"}}})
    everyone = [entrants()["oracle"], informed, entrants()["uniform"]]
    plays, _ = run_lab(everyone, [setting], [0], processes=1)
    rho = {run.entrant: run.rho for run in plays}
    assert rho["oracle"] > rho["informed"] > rho["uniform"]


def test_others_are_the_published_rules_and_ours_stand_apart() -> None:
    everyone = {**entrants(), **tuned()}
    others, ours = competitors(everyone), competitors(everyone, ours=True)
    assert {"speed", "speed*", "mopps", "uniform"} <= set(others)
    assert {"survival", "mixture", "gain*"} <= set(ours)
    assert not {"default", "gain", "oracle"} & {*others, *ours}
    assert not set(others) & set(ours)
