"""Many answers to each of a few prompts, one forward pass per character."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from curriculum_env.sim.tiny.model import TinyPolicy
from curriculum_env.sim.tiny.text import END, PAD, answer_ids, left_padded

MOST = 7
"""Characters of an answer, the end included."""


@dataclass(frozen=True, slots=True)
class Rollouts:
    """`prompts` (B, P) are left-padded, `answers` (B, G, A) right-padded tokens; `success` (B, G)
    says which answers are right."""

    prompts: Tensor
    answers: Tensor
    success: Tensor

    @property
    def tokens(self) -> int:
        """Tokens of all the answers, their ends included."""
        return int((self.answers != PAD).sum())

    def split(self) -> list[Rollouts]:
        """Each group by itself."""
        groups = range(len(self.prompts))
        return [
            Rollouts(self.prompts[i : i + 1], self.answers[i : i + 1], self.success[i : i + 1])
            for i in groups
        ]


def joined(parts: Sequence[Rollouts]) -> Rollouts:
    """Groups as one batch, padded alike."""
    prompt = max(part.prompts.shape[1] for part in parts)
    answer = max(part.answers.shape[2] for part in parts)
    return Rollouts(
        torch.cat([F.pad(p.prompts, (prompt - p.prompts.shape[1], 0), value=PAD) for p in parts]),
        torch.cat([F.pad(p.answers, (0, answer - p.answers.shape[2]), value=PAD) for p in parts]),
        torch.cat([part.success for part in parts]),
    )


@torch.no_grad()
def answers(
    policy: TinyPolicy,
    prompts: Sequence[Sequence[int]],
    group_size: int,
    generator: torch.Generator,
    most: int = MOST,
) -> tuple[Tensor, Tensor]:
    """The padded prompts, (B, P), and `group_size` answers to each, sampled at temperature 1,
    (B, G, A); an answer without an end was cut off."""
    padded = torch.tensor(left_padded(prompts))
    states, memory = policy.read(padded)
    memory = memory.repeat(group_size)
    last = states[:, -1:].repeat_interleave(group_size, 0)
    going = torch.ones(len(last), 1, dtype=torch.bool)
    written: list[Tensor] = []
    while True:
        drawn = _draw(policy.head(last)[:, 0], generator)
        written.append(torch.where(going, drawn, PAD))
        going &= (drawn != END) & (drawn != PAD)
        if len(written) == most or not going.any():
            break
        last, memory = policy.read(drawn.clamp(min=END), memory)
    return padded, torch.cat(written, 1).view(len(padded), group_size, -1)


def _draw(logits: Tensor, generator: torch.Generator) -> Tensor:
    """One token of each row, by the exponential race that a softmax is."""
    race = torch.empty_like(logits).exponential_(generator=generator)
    return (logits - race.log()).argmax(1, keepdim=True)


def roll(
    policy: TinyPolicy,
    prompts: Sequence[Sequence[int]],
    solutions: Sequence[int],
    group_size: int,
    generator: torch.Generator,
) -> Rollouts:
    """Sample groups and grade them: right is the very number, written out and ended."""
    padded, found = answers(policy, prompts, group_size, generator)
    width = found.shape[2]
    wanted = torch.full((len(solutions), max(width, MOST)), PAD)
    for row, solution in enumerate(solutions):
        ids = answer_ids(solution)[: wanted.shape[1]]
        wanted[row, : len(ids)] = torch.tensor(ids)
    alike = (found == wanted[:, None, :width]).all(-1)
    whole = (wanted[:, width:] == PAD).all(-1)
    return Rollouts(padded, found, alike & whole[:, None])
