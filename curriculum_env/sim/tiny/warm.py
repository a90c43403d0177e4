"""The policy's schooling before reinforcement learning: sums with their answers."""

from __future__ import annotations

import hashlib
import json
import os
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import torch

from curriculum_env.sim.tiny.learning import supervised_loss
from curriculum_env.sim.tiny.model import Shape, TinyPolicy
from curriculum_env.sim.tiny.text import prompt_ids

_RAMP = 50
_CONTENT = ("text.py", "model.py", "learning.py", "warm.py")


@dataclass(frozen=True, slots=True)
class Schooling:
    """What the warm start is made of; the same schooling gives the same policy."""

    steps: int = 800
    batch: int = 64
    rate: float = 2e-3
    weights: tuple[float, ...] = (1.0, 0.8, 0.6, 0.45, 0.3)
    """How common operands of 1, 2, ... digits are."""
    seed: int = 0
    shape: Shape = field(default_factory=Shape)

    @property
    def key(self) -> str:
        """A hash of the settings, of the code that reads them and of torch's version."""
        digest = hashlib.sha256(json.dumps([asdict(self), torch.__version__]).encode())
        for name in _CONTENT:
            digest.update(Path(__file__).with_name(name).read_bytes())
        return digest.hexdigest()[:16]


def schooled(
    schooling: Schooling | None = None,
    cache: Path | None = None,
    note: Callable[[int], None] = lambda step: None,
) -> TinyPolicy:
    """The policy after its schooling, from `cache` (unset, the user's cache folder) where it has
    been through it before (and the file is whole); `note` is told each step taken."""
    schooling = schooling or Schooling()
    path = (cache or cache_folder()) / f"tiny-{schooling.key}.npz"
    if path.exists():
        with suppress(BadZipFile, EOFError, KeyError, RuntimeError, ValueError):
            return load(path, schooling.shape)
    policy = school(schooling, note)
    save(policy, path)
    return policy


def school(schooling: Schooling, note: Callable[[int], None] = lambda step: None) -> TinyPolicy:
    """Train a fresh policy on sums that are not held out."""
    with torch.random.fork_rng():
        torch.manual_seed(schooling.seed)
        policy = TinyPolicy(schooling.shape)
    rng = random.Random(schooling.seed)
    optimizer = torch.optim.AdamW(policy.parameters(), schooling.rate, betas=(0.9, 0.98))
    for step in range(1, schooling.steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = schooling.rate * min(1.0, step / _RAMP)
        pairs = [any_sum(rng, schooling.weights) for _ in range(schooling.batch)]
        loss = supervised_loss(
            policy, [prompt_ids(f"{a}+{b}") for a, b in pairs], [*map(sum, pairs)]
        )
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        optimizer.step()
        note(step)
    return policy


def any_sum(rng: random.Random, weights: tuple[float, ...]) -> tuple[int, int]:
    """Two operands, their lengths drawn by weight, whose sum is not held out."""
    lengths = range(1, len(weights) + 1)
    while True:
        i, j = rng.choices(lengths, weights, k=2)
        a, b = (rng.randrange(10 ** (n - 1) if n > 1 else 0, 10**n) for n in (i, j))
        if not held_out(a, b):
            return a, b


def held_out(a: int, b: int) -> bool:
    """Whether `arithmetic-curriculum` keeps this sum for evaluation: one in five, by a hash."""
    first, second = sorted((str(a), str(b)))
    digest = hashlib.sha256(f"({first}+{second})".encode()).digest()
    return int.from_bytes(digest[:8], "big") % 5 == 0


def cache_folder() -> Path:
    """Where schooled policies are kept."""
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "curriculum-env"


def save(policy: TinyPolicy, path: Path) -> None:
    """Write a policy's weights; whoever reads meanwhile finds the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}.npz")
    np.savez(unfinished, **{name: value.numpy() for name, value in policy.state_dict().items()})
    unfinished.replace(path)


def load(path: Path, shape: Shape | None = None) -> TinyPolicy:
    """The policy with the weights of a file that `save` wrote."""
    policy = TinyPolicy(shape)
    with path.open("rb") as file, np.load(file, allow_pickle=False) as saved:
        policy.load_state_dict({name: torch.from_numpy(saved[name]) for name in saved.files})
    return policy
