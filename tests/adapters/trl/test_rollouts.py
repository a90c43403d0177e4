from __future__ import annotations

import pytest
import torch

from curriculum_env.adapters.trl.rollouts import apart, together, trained_tokens
from curriculum_env.errors import ConfigError

PAD = 9


def batch() -> dict[str, torch.Tensor]:
    return {
        "prompt_ids": torch.tensor([[PAD, 1, 2], [3, 4, 5]]),
        "prompt_mask": torch.tensor([[0, 1, 1], [1, 1, 1]]),
        "completion_ids": torch.tensor([[6, 0, PAD, PAD], [7, 8, 7, 0]]),
        "completion_mask": torch.tensor([[1, 1, 0, 0], [1, 1, 1, 1]]),
        "tool_mask": torch.tensor([[1, 0, 1, 1], [1, 1, 0, 1]]),
        "old_per_token_logps": torch.tensor([[-0.1, -0.2, 0, 0], [-0.3, -0.4, -0.5, -0.6]]),
        "importance_sampling_ratio": torch.tensor([[0.5], [2.0]]),
        "advantages": torch.tensor([1.0, -1.0]),
        "num_items_in_batch": torch.tensor(6),
    }


def equal(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return set(one) == set(other) and all(torch.equal(one[name], other[name]) for name in one)


def test_a_batch_comes_together_as_it_was() -> None:
    whole = batch()
    again = together(apart(whole), PAD, None)
    del whole["num_items_in_batch"]
    assert equal(again, whole)


def test_no_more_padding_than_needed_and_up_to_a_multiple() -> None:
    first = apart(batch())[:1]
    short = together(first, PAD, None)
    assert short["prompt_ids"].tolist() == [[1, 2]]
    assert short["completion_ids"].tolist() == [[6, 0]]
    wide = together(first, PAD, 4)
    assert wide["prompt_ids"].tolist() == [[PAD, PAD, 1, 2]]
    assert wide["prompt_mask"].tolist() == [[0, 0, 1, 1]]
    assert wide["completion_ids"].tolist() == [[6, 0, PAD, PAD]]
    assert wide["tool_mask"].tolist() == [[1, 0, 1, 1]]
    assert wide["old_per_token_logps"].tolist()[0][2:] == [0, 0]
    assert wide["importance_sampling_ratio"].shape == (1, 1)


def test_batches_of_different_widths_are_joined() -> None:
    narrow = {name: value[:, :2] if value.ndim == 2 else value for name, value in batch().items()}
    narrow["prompt_ids"] = torch.tensor([[1, 2], [3, 4]])
    narrow["prompt_mask"] = torch.ones(2, 2, dtype=torch.long)
    narrow["importance_sampling_ratio"] = torch.tensor([[0.5], [2.0]])
    joined = together(apart(batch()) + apart(narrow), PAD, None)
    assert joined["prompt_ids"].shape == (4, 3)
    assert joined["completion_ids"].shape == (4, 4)
    assert joined["prompt_ids"][2].tolist() == [PAD, 1, 2]
    assert joined["importance_sampling_ratio"].shape == (4, 1)


def test_a_completion_cut_off_and_masked_keeps_its_tokens() -> None:
    masked = batch()
    masked["completion_mask"][1] = 0
    rollouts = apart(masked)
    assert rollouts[1]["completion_ids"].tolist() == [7, 8, 7, 0]
    assert trained_tokens(rollouts) == 1
    assert trained_tokens(apart(batch())) == 4


def test_images_are_refused() -> None:
    with pytest.raises(ConfigError, match="a batch holds pixel_values"):
        apart({**batch(), "pixel_values": torch.zeros(2, 3)})
