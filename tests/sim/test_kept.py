from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from curriculum_env.sim import SETTINGS, Play, entrants, play, run_lab
from curriculum_env.sim import lab as module
from curriculum_env.sim.kept import Job, Kept, Refused

TINY = replace(SETTINGS["features"], tasks=300, heldout=200, budget=2048)
BLIND = replace(TINY, name="blind", known=False)
EVERYONE = [entrants()[name] for name in ("default", "uniform", "staged")]


def test_a_comparison_that_was_stopped_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played: list[str] = []

    def counted(name: str, *rest: object) -> Play:
        played.append(name)
        if len(played) == 3:
            raise KeyboardInterrupt
        return real(name, *rest)  # type: ignore[arg-type]

    real = play
    monkeypatch.setattr(module, "play", counted)
    with pytest.raises(KeyboardInterrupt):
        run_lab(EVERYONE, [TINY, BLIND], [0], 1, folder=tmp_path)
    kept = run_lab(EVERYONE, [TINY, BLIND], [0], 1, folder=tmp_path)
    assert len(played) == 7
    assert run_lab(EVERYONE, [TINY, BLIND], [0], 2, folder=tmp_path) == kept
    assert len(played) == 7
    assert [found.entrant for found in kept[1]] == ["staged"]
    fresh = run_lab(EVERYONE[:2], [TINY], [0], 1)[0]
    of_tiny = [run for run in kept[0] if run.setting == "features" and run.entrant != "staged"]
    assert [run.curve for run in fresh] == [run.curve for run in of_tiny]


def test_another_setting_of_the_rule_or_the_world_is_another_run(tmp_path: Path) -> None:
    kept, job = Kept(tmp_path), Job(EVERYONE[0], TINY, 0)
    kept.write(job, Refused("default", "features", "for once"))
    assert kept.read(job) == Refused("default", "features", "for once")
    changed = job.entrant.config.model_copy(update={"novelty": 0.5})
    assert kept.read(replace(job, entrant=replace(job.entrant, config=changed))) is None
    assert kept.read(replace(job, setting=replace(TINY, gain=0.02))) is None
    assert kept.read(replace(job, seed=1)) is None


def test_a_starred_entrant_has_a_file_of_its_own(tmp_path: Path) -> None:
    kept, job = Kept(tmp_path), Job(EVERYONE[1], TINY, 0)
    starred = replace(job, entrant=replace(job.entrant, name="uniform*"))
    kept.write(starred, Refused("uniform*", "features", "x"))
    assert kept.read(job) is None
    assert kept.read(starred) is not None
