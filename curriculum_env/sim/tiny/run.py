"""One training run: the curriculum draws, the policy answers and learns by GRPO."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

import torch

from curriculum_env.config import CurriculumConfig
from curriculum_env.engine import Curriculum
from curriculum_env.errors import RefillError
from curriculum_env.gates import VarianceConfig, build_gate
from curriculum_env.gates.refill import Refill, fill
from curriculum_env.sim.serving import Make, serve
from curriculum_env.sim.tiny.curve import Point, Training
from curriculum_env.sim.tiny.learning import Grpo, pass_rates
from curriculum_env.sim.tiny.model import TinyPolicy
from curriculum_env.sim.tiny.sampling import Rollouts, joined, roll
from curriculum_env.sim.tiny.text import prompt_ids
from curriculum_env.types import Outcome, Row

Group = Rollouts


@dataclass(frozen=True, slots=True)
class Loop:
    """How to train."""

    budget: int = 50_000
    """Rollouts, the discarded ones counted."""
    groups: int = 16
    """Groups in one optimizer step."""
    group_size: int = 8
    rate: float = 2e-4
    dynamic: bool = False
    """Whether a step waits until all its groups live (dynamic sampling, DAPO)."""
    scaled: bool = False
    """With dynamic sampling, whether a step's learning rate is `rate` * sqrt(groups played for it /
    `groups`), the square root rule for Adam (Malladi et al., arXiv 2205.10287)."""
    rounds: float = 10.0
    """With dynamic sampling, draws per step over `groups`, at most."""
    evaluate_every: int = 2048
    """Rollouts between evaluations."""
    seed: int = 0


class Exam:
    """The held-out sums."""

    def __init__(self, rows: Iterable[Row]) -> None:
        rows = list(rows)
        self._prompts = [prompt_ids(row.data["expression"]) for row in rows]
        self._solutions = [row.data["answer"] for row in rows]
        self._rungs = [str(max(map(len, row.data["expression"].split(" + ")))) for row in rows]

    def take(self, policy: TinyPolicy) -> dict[str, float]:
        """The accuracy on each rung, and on all sums as that of rung ``."""
        rates = pass_rates(policy, self._prompts, self._solutions).tolist()
        by_rung: dict[str, list[float]] = {"": rates}
        for rung, rate in zip(self._rungs, rates, strict=True):
            by_rung.setdefault(rung, []).append(rate)
        return {rung: fmean(found) for rung, found in by_rung.items()}


class Trainer:
    """A policy, a curriculum and the loop between them."""

    def __init__(
        self, policy: TinyPolicy, curriculum: Curriculum, loop: Loop, make: Make | None = None
    ) -> None:
        self.policy, self.curriculum, self.loop, self._make = policy, curriculum, loop, make
        self.rollouts = self.steps = self.wasted = 0
        self.seconds = 0.0
        self._learner = Grpo(policy, loop.rate)
        self._generator = torch.Generator().manual_seed(loop.seed)
        self._refill: Refill[Group] | None = None
        if loop.dynamic:
            gate = build_gate(VarianceConfig())
            self._refill = Refill(gate, loop.groups, rounds=loop.rounds)

    def step(self) -> None:
        """Draw, roll, learn, once.

        Raises:
            RefillError: with dynamic sampling, no group drawn lives.
        """
        start, before, loop = time.thread_time(), self.rollouts, self.loop
        groups = fill(self._refill, self.play) if self._refill else self._played(loop.groups)
        batches = (self.rollouts - before) / (loop.groups * loop.group_size)
        self._learner.step(joined(groups), math.sqrt(max(batches, 1.0)) if loop.scaled else 1.0)
        self.steps += 1
        self.seconds += time.thread_time() - start

    def _played(self, groups: int) -> list[Group]:
        return [group for group, _ in self.play(groups)]

    def play(self, groups: int) -> list[tuple[Group, Sequence[float]]]:
        """Draw and roll that many groups, tell their rewards and return them."""
        draws = [self.curriculum.ask() for _ in range(groups)]
        rows = [self.curriculum.row(draw.uid) for draw in draws]
        prompts = [prompt_ids(row.data["expression"]) for row in rows]
        solutions = [row.data["answer"] for row in rows]
        rolled = roll(self.policy, prompts, solutions, self.loop.group_size, self._generator)
        played: list[tuple[Group, Sequence[float]]] = []
        for draw, group in zip(draws, rolled.split(), strict=True):
            rewards = group.success[0].float().tolist()
            for number, reward in enumerate(rewards):
                name = f"{draw.number}-{number}"
                self.curriculum.tell(Outcome(draw.number, draw.uid, name, reward))
            self.rollouts += len(rewards)
            self.wasted += len(rewards) if len(set(rewards)) == 1 else 0
            played.append((group, rewards))
        if self._make is not None:
            serve(self.curriculum.store.queue, self._make)
        if not self.curriculum.store.url.startswith("memory"):
            self.curriculum.sync(1.0)
        return played


def train(
    entrant: str,
    config: CurriculumConfig,
    pool: str,
    rows: Iterable[Row],
    exam: Exam,
    policy: TinyPolicy,
    loop: Loop,
    store: str | None = None,
    note: Callable[[Point], None] = lambda point: None,
    make: Make | None = None,
) -> Training:
    """Train `policy` on a pool until the budget is spent, or no group lives with dynamic sampling;
    `note` is told each evaluation. `make` makes the variants that the curriculum asks for, after
    each step."""
    config = config.model_copy(
        update={"seed": loop.seed, "group_size": loop.group_size, "batch_groups": loop.groups}
    )
    with Curriculum(rows, config, store) as curriculum:
        trainer = Trainer(policy, curriculum, loop, make)
        curve, going = list[Point](), True
        while True:
            found = exam.take(policy)
            worst = min(rate for rung, rate in found.items() if rung)
            at = trainer.rollouts, trainer.steps, trainer.seconds
            curve.append(Point(*at, found[""], worst))
            note(curve[-1])
            curriculum.tell_heldout(found[""])
            if not going or trainer.rollouts >= loop.budget:
                break
            going = _on(trainer, loop, len(curve))
        metrics = curriculum.metrics()
    return Training(
        entrant, pool, loop.seed, tuple(curve), {r: a for r, a in found.items() if r},
        metrics["rho"], int(metrics["distinct_tasks"]), metrics["effective_tasks"],
        trainer.wasted / max(trainer.rollouts, 1), int(metrics["outages"]),
        int(metrics.get("variants", 0)), metrics.get("variant_draws", 0) / max(metrics["draws"], 1),
    )  # fmt: skip


def _on(trainer: Trainer, loop: Loop, evaluated: int) -> bool:
    """Train until the next evaluation; False where no group lives any more."""
    until = min(loop.evaluate_every * evaluated, loop.budget)
    try:
        while trainer.rollouts < until:
            trainer.step()
    except RefillError:
        return False
    return True
