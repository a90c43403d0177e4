from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import TrainerCallback

from curriculum_env.errors import ConfigError, RefillError
from tests.adapters.trl.letters import letters
from tests.adapters.trl.training import series, trainer

UNIFORM = {"sampler": {"type": "uniform"}}


def mostly_dead() -> Any:
    return letters(dead=0.7, curriculum=UNIFORM)


@pytest.mark.parametrize("kind", ["grpo", "rloo"])
def test_every_step_trains_on_a_full_batch_of_living_groups(tmp_path: Path, kind: str) -> None:
    one = trainer(tmp_path, kind, taskset=mostly_dead(), max_steps=6, dynamic_sampling=True)
    one.train()
    assert [len(output["advantages"]) for output in one.trained] == [16] * 6
    for output in one.trained:
        assert (output["advantages"].view(4, 4).abs().sum(dim=1) > 0.1).all()
    assert series(one, "frac_reward_zero_std") == [0.0] * 6
    assert max(series(one, "curriculum/frac_reward_zero_std_before")) > 0.4
    assert series(one, "curriculum/dead_groups_trained") == [0.0] * 6


def test_without_it_most_groups_are_dead(tmp_path: Path) -> None:
    one = trainer(tmp_path, taskset=mostly_dead(), max_steps=6)
    one.train()
    assert sum(series(one, "frac_reward_zero_std")) / 6 > 0.4


def test_every_generated_group_is_accounted_for(tmp_path: Path) -> None:
    one = trainer(tmp_path, taskset=mostly_dead(), max_steps=6, dynamic_sampling=True)
    one.train()
    generated = sum(len(seen["draws"]) for seen in one.seen)
    assert sum(series(one, "curriculum/generated_groups")) == generated
    assert sum(series(one, "curriculum/generation_rounds")) == len(one.seen)
    left = series(one, "curriculum/carried_groups")[-1]
    dropped = sum(series(one, "curriculum/discarded_rollouts"))
    assert generated * 4 == 6 * 16 + left * 4 + dropped
    assert one.curriculum.metrics()["outcomes"] == generated * 4
    rewards = [row[0] for seen in one.seen for row in seen["rewards"]]
    steps, means = series(one, "curriculum/generated_groups"), series(one, "reward")
    total = sum(n * mean for n, mean in zip(steps, means, strict=True)) * 4
    assert total == pytest.approx(sum(rewards))


def test_the_curriculum_draws_the_refill_with_the_latest_beliefs(tmp_path: Path) -> None:
    one = trainer(tmp_path, taskset=mostly_dead(), max_steps=2, dynamic_sampling=True)
    one.train()
    told = 0
    for seen in one.seen:
        assert seen["known"] == told
        told += 4 * len(seen["draws"])


def test_a_carried_group_keeps_the_policy_that_sampled_it(tmp_path: Path) -> None:
    """Where the batch holds a carried group all rollouts have the log-probabilities they were
    sampled with; those of fresh ones are the present policy's."""
    one = trainer(
        tmp_path,
        taskset=mostly_dead(),
        max_steps=8,
        dynamic_sampling=True,
        learning_rate=1e-2,
        loss_type="grpo",
    )
    one.train()
    carried = [0.0, *series(one, "curriculum/carried_groups")[:-1]]
    assert any(carried)
    for before, output, loss in zip(carried, one.trained, series(one, "loss"), strict=True):
        if before:
            assert output["old_per_token_logps"].shape == output["completion_ids"].shape
            assert abs(loss) > 1e-6
        else:
            assert "old_per_token_logps" not in output
            assert abs(loss) < 1e-6  # the ratios are 1, the advantages sum to 0


def test_the_cap_fills_the_batch_with_dead_groups(tmp_path: Path) -> None:
    settings: Any = {"dynamic_sampling": True, "max_generation_rounds": 1}
    one = trainer(tmp_path, taskset=mostly_dead(), per_device_train_batch_size=32, **settings)
    one.train()
    assert max(series(one, "curriculum/generation_rounds")) == 1
    dead = series(one, "curriculum/dead_groups_trained")
    assert sum(dead) > 0
    assert [len(output["advantages"]) for output in one.trained] == [32] * 4
    assert [8 * share for share in series(one, "frac_reward_zero_std")] == dead


def test_a_pool_without_life_ends_with_a_word(tmp_path: Path) -> None:
    one = trainer(
        tmp_path, taskset=letters(dead=1.0), dynamic_sampling=True, max_generation_rounds=3
    )
    with pytest.raises(RefillError, match=r"0 of 12 groups drawn are worth training on.*raise"):
        one.train()
    assert len(one.seen) == 3


class Rates(TrainerCallback):
    """The learning rates within optimizer steps, and around them."""

    def __init__(self) -> None:
        self.within: list[float] = []
        self.around: set[float] = set()
        self._hook: Any = None

    def on_train_begin(self, *given: Any, optimizer: Any, **named: Any) -> None:
        if self._hook is not None:
            self._hook.remove()
        self._hook = optimizer.optimizer.register_step_pre_hook(
            lambda inner, *_: self.within.append(inner.param_groups[0]["lr"])
        )

    def on_pre_optimizer_step(self, *given: Any, optimizer: Any, **named: Any) -> None:
        self.around.add(optimizer.param_groups[0]["lr"])

    on_optimizer_step = on_pre_optimizer_step


