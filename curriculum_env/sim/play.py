"""One training run: a curriculum draws, a world learns."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from curriculum_env.config import CurriculumConfig
from curriculum_env.engine import Curriculum
from curriculum_env.sim.breeding import Breeder
from curriculum_env.sim.oracle import show
from curriculum_env.sim.serving import serve
from curriculum_env.sim.setting import Setting
from curriculum_env.sim.world import Rolled, World

EVALUATE_EVERY = 8
_EVALUATED_ON = 500


@dataclass(frozen=True, slots=True)
class Play:
    """What one run measured. `curve` holds a point at the start and after every eighth policy
    update: rollouts so far, the expected accuracy on the held-out tasks, and the worst domain's."""

    entrant: str
    setting: str
    seed: int
    curve: tuple[tuple[int, float, float], ...]
    rho: float
    distinct: int
    effective: float
    wasted: float
    """Share of the rollouts that were in groups all alike."""
    draw_us: float
    """Processor time of one draw and of telling its rewards, in microseconds."""
    outages: int
    variants: int = 0
    """New tasks in the pool at the end, where variants were made."""
    variant_share: float = 0.0
    """Share of the draws that were of these."""
    wrong_share: float = 0.0
    """Share of the draws that were of variants with a wrong answer."""

    @property
    def final(self) -> float:
        """The accuracy at the end: the mean of the last three evaluations."""
        return fmean(point[1] for point in self.curve[-3:])

    @property
    def worst_domain(self) -> float:
        """The accuracy of the worst domain at the end, likewise."""
        return fmean(point[2] for point in self.curve[-3:])

    @property
    def area(self) -> float:
        """The mean accuracy over the run's rollouts."""
        rollouts_T, accuracy_T, _ = np.array(self.curve).T
        middle_T = (accuracy_T[1:] + accuracy_T[:-1]) / 2
        return float(np.average(middle_T, weights=np.diff(rollouts_T)))

    def rollouts_to(self, target: float) -> float | None:
        """The rollouts after which the accuracy first reached `target`, interpolated; None where
        it never did."""
        before = self.curve[0]
        for point in self.curve:
            if point[1] >= target:
                rise = point[1] - before[1]
                share = (target - before[1]) / rise if rise > 0 else 0.0
                return before[0] + share * (point[0] - before[0])
            before = point
        return None


class _Meter:
    """Counts rollouts, those wasted, and the processor time of the curriculum."""

    def __init__(self) -> None:
        self.rollouts = self.wasted = self.draws = self.spent = 0

    def took(self, group: Rolled) -> None:
        self.rollouts += len(group.reward_G)
        self.draws += 1
        if len(set(group.reward_G)) == 1:
            self.wasted += len(group.reward_G)


def play(entrant: str, config: CurriculumConfig, setting: Setting, seed: int) -> Play:
    """Train in a fresh world until the setting's budget is spent.

    Rewards come back `staleness` draws after their draw. Every eighth policy update the curriculum
    is told the accuracy measured on 500 held-out tasks. Variants, where the curriculum asks for
    them, are made at once.
    """
    world, meter, flight = World(setting, seed), _Meter(), deque[Rolled]()
    config = config.model_copy(
        update={"seed": seed, "group_size": setting.group_size, "batch_groups": setting.batch}
    )
    exam, breeder, wrong = np.random.default_rng([seed, 3]), Breeder(world, seed), 0
    curve = [_point(world, 0)]
    with Curriculum(list(world.rows), config, clock=lambda: 0.0) as curriculum:
        show(curriculum.sampler, world)
        while meter.rollouts < setting.budget:
            start = time.thread_time_ns()
            draw = curriculum.ask()
            meter.spent += time.thread_time_ns() - start
            wrong += draw.uid in breeder.broken
            flight.append(world.roll(draw))
            if len(flight) <= setting.staleness:
                continue
            group = flight.popleft()
            outcomes = group.outcomes
            start = time.thread_time_ns()
            for outcome in outcomes:
                curriculum.tell(outcome)
            meter.spent += time.thread_time_ns() - start
            meter.took(group)
            world.learn(group)
            serve(curriculum.store.queue, breeder.make)
            if world.policy.updates >= EVALUATE_EVERY * len(curve):
                curve.append(_point(world, meter.rollouts))
                curriculum.tell_heldout(exam.binomial(_EVALUATED_ON, curve[-1][1]) / _EVALUATED_ON)
        metrics = curriculum.metrics()
    return Play(
        entrant,
        setting.name,
        seed,
        tuple(curve),
        metrics["rho"],
        int(metrics["distinct_tasks"]),
        metrics["effective_tasks"],
        meter.wasted / meter.rollouts,
        meter.spent / 1e3 / meter.draws,
        int(metrics["outages"]),
        int(metrics.get("variants", 0)),
        metrics.get("variant_draws", 0) / metrics["draws"],
        wrong / metrics["draws"],
    )


def _point(world: World, rollouts: int) -> tuple[int, float, float]:
    accuracy, accuracy_D = world.accuracy()
    return rollouts, accuracy, float(accuracy_D.min())
