"""A character transformer of 0.34 million parameters, in the form of a Llama."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curriculum_env.sim.tiny.text import PAD, VOCABULARY


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of a policy."""

    width: int = 96
    layers: int = 3
    heads: int = 4
    hidden: int = 256
    longest: int = 32
    """Tokens of a prompt and its answer together, at most."""
    theta: float = 20.0
    epsilon: float = 1e-6


class Memory(NamedTuple):
    """Keys and values of the tokens read so far, one of each per layer: (rows, heads, tokens,
    head width); and which of the tokens are no padding: (rows, tokens)."""

    keys: list[Tensor]
    values: list[Tensor]
    real: Tensor

    def repeat(self, times: int) -> Memory:
        """Each row `times` times in a row."""
        return Memory(
            [k.repeat_interleave(times, 0) for k in self.keys],
            [v.repeat_interleave(times, 0) for v in self.values],
            self.real.repeat_interleave(times, 0),
        )


class Block(nn.Module):
    """Attention, then a gated layer; each behind an RMS norm and around a residual."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width = shape.width
        self.heads, self.epsilon = shape.heads, shape.epsilon
        self.attention_norm = nn.Parameter(torch.ones(width))
        self.gate_norm = nn.Parameter(torch.ones(width))
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.gate_up = nn.Linear(width, 2 * shape.hidden, bias=False)
        self.down = nn.Linear(shape.hidden, width, bias=False)

    def forward(
        self, x: Tensor, turn: tuple[Tensor, Tensor], mask: Tensor, past: tuple[Tensor, ...]
    ) -> tuple[Tensor, Tensor, Tensor]:
        rows, tokens, width = x.shape
        normed = F.rms_norm(x, (width,), self.attention_norm, self.epsilon)
        qkv = self.qkv(normed).view(rows, tokens, 3 * self.heads, -1).transpose(1, 2)
        turned = rotate(qkv[:, : 2 * self.heads], turn)
        q, k, v = turned[:, : self.heads], turned[:, self.heads :], qkv[:, 2 * self.heads :]
        if past:
            k, v = torch.cat((past[0], k), 2), torch.cat((past[1], v), 2)
        seen = F.scaled_dot_product_attention(q, k, v, mask)
        x = x + self.out(seen.transpose(1, 2).reshape(rows, tokens, width))
        normed = F.rms_norm(x, (width,), self.gate_norm, self.epsilon)
        gate, up = self.gate_up(normed).chunk(2, -1)
        return x + self.down(F.silu(gate) * up), k, v


class TinyPolicy(nn.Module):
    """Next-token logits for rows of left-padded tokens.

    Positions count columns, padding included: rotary attention sees distances alone, so a row
    gives the same logits however much padding stands before it.
    """

    turn: Tensor

    def __init__(self, shape: Shape | None = None) -> None:
        super().__init__()
        self.shape = shape or Shape()
        self.embedding = nn.Embedding(len(VOCABULARY), self.shape.width)
        self.blocks = nn.ModuleList(Block(self.shape) for _ in range(self.shape.layers))
        self.norm = nn.Parameter(torch.ones(self.shape.width))
        self.head = nn.Linear(self.shape.width, len(VOCABULARY), bias=False)
        self.register_buffer("turn", turns(self.shape), persistent=False)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits of shape (rows, tokens, vocabulary) of whole sequences."""
        logits: Tensor = self.head(self.read(tokens)[0])
        return logits

    def read(self, tokens: Tensor, memory: Memory | None = None) -> tuple[Tensor, Memory]:
        """The states after `tokens` that follow those in `memory`, and the memory of all."""
        real = tokens != PAD
        if memory is not None:
            real = torch.cat((memory.real, real), 1)
        start = real.shape[1] - tokens.shape[1]
        turn = (self.turn[0, start : real.shape[1]], self.turn[1, start : real.shape[1]])
        mask, x = visible(real, start), self.embedding(tokens)
        keys, values = [], []
        for number, block in enumerate(self.blocks):
            past = (memory.keys[number], memory.values[number]) if memory is not None else ()
            x, k, v = block(x, turn, mask, past)
            keys.append(k)
            values.append(v)
        normed = F.rms_norm(x, (self.shape.width,), self.norm, self.shape.epsilon)
        return normed, Memory(keys, values, real)


def visible(real: Tensor, start: int) -> Tensor:
    """Which tokens each token from column `start` on may look at: itself and the real ones before
    it; (rows, 1, tokens from start, all tokens)."""
    columns = torch.arange(real.shape[1])
    queries = columns[start:, None]
    return ((columns <= queries) & real[:, None] | (columns == queries))[:, None]


def turns(shape: Shape) -> Tensor:
    """Cosines and sines of the rotary angles, (2, longest, head width)."""
    size = shape.width // shape.heads
    rates = shape.theta ** (-torch.arange(0, size, 2).float() / size)
    angles = torch.arange(shape.longest).float()[:, None] * torch.cat((rates, rates))
    return torch.stack((angles.cos(), angles.sin()))


def rotate(x: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
    """Rotary position embedding (Su et al., arXiv 2104.09864), halves apart as Llama has it."""
    first, second = x.chunk(2, -1)
    return x * turn[0] + torch.cat((-second, first), -1) * turn[1]
