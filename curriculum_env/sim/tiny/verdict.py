"""What runs of several rules on the same pools and seeds say: what each needs to reach the accuracy
that uniform drawing ends with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from statistics import fmean, median
from typing import Any

import numpy as np

from curriculum_env.sim.entrants import DEFAULT, UNIFORM
from curriculum_env.sim.summary import bootstrap
from curriculum_env.sim.tiny.curve import Training

AXES = ("rollouts", "steps", "seconds")
REFERENCES = ("limit",)
DYNAMIC = "+ds"
SCALED = DYNAMIC + "+rate"


def reached(run: Training, target: float, axis: str) -> float:
    """How much of an axis was spent when the accuracy, a mean over three evaluations in a row,
    first was at the target (interpolated); infinite where it never was."""
    accuracy_T = np.array([point.accuracy for point in run.curve])
    if len(accuracy_T) >= 3:
        middle_T = np.convolve(accuracy_T, np.ones(3) / 3, "valid")
        accuracy_T = np.concatenate([accuracy_T[:1], middle_T, middle_T[-1:]])
    spent_T = [float(getattr(point, axis)) for point in run.curve]
    first = int(np.argmax(accuracy_T >= target))
    if accuracy_T[first] < target:
        return np.inf
    if first == 0:
        return spent_T[0]
    low, high = accuracy_T[first - 1], accuracy_T[first]
    share = float((target - low) / (high - low))
    return spent_T[first - 1] + share * (spent_T[first] - spent_T[first - 1])


class Verdict:
    """The runs by pool, rule and seed.

    The target of a seed is the accuracy that uniform drawing ends with; `needed` is what a rule
    needs to it over what uniform spent in all. A run that never got there counts as 1 or, where it
    spent more than uniform, as what it spent; `got_there` says how many did not.
    """

    def __init__(self, runs: Iterable[Training]) -> None:
        self.runs: dict[tuple[str, str], dict[int, Training]] = {}
        for run in runs:
            self.runs.setdefault((run.pool, run.entrant), {})[run.seed] = run

    @property
    def pools(self) -> list[str]:
        return list(dict.fromkeys(pool for pool, _ in self.runs))

    def rules(self, pool: str) -> list[str]:
        return [rule for found, rule in self.runs if found == pool]

    def needed(self, pool: str, rule: str, axis: str = "rollouts") -> dict[int, float]:
        """By seed, what the rule needs over what uniform spent."""
        uniform = self.runs[pool, UNIFORM]
        needed = {}
        for seed, run in self.runs[pool, rule].items():
            budget = float(getattr(uniform[seed].curve[-1], axis))
            spent = reached(run, uniform[seed].final, axis)
            whole = max(budget, float(getattr(run.curve[-1], axis)))
            needed[seed] = (whole if spent == np.inf else spent) / budget
        return needed

    def got_there(self, pool: str, rule: str) -> float:
        """The share of seeds on which the rule reached the target."""
        uniform = self.runs[pool, UNIFORM]
        runs = self.runs[pool, rule].items()
        return fmean(reached(run, uniform[s].final, "steps") < np.inf for s, run in runs)

    def gained(self, pool: str, rule: str) -> list[float]:
        """The accuracy at the end above uniform's, seed by seed."""
        uniform = self.runs[pool, UNIFORM]
        return [run.final - uniform[seed].final for seed, run in self.runs[pool, rule].items()]

    def worst_rung(self, pool: str, rule: str) -> float:
        """The least of the rungs' accuracies at the end above uniform's, each a mean over seeds."""
        uniform, mine = self.runs[pool, UNIFORM], self.runs[pool, rule]
        rungs = next(iter(mine.values())).rungs
        return min(
            fmean(run.rungs[rung] - uniform[seed].rungs[rung] for seed, run in mine.items())
            for rung in rungs
        )

    def best_other(self, pool: str, ours: str) -> str | None:
        """The rule with the fewest rollouts to the target but ours, uniform and the limit."""
        aside = {DEFAULT, DEFAULT + DYNAMIC, DEFAULT + SCALED, ours, UNIFORM, *REFERENCES}
        others = [rule for rule in self.rules(pool) if rule not in aside]
        return min(others, key=lambda r: fmean(self.needed(pool, r).values()), default=None)

    def against(self, pool: str, rule: str, other: str) -> list[float]:
        """[mean, low, high] of the rollouts that a rule needs over those the other needs."""
        mine, others = self.needed(pool, rule), self.needed(pool, other)
        found = bootstrap([mine[s] / max(others[s], 1e-9) for s in mine.keys() & others.keys()])
        return [round(value, 3) for value in (found.mean, found.low, found.high)]


def as_json(verdict: Verdict) -> dict[str, Any]:
    """Everything by pool and rule; `rollouts`, `steps` and `seconds` are medians of `needed`."""
    return {"pools": {pool: dict(_pool(verdict, pool)) for pool in verdict.pools}}


def _pool(verdict: Verdict, pool: str) -> Iterator[tuple[str, Any]]:
    for rule in verdict.rules(pool):
        yield rule, figures(verdict, pool, rule)
    if DEFAULT in verdict.rules(pool):
        yield "ours_vs_uniform", verdict.against(pool, DEFAULT, UNIFORM)
        if "limit" in verdict.rules(pool):
            yield "ours_vs_limit", verdict.against(pool, DEFAULT, "limit")
        if other := verdict.best_other(pool, DEFAULT):
            yield "best_other", other
            yield "ours_vs_best_other", verdict.against(pool, DEFAULT, other)


def figures(verdict: Verdict, pool: str, rule: str) -> dict[str, Any]:
    """Medians of `needed` on each axis, means of everything else (of the rollouts as well), and
    intervals of means over seeds."""
    runs = verdict.runs[pool, rule].values()
    spread = bootstrap(list(verdict.needed(pool, rule).values()))
    gained = bootstrap(verdict.gained(pool, rule))
    values = {
        **{axis: median(verdict.needed(pool, rule, axis).values()) for axis in AXES},
        "rollouts_mean": spread.mean,
        "final": fmean(run.final for run in runs),
        "rho": fmean(run.rho for run in runs),
        "wasted": fmean(run.wasted for run in runs),
        "worst_rung": verdict.worst_rung(pool, rule),
        "reached": verdict.got_there(pool, rule),
    }
    return {
        **{name: round(value, 4) for name, value in values.items()},
        "rollouts_interval": [round(spread.low, 4), round(spread.high, 4)],
        "gained": [round(value, 4) for value in (gained.mean, gained.low, gained.high)],
        "distinct": round(fmean(run.distinct for run in runs)),
        "seeds": len(runs),
    }
