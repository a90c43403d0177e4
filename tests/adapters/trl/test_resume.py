from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from curriculum_env.errors import StateError
from tests.adapters.trl.letters import letters
from tests.adapters.trl.training import series, trainer, weights


def whole_and_resumed(folder: Path, at: int, **settings: Any) -> tuple[Any, Any]:
    """A run of 6 steps, and the end of the same run resumed from its checkpoint `at`."""
    settings = {"max_steps": 6, "save_strategy": "steps", "save_steps": at, **settings}
    whole = trainer(folder / "whole", taskset=taskset(settings), **settings)
    whole.train()
    resumed = trainer(folder / "resumed", taskset=taskset(settings), **settings)
    resumed.train(resume_from_checkpoint=str(folder / "whole" / f"checkpoint-{at}"))
    return whole, resumed


def taskset(settings: dict[str, Any]) -> Any:
    rule = "uniform" if settings.get("dynamic_sampling") else "survival"
    dead = 0.7 if settings.get("dynamic_sampling") else 0.2
    return letters(dead=dead, curriculum={"sampler": {"type": rule}})


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"gradient_accumulation_steps": 2, "per_device_train_batch_size": 8},
        {"kind": "rloo"},
        {"dynamic_sampling": True},
        {"steps_per_generation": 3, "per_device_train_batch_size": 8, "num_generations": 8},
        {"num_iterations": 2, "dynamic_sampling": True, "scale_learning_rate": True},
    ],
    ids=["plain", "accumulated", "rloo", "dynamic", "amid a generation", "amid iterations"],
)
def test_a_resumed_run_is_the_same_to_the_bit(tmp_path: Path, settings: dict[str, Any]) -> None:
    whole, resumed = whole_and_resumed(tmp_path, at=3, **settings)
    tail = whole.seen[-len(resumed.seen) :]
    assert 0 < len(resumed.seen) < len(whole.seen)
    assert resumed.seen == tail
    assert torch.equal(weights(whole), weights(resumed))
    names = ("loss", "reward", "curriculum/draws", "curriculum/rho", "frac_reward_zero_std")
    for name in names:
        assert series(whole, name) == series(resumed, name)
    mine, theirs = whole.curriculum.state_dict(), resumed.curriculum.state_dict()
    for part in ("beliefs", "plan", "draws", "next_number", "diversity"):
        assert mine[part] == theirs[part]
    for name, values in mine["arrays"].items():
        np.testing.assert_array_equal(values, theirs["arrays"][name])


def test_carried_groups_survive(tmp_path: Path) -> None:
    """Every step is a checkpoint; a resume from one with carried groups is the same to the bit."""
    settings: dict[str, Any] = {"save_strategy": "steps", "save_steps": 1}
    settings |= {"max_steps": 6, "dynamic_sampling": True}
    whole = trainer(tmp_path, taskset=taskset(settings), **settings)
    whole.train()
    carried = series(whole, "curriculum/carried_groups")
    at = 1 + next(place for place, groups in enumerate(carried[:-1]) if groups)
    resumed = trainer(tmp_path / "again", taskset=taskset(settings), **settings)
    resumed.train(resume_from_checkpoint=str(tmp_path / f"checkpoint-{at}"))
    assert torch.equal(weights(whole), weights(resumed))
    assert series(resumed, "curriculum/carried_groups") == carried
    assert series(resumed, "curriculum/generated_groups") == series(
        whole, "curriculum/generated_groups"
    )


def test_logging_goes_on_between_two_lines(tmp_path: Path) -> None:
    whole, resumed = whole_and_resumed(tmp_path, at=3, logging_steps=2)
    assert series(whole, "reward") == series(resumed, "reward")


def test_a_store_outlives_a_crash(tmp_path: Path) -> None:
    """A run that died after its checkpoint replays what the store logged since."""
    store = f"sqlite:///{tmp_path / 'run.db'}"
    settings: dict[str, Any] = {"save_strategy": "steps", "save_steps": 2}
    settings["curriculum_store"] = store
    died = trainer(tmp_path, max_steps=5, **settings)
    died.train()
    died.shared.close()
    again = trainer(tmp_path, max_steps=8, **settings)
    again.train(resume_from_checkpoint=str(tmp_path / "checkpoint-2"))
    again.shared.close()
    replayed = [seen["draws"] for seen in again.seen[:3]]
    assert replayed == [seen["draws"] for seen in died.seen[2:]]
    assert [seen["rewards"] for seen in again.seen[:3]] == [s["rewards"] for s in died.seen[2:]]
    assert len({number for seen in again.seen for number, _ in seen["draws"]}) == 24
    assert again.curriculum.metrics()["outcomes"] == 8 * 16


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    one = trainer(
        tmp_path,
        max_steps=1,
        save_strategy="steps",
        save_steps=1,
        steps_per_generation=2,
        per_device_train_batch_size=8,
    )
    one.train()
    return tmp_path / "checkpoint-1"


def resume(checkpoint: Path, **settings: Any) -> None:
    settings = {"steps_per_generation": 2, "per_device_train_batch_size": 8, **settings}
    trainer(checkpoint.parent, max_steps=2, **settings).train(
        resume_from_checkpoint=str(checkpoint)
    )


def test_a_checkpoint_without_a_curriculum_is_refused(checkpoint: Path) -> None:
    shutil.rmtree(checkpoint / "curriculum")
    with pytest.raises(StateError, match=r"no whole curriculum state.*model='.*checkpoint-1'"):
        resume(checkpoint)


@pytest.mark.parametrize("name", ["state.json", "state.npz", "trainer.json"])
def test_a_damaged_checkpoint_is_refused(checkpoint: Path, name: str) -> None:
    path = checkpoint / "curriculum" / name
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(StateError, match="expected"):
        resume(checkpoint)


def test_half_a_generation_needs_the_same_batches(checkpoint: Path) -> None:
    assert json.loads((checkpoint / "curriculum" / "trainer.json").read_text())["midway"]
    with pytest.raises(StateError, match="steps_per_generation is 4 now; expected 2 as then"):
        resume(checkpoint, steps_per_generation=4, per_device_train_batch_size=4)
