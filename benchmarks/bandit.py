"""The bucket bandit's weights in the lab: what beta1 and beta2 do, and what the guard catches.

The same worlds for every entrant: the lab's `features` (.02% of what was learned is forgotten at
each policy update), `drifting` (.4%, and skills wander), and `forgetful`: 5%, learned eight times
as fast, in half of the rollouts. `forgetting` around the bandit watches the last 200 rewards of
each bucket and gives those that fell a fifth of the draws.

    python benchmarks/bandit.py --seeds 5
    python benchmarks/bandit.py --quick

The last line is one JSON object: by setting and entrant, means over seeds of the rollouts to the
accuracy uniform drawing ends with over those uniform needs, of the final accuracy and that of the
worst domain above uniform's, of the fewest buckets in use (exp of the entropy of 100 draws over
buckets, of 15), of the share of the time in which some bucket was forgotten, of the alarms, and of
the buckets that recovered.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import fmean
from typing import Any

import numpy as np

from curriculum_env import Curriculum, CurriculumConfig
from curriculum_env.sim import SETTINGS, Setting, World
from curriculum_env.sim.entrants import PLAIN
from curriculum_env.sim.world import Rolled

EVERY, WINDOW = 128, 100


def bandit(beta1: float = 1.0, beta2: float = 1.0, **more: Any) -> dict[str, Any]:
    """The settings of a bucket bandit."""
    return {"type": "bucket-bandit", "beta1": beta1, "beta2": beta2, **more}


def guarded(inside: Mapping[str, Any]) -> dict[str, Any]:
    """The same under watch."""
    return {"type": "forgetting", "window": 200, "inside": dict(inside)}


FORGETFUL = replace(SETTINGS["features"], name="forgetful", gain=0.08, forget=0.05, budget=24_000)
NARROW: dict[str, Any] = {"floor": 0.02, "every": 5.0}
ENTRANTS: dict[str, dict[str, Any]] = {
    "uniform": {"type": "uniform"},
    "beta1 1, beta2 1": bandit(),
    "beta2 .5": bandit(beta2=0.5),
    "beta2 1.5": bandit(beta2=1.5),
    "beta2 0": bandit(beta2=0.0),
    "beta1 0": bandit(beta1=0.0),
    "beta1 30": bandit(30.0, **NARROW),
    "beta1 1, guarded": guarded(bandit(**NARROW)),
    "beta1 30, guarded": guarded(bandit(30.0, **NARROW)),
}


@dataclass
class Course:
    """What one run showed as it went on."""

    points: list[tuple[int, float, float]] = field(default_factory=list)
    """Rollouts, held-out accuracy, that of the worst domain."""
    forgotten: list[float] = field(default_factory=list)
    """Buckets forgotten, after each group."""
    fewest: float = float("inf")
    alarms: float = 0.0

    @property
    def final(self) -> float:
        return fmean(point[1] for point in self.points[-3:])

    @property
    def worst(self) -> float:
        return fmean(point[2] for point in self.points[-3:])

    @property
    def recovered(self) -> float:
        """The buckets that were forgotten and recovered."""
        return sum(max(before - after, 0.0) for before, after in pairwise(self.forgotten))

    def rollouts_to(self, target: float) -> float:
        """The rollouts at the first evaluation that reached the target; all, where none did."""
        return next((float(n) for n, mean, _ in self.points if mean >= target), self.points[-1][0])


def follow(sampler: Mapping[str, Any], setting: Setting, seed: int) -> Course:
    """Train in a fresh world with this rule until the setting's budget is spent."""
    settings = {**PLAIN, "sampler": sampler, "seed": seed, "group_size": setting.group_size}
    config = CurriculumConfig.model_validate({**settings, "batch_groups": setting.batch})
    world, course, flight = World(setting, seed), Course(), deque[Rolled]()
    recent = deque[tuple[str, str]](maxlen=WINDOW)
    with Curriculum(world.rows, config, clock=lambda: 0.0) as curriculum:
        for number in range(setting.budget // setting.group_size):
            if number % EVERY == 0:
                mean, mean_D = world.accuracy()
                course.points.append((number * setting.group_size, mean, float(mean_D.min())))
            draw = curriculum.ask()
            recent.append((draw.domain, draw.level))
            flight.append(world.roll(draw))
            if len(flight) > setting.staleness:
                group = flight.popleft()
                for outcome in group.outcomes:
                    curriculum.tell(outcome)
                world.learn(group)
            watched = getattr(curriculum.sampler, "watch", None)
            course.forgotten.append(0.0 if watched is None else float(len(watched.forgotten)))
            if number >= WINDOW and number % 10 == 0:
                course.fewest = min(course.fewest, in_use(recent))
        course.alarms = curriculum.metrics().get("forgetting_alarms", 0.0)
    return course


def in_use(recent: deque[tuple[str, str]]) -> float:
    """exp of the entropy of the draws over buckets."""
    share = np.array(list(Counter(recent).values())) / len(recent)
    return float(np.exp(-(share * np.log(share)).sum()))


def figures(courses: list[Course], uniform: list[Course]) -> dict[str, float]:
    """Means over seeds."""
    pairs = list(zip(courses, uniform, strict=True))
    found = {
        "vs_uniform": fmean(c.rollouts_to(u.final) / u.rollouts_to(u.final) for c, u in pairs),
        "reached": fmean(max(mean for _, mean, _ in c.points) >= u.final for c, u in pairs),
        "gained": fmean(c.final - u.final for c, u in pairs),
        "worst_domain": fmean(c.worst - u.worst for c, u in pairs),
        "fewest_buckets": fmean(c.fewest for c in courses),
        "time_forgotten": fmean(fmean(n > 0 for n in c.forgotten) for c in courses),
        "alarms": fmean(c.alarms for c in courses),
        "recovered": fmean(c.recovered for c in courses),
    }
    return {name: round(value, 3) for name, value in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=5, help="worlds per setting")
    parser.add_argument("--quick", action="store_true", help="one forgetful world")
    args = parser.parse_args()
    settings, seeds = [SETTINGS["features"], SETTINGS["drifting"], FORGETFUL], args.seeds
    if args.quick:
        settings, seeds = [FORGETFUL], 1
    result: dict[str, dict[str, dict[str, float]]] = {}
    for setting in settings:
        uniform = [follow(ENTRANTS["uniform"], setting, seed) for seed in range(seeds)]
        for name, sampler in ENTRANTS.items():
            courses = [follow(sampler, setting, seed) for seed in range(seeds)]
            found = result.setdefault(setting.name, {})[name] = figures(courses, uniform)
            print(setting.name, name, found, flush=True)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
