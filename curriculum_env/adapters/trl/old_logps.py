"""The log-probabilities that rollouts were sampled with, for those that outlive their policy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from accelerate.utils import gather_object
from trl.models.utils import disable_gradient_checkpointing

from curriculum_env.adapters.trl.rollouts import Rollout, together

OLD = "old_per_token_logps"


def with_old_logps(trainer: Any, rollouts: Sequence[Rollout]) -> None:
    """Give those rollouts that lack them the log-probabilities of their completions under the
    policy as it is now, which sampled them. TRL leaves them out where a batch is trained on before
    the policy changes; a group carried over to the next batch needs them, and so do all rollouts
    of that batch. Collective: every process brings the same rollouts."""
    lacking = [rollout for rollout in rollouts if OLD not in rollout]
    if not lacking:
        return
    count, rank = trainer.accelerator.num_processes, trainer.accelerator.process_index
    share = -(-len(lacking) // count)
    mine = [lacking[(rank * share + place) % len(lacking)] for place in range(share)]
    logps = [row.cpu() for row in _logps(trainer, mine)]
    for rollout, row in zip(lacking, gather_object(logps), strict=False):
        rollout[OLD] = row[: len(rollout["completion_ids"])].clone()


def _logps(trainer: Any, rollouts: Sequence[Rollout]) -> torch.Tensor:
    tokenizer, args = trainer._tokenizer, trainer.args
    fields = ("prompt_ids", "prompt_mask", "completion_ids", "completion_mask")
    plain = [{name: rollout[name] for name in fields} for rollout in rollouts]
    batch = together(plain, tokenizer.pad_token_id, trainer.pad_to_multiple_of)
    parts = {name: value.to(trainer.accelerator.device) for name, value in batch.items()}
    kwargs = args.gradient_checkpointing_kwargs
    with torch.no_grad(), disable_gradient_checkpointing(trainer.model, kwargs):
        logps, *_ = trainer._get_per_token_logps_and_entropies(
            trainer.model,
            torch.cat([parts["prompt_ids"], parts["completion_ids"]], dim=1),
            torch.cat([parts["prompt_mask"], parts["completion_mask"]], dim=1),
            parts["completion_ids"].size(1),
            batch_size=args.per_device_train_batch_size,
        )
    found: torch.Tensor = logps
    return found
