"""TRL's metrics of several generations, told as those of one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor
from trl.trainer.utils import nanstd

from curriculum_env.adapters.trl.advantages import alike, total

Measures = Mapping[str, Sequence[float]]


def joined(rounds: Sequence[tuple[int, Measures]]) -> dict[str, float]:
    """Each metric over all rounds, weighed by their groups: the least of the least, the greatest
    of the greatest, the last of what only counts up, else the mean."""
    found: dict[str, list[tuple[int, float]]] = {}
    for groups, measures in rounds:
        for name, values in measures.items():
            if values and not math.isnan(values[-1]):
                found.setdefault(name, []).append((groups, values[-1]))
    return {name: _join(name, values) for name, values in found.items()}


def _join(name: str, weighed: list[tuple[int, float]]) -> float:
    values = [value for _, value in weighed]
    if "/min_" in name or "/max_" in name:
        return min(values) if "/min_" in name else max(values)
    if name.startswith("curriculum/") or name == "num_tokens":
        return values[-1]
    return math.fsum(n * value for n, value in weighed) / sum(n for n, _ in weighed)


def of_rewards(
    trainer: Any, generated_RF: Tensor, trained_RF: Tensor, size: int
) -> dict[str, float]:
    """TRL's reward metrics over all that was generated, and the share of groups without a spread
    of rewards: before what was left out, and among those trained on."""
    weights_F = trainer.reward_weights.to(generated_RF.device)
    total_R = total(generated_RF, weights_F)
    found = {"reward": total_R.nanmean(), "reward_std": nanstd(total_R)}
    for name, rewards_R in zip(trainer.reward_func_names, generated_RF.T, strict=True):
        found[f"rewards/{name}/mean"] = rewards_R.nanmean()
        found[f"rewards/{name}/std"] = nanstd(rewards_R)
    found["frac_reward_zero_std"] = alike(trained_RF, weights_F, size).float().mean()
    before = alike(generated_RF, weights_F, size).float().mean()
    found["curriculum/frac_reward_zero_std_before"] = before
    return {name: float(value) for name, value in found.items()}