def scaled(folder: Path, **settings: Any) -> tuple[Any, Rates]:
    one = trainer(
        folder,
        taskset=mostly_dead(),
        dynamic_sampling=True,
        scale_learning_rate=True,
        lr_scheduler_type="constant",
        **settings,
    )
    rates = Rates()
    one.add_callback(rates)
    return one, rates


@pytest.mark.parametrize("settings", [{}, {"num_iterations": 2}], ids=["once", "twice"])
def test_the_learning_rate_follows_what_a_batch_took(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    """Within its steps, by the square root; the schedule and other callbacks do not see it."""
    one, rates = scaled(tmp_path, max_steps=6, **settings)
    one.train()
    generated = [math.sqrt(max(n, 4) / 4) for n in series(one, "curriculum/generated_groups")]
    assert series(one, "curriculum/learning_rate_scale") == generated
    assert max(generated) > 1.3
    assert rates.within == pytest.approx(np.repeat(1e-3 * np.array(generated), 6 // len(generated)))
    assert rates.around == {1e-3}
    assert set(series(one, "learning_rate")) == {1e-3}


def test_a_step_on_parts_of_two_batches_has_the_mean_of_both(tmp_path: Path) -> None:
    """Two parts a step, three parts a batch: every second step trains on two batches."""
    sizes: Any = {"per_device_train_batch_size": 8, "gradient_accumulation_steps": 2}
    one, rates = scaled(tmp_path, max_steps=3, steps_per_generation=3, num_generations=8, **sizes)
    took: list[float] = []
    fill = one._rate.filled

    def filled(generated: int, groups: int) -> Any:
        took.append(max(generated / groups, 1.0))
        return fill(generated, groups)

    one._rate.filled = filled
    one.train()
    first, second = took
    expected = [first, (first + second) / 2, second]
    assert first != second
    assert rates.within == pytest.approx([1e-3 * math.sqrt(ratio) for ratio in expected])


def test_a_step_that_was_broken_off_does_not_count(tmp_path: Path) -> None:
    one, rates = scaled(tmp_path, max_steps=2)
    loss, calls = one.compute_loss, []

    def broken(*given: Any, **named: Any) -> Any:
        found = loss(*given, **named)
        calls.append(found)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return found

    one.compute_loss = broken
    with pytest.raises(KeyboardInterrupt):
        one.train()
    one.train()
    expected = [1e-3 * scale for scale in series(one, "curriculum/learning_rate_scale")]
    assert rates.within[-2:] == pytest.approx(expected[-2:])


def test_no_rate_is_scaled_unasked_or_without_dynamic_sampling(tmp_path: Path) -> None:
    one = trainer(tmp_path, taskset=mostly_dead(), max_steps=2, dynamic_sampling=True)
    rates = Rates()
    one.add_callback(rates)
    one.train()
    assert rates.within[0] == 1e-3
    assert not series(one, "curriculum/learning_rate_scale")
    with pytest.raises(ConfigError, match="scale_learning_rate is on without dynamic_sampling"):
        trainer(tmp_path, scale_learning_rate=True)


def test_no_rounds_at_all_is_no_setting(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="max_generation_rounds is 0; expected at least 1"):
        trainer(tmp_path, dynamic_sampling=True, max_generation_rounds=0)


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("grpo", {"scale_rewards": "group"}),
        ("grpo", {"scale_rewards": "batch"}),
        ("grpo", {"scale_rewards": "none"}),
        ("grpo", {"multi_objective_aggregation": "normalize_then_sum"}),
        ("grpo", {"num_iterations": 2}),
        ("grpo", {"mask_truncated_completions": True}),
        ("rloo", {"normalize_advantages": True}),
        ("rloo", {"normalize_advantages": False}),
    ],
)
def test_a_batch_that_lives_is_trained_as_trl_would(
    tmp_path: Path, kind: str, settings: dict[str, Any]
) -> None:
    """Where no group is dead, dynamic sampling changes not a bit of the batch."""

    def words(completions: list[str], **_: Any) -> list[float | None]:
        return [None if "a" in text else float(len(set(text)) - 1) for text in completions]

    batches = []
    for dynamic in (False, True):
        one = trainer(
            tmp_path,
            kind,
            taskset=letters(curriculum={"gate": {"type": "band", "low": 0.0, "high": 1.0}}),
            max_steps=1,
            num_generations=8,
            dynamic_sampling=dynamic,
            reward_funcs=[words],
            **settings,
        )
        one.train()
        assert len(one.seen) == 1
        batches.append((one.trained[0], one.state.log_history[0]))
    (plain, plain_log), (filled, filled_log) = batches
    assert set(plain) == set(filled)
    for name in plain:
        assert torch.allclose(plain[name].float(), filled[name].float(), atol=1e-6), name
    for name in ("reward", "reward_std", "rewards/words/mean", "rewards/words/std", "loss"):
        assert plain_log[name] == pytest.approx(filled_log[name], abs=1e-6), name
