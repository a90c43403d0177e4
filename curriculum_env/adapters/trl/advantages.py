"""Advantages that look beyond one group, for a batch put together from several generations.

Within a group TRL's own advantages stand. Where its settings normalise over the batch, TRL is kept
from doing so in each generation (`by_group`), and the whole batch is normalised here (`over_batch`)
by the formulas of its trainers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from trl.trainer.utils import nanstd

EPSILON = 1e-4


@contextmanager
def by_group(trainer: Any) -> Iterator[None]:
    """In the block TRL's advantages depend on nothing but their group."""
    name = "scale_rewards" if hasattr(trainer, "scale_rewards") else "normalize_advantages"
    before = getattr(trainer, name)
    setattr(trainer, name, {"batch": "none", True: False}.get(before, before))
    try:
        yield
    finally:
        setattr(trainer, name, before)


def over_batch(trainer: Any, advantages_R: Tensor, rewards_RF: Tensor, group_size: int) -> Tensor:
    """The advantages of a whole batch of R rollouts, from those made `by_group` and the rewards of
    the F reward functions (NaN: none)."""
    weights_F = trainer.reward_weights.to(rewards_RF.device)
    if getattr(trainer, "multi_objective_aggregation", "") == "normalize_then_sum":
        return _normalize_then_sum(rewards_RF, weights_F, group_size)
    if getattr(trainer, "scale_rewards", "") == "batch":
        rewards_R = total(rewards_RF, weights_F)
        return torch.nan_to_num(advantages_R / (nanstd(rewards_R) + EPSILON))
    if getattr(trainer, "normalize_advantages", False):
        graded_R = torch.where(_compared(rewards_RF, group_size), advantages_R, torch.nan)
        return torch.nan_to_num((graded_R - graded_R.nanmean()) / (nanstd(graded_R) + EPSILON))
    return advantages_R


def within_group(trainer: Any, rewards_GF: Tensor) -> Tensor:
    """The advantages of one group, as TRL makes them in `by_group`."""
    total_G = total(rewards_GF, trainer.reward_weights.to(rewards_GF.device))
    if not hasattr(trainer, "scale_rewards"):
        if trainer.reward_clip_range:
            total_G = total_G.clamp(*trainer.reward_clip_range)
        others = total_G.nansum() - total_G
        return torch.nan_to_num(total_G - others / ((~total_G.isnan()).sum() - 1))
    centred_G = total_G - total_G.nanmean()
    if trainer.scale_rewards == "group":
        centred_G = centred_G / (nanstd(total_G) + EPSILON)
    return torch.nan_to_num(centred_G)


def total(rewards_RF: Tensor, weights_F: Tensor) -> Tensor:
    """The weighted sum of each rollout's rewards; NaN where it has none."""
    total_R = (rewards_RF * weights_F).nansum(dim=1)
    return torch.where(rewards_RF.isnan().all(dim=1), torch.nan, total_R)


def alike(rewards_RF: Tensor, weights_F: Tensor, group_size: int) -> Tensor:
    """Whether the total rewards of each group are all the same, as TRL counts them."""
    std_B = nanstd(total(rewards_RF, weights_F).view(-1, group_size), dim=1)
    return torch.isclose(std_B, torch.zeros_like(std_B))


def _normalize_then_sum(rewards_RF: Tensor, weights_F: Tensor, group_size: int) -> Tensor:
    grouped_BGF = rewards_RF.view(-1, group_size, rewards_RF.shape[1])
    mean_BF, std_BF = (f(grouped_BGF, dim=1, keepdim=True) for f in (torch.nanmean, nanstd))
    scaled_RF = ((grouped_BGF - mean_BF) / (std_BF + EPSILON)).view_as(rewards_RF)
    unscorable_R = rewards_RF.isnan().all(dim=1)
    sum_R = torch.where(unscorable_R, torch.nan, (scaled_RF * weights_F).nansum(dim=1))
    return torch.nan_to_num((sum_R - sum_R.nanmean()) / (nanstd(sum_R) + EPSILON))


def _compared(rewards_RF: Tensor, group_size: int) -> Tensor:
    """Whether a rollout has a reward, and another of its group as well."""
    graded_BG = ~rewards_RF.isnan().all(dim=1).view(-1, group_size)
    return (graded_BG & (graded_BG.sum(dim=1, keepdim=True) > 1)).view(-1)
