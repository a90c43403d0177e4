"""TRL's padded batches taken apart into rollouts, and put together again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from curriculum_env.errors import ConfigError

Rollout = dict[str, Tensor]
"""One prompt with its completion, on the CPU: `prompt_ids` (P), `completion_ids` (T), what goes
with each of these tokens, and scalars such as `advantages`."""

_PROMPT = ("prompt_ids", "prompt_mask")
_COMPLETION = (
    "completion_ids",
    "completion_mask",
    "tool_mask",
    "old_per_token_logps",
    "ref_per_token_logps",
    "sampling_per_token_logps",
    "importance_sampling_ratio",
)
_SCALARS = ("advantages", "old_logps", "replayed")
_WHOLE = "num_items_in_batch"


def apart(batch: dict[str, Any]) -> list[Rollout]:
    """The rollouts of a batch, without its padding.

    Raises:
        ConfigError: the batch holds something that belongs to no rollout of text, such as images.
    """
    batch = {name: value for name, value in batch.items() if value is not None and name != _WHOLE}
    if unknown := sorted(set(batch) - {*_PROMPT, *_COMPLETION, *_SCALARS}):
        raise ConfigError(
            f"a batch holds {', '.join(unknown)}; dynamic sampling and replay can join batches of "
            "text alone: train without them."
        )
    return [_rollout(batch, place) for place in range(len(batch["prompt_ids"]))]


def _rollout(batch: dict[str, Tensor], place: int) -> Rollout:
    row = {name: value[place].detach().cpu() for name, value in batch.items()}
    width = len(row["completion_ids"])
    trained = int(row["completion_mask"].sum())
    length = trained or width  # TRL masks a whole completion that was cut off
    asked = row["prompt_mask"].bool()
    for name in _PROMPT:
        row[name] = row[name][asked].clone()
    for name in _COMPLETION:
        if name in row and len(row[name]) == width:
            row[name] = row[name][:length].clone()
    return row


def together(rollouts: Sequence[Rollout], pad_id: int, multiple: int | None) -> dict[str, Tensor]:
    """One batch of rollouts: prompts padded on the left, completions on the right, both to a
    multiple of `multiple` tokens if given."""
    batch: dict[str, Tensor] = {}
    lengths = [len(rollout["completion_ids"]) for rollout in rollouts]
    for name in rollouts[0]:
        values = [rollout[name] for rollout in rollouts]
        if name in _PROMPT:
            batch[name] = _padded(values, _filler(name, pad_id), multiple, left=True)
        elif name in _COMPLETION and [len(value) for value in values] == lengths:
            batch[name] = _padded(values, _filler(name, pad_id), multiple, left=False)
        else:
            batch[name] = torch.stack(values)
    return batch


def _filler(name: str, pad_id: int) -> int:
    return {"prompt_ids": pad_id, "completion_ids": pad_id, "tool_mask": 1}.get(name, 0)


def _padded(values: list[Tensor], filler: int, multiple: int | None, *, left: bool) -> Tensor:
    width = max(map(len, values))
    if multiple is not None:
        width = -(-width // multiple) * multiple
    padded = values[0].new_full((len(values), width), filler)
    for row, value in zip(padded, values, strict=True):
        if len(value):
            row[width - len(value) if left else 0 :][: len(value)] = value
    return padded


def trained_tokens(rollouts: Sequence[Rollout]) -> int:
    """Tokens that count in the loss."""
    return sum(
        int((one["completion_mask"] * one.get("tool_mask", torch.tensor(1))).sum())
        for one in rollouts
    )
