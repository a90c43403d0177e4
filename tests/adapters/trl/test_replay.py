from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import torch

from curriculum_env.errors import ConfigError
from tests.adapters.trl.letters import letters
from tests.adapters.trl.training import series, trainer, weights

HALF: dict[str, Any] = {"trajectory_replay": 0.5, "max_steps": 6}


@pytest.mark.parametrize(("kind", "rate"), [("grpo", 1e-2), ("rloo", 3e-3)])
@pytest.mark.parametrize("dynamic", [False, True])
def test_half_of_each_batch_is_replayed(
    tmp_path: Path, kind: str, rate: float, dynamic: bool
) -> None:
    one = trainer(tmp_path, kind, dynamic_sampling=dynamic, learning_rate=rate, **HALF)
    one.train()
    assert [len(output["advantages"]) for output in one.trained] == [16] * 6
    shares = [float(output["replayed"].mean()) for output in one.trained]
    assert shares == [0.0, *[0.5] * 5]
    if not dynamic:
        assert [len(seen["draws"]) for seen in one.seen] == [4, *[2] * 5]
    assert max(series(one, "curriculum/trajectories/age_used_max")) in (1, 2)
    assert 0 < max(series(one, "curriculum/trajectories/clip_share")) < 1


def test_the_clip_share_is_that_of_trl(tmp_path: Path) -> None:
    """Fresh rollouts have a ratio of 1, so all that TRL clips is replayed."""
    one = trainer(tmp_path, learning_rate=1e-2, **HALF)
    one.train()
    clipped = tokens = 0.0
    measured = series(one, "curriculum/trajectories/clip_share")
    for output, region, share in zip(
        one.trained, series(one, "clip_ratio/region_mean"), measured, strict=True
    ):
        mask = output["completion_mask"]
        clipped += region * float(mask.sum())
        tokens += float((mask * output["replayed"].unsqueeze(1)).sum())
        assert share == pytest.approx(clipped / tokens if tokens else 0.0, abs=1e-5)
    assert measured[-1] > 0


def test_a_replayed_rollout_is_what_it_was(tmp_path: Path) -> None:
    """Its tokens, advantage and log-probabilities are those of its own time."""
    one = trainer(tmp_path, learning_rate=1e-2, **HALF)
    one.train()
    fresh: dict[tuple[int, ...], list[tuple[float, list[float]]]] = {}
    found = 0
    for output in one.trained:
        for row in range(16):
            said = tuple(
                output["completion_ids"][row][output["completion_mask"][row].bool()].tolist()
            )
            asked = tuple(output["prompt_ids"][row].tolist())
            old = output["old_per_token_logps"][row][: len(said)].tolist()
            was = (float(output["advantages"][row]), old)
            if output["replayed"][row]:
                assert any(
                    was[0] == pytest.approx(a) and was[1] == pytest.approx(b, abs=1e-6)
                    for a, b in fresh[asked + said]
                )
                found += 1
            else:
                fresh.setdefault(asked + said, []).append(was)
    assert found == 40


@pytest.mark.parametrize(("tau", "oldest"), [(1, 1), (3, 3)])
def test_nothing_older_than_tau_max_is_used(tmp_path: Path, tau: int, oldest: int) -> None:
    one = trainer(tmp_path, trajectory_tau_max=tau, **{**HALF, "max_steps": 10})
    one.train()
    assert max(series(one, "curriculum/trajectories/age_used_max")) == oldest


def test_age_counts_to_the_last_update_of_a_generation(tmp_path: Path) -> None:
    settings: Any = {**HALF, "steps_per_generation": 2, "per_device_train_batch_size": 8}
    one = trainer(tmp_path, trajectory_tau_max=3, **{**settings, "max_steps": 12})
    one.train()
    assert max(series(one, "curriculum/trajectories/age_used_max")) <= 3
    with pytest.raises(ConfigError, match="tau_max is 1, but each generation is trained on for 2"):
        trainer(tmp_path, trajectory_tau_max=1, **settings)


def test_a_vast_tau_max_keeps_what_memory_holds(tmp_path: Path) -> None:
    one = trainer(tmp_path, trajectory_tau_max=10**30, **{**HALF, "max_steps": 3})
    one.train()
    assert one.replay.trajectories.config.capacity == 65_536


def rarely() -> Any:
    return letters(count=6, rate=0.1, curriculum={"sampler": {"type": "uniform"}, "cooldown": 0})


@pytest.mark.parametrize("kind", ["grpo", "rloo"])
def test_a_failing_group_gets_a_success_of_its_task(tmp_path: Path, kind: str) -> None:
    one = trainer(
        tmp_path, kind, taskset=rarely(), success_replay=True, max_steps=10, num_generations=4
    )
    one.train()
    injected = [0.0, *series(one, "curriculum/successes/injected")]
    assert injected[-1] > 2
    for before, after, output, seen in zip(
        injected, injected[1:], one.trained, one.seen, strict=False
    ):
        rewards = torch.tensor(seen["rewards"]).view(4, 4)
        alive = output["advantages"].view(4, 4).abs().sum(dim=1) > 0
        assert int(alive.sum()) == int((rewards.std(dim=1) > 0).sum()) + after - before
        assert one.curriculum.metrics()["success_mean"] < 0.3
        if after > before:
            helped = output["advantages"].view(4, 4)[alive & (rewards.std(dim=1) == 0)]
            assert ((helped > 0).sum(dim=1) == 1).all()
            assert helped.sum().item() == pytest.approx(0, abs=1e-4)


def test_the_curriculum_learns_nothing_of_an_injection(tmp_path: Path) -> None:
    one = trainer(tmp_path, taskset=rarely(), success_replay=True, max_steps=10)
    one.train()
    told = sum(row[0] for seen in one.seen for row in seen["rewards"])
    assert one.curriculum.metrics()["success_mean"] * 160 == pytest.approx(told)


def test_successes_are_exported(tmp_path: Path) -> None:
    one = trainer(tmp_path, success_replay=True, max_steps=2)
    one.train()
    assert one.replay.successes.export(tmp_path / "sft.parquet") > 0
    line = pq.read_table(tmp_path / "sft.parquet").to_pylist()[0]
    assert line["prompt"][0]["content"].endswith(":")
    assert line["completion"][0]["role"] == "assistant"


@pytest.mark.parametrize("kind", ["grpo", "rloo"])
def test_both_buffers_are_in_the_checkpoint(tmp_path: Path, kind: str) -> None:
    settings: Any = {"success_replay": True, "dynamic_sampling": True, "save_steps": 3, **HALF}
    settings["save_strategy"] = "steps"
    whole = trainer(tmp_path, kind, taskset=rarely(), **settings)
    whole.train()
    again = trainer(tmp_path / "again", kind, taskset=rarely(), **settings)
    again.train(resume_from_checkpoint=str(tmp_path / "checkpoint-3"))
    assert torch.equal(weights(whole), weights(again))
    for name in ("curriculum/trajectories/size", "curriculum/successes/size"):
        assert series(whole, name) == series(again, name)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"trajectory_replay": 1.0}, "expected a share from 0 to less"),
        ({"trajectory_replay": 0.1}, "less than one group of a batch"),
        ({"success_replay": True, "beta": 0.1}, "cannot be used with beta"),
        ({"trajectory_replay": 0.5, "trajectory_tau_max": 0}, "expected at least as many"),
        ({"trajectory_replay": 0.5, "trajectory_tau_max": 2.5}, "expected a whole number"),
    ],
)
def test_settings_that_cannot_replay(
    tmp_path: Path, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        trainer(tmp_path, **settings)
