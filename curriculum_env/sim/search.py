"""The tuned column: a random search around each rule's defaults, on seeds of its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, Literal, get_args, get_origin

import numpy as np
from pydantic import BaseModel, ValidationError

from curriculum_env.config import CurriculumConfig
from curriculum_env.samplers import Pick
from curriculum_env.sim.entrants import Entrant, entrant
from curriculum_env.sim.lab import run_lab
from curriculum_env.sim.play import Play
from curriculum_env.sim.setting import Setting

SEARCHED = ("explore", "novelty", "pick", "cooldown", "sampler", "estimator")
FIRST_SEED = 1_000_000
_CHANGED = 0.3
_SPREAD = 0.7
_TRIES = 50


def candidates(found: Entrant, count: int, seed: int) -> list[Entrant]:
    """The entrant itself, then `count - 1` with random settings around its own."""
    rng = np.random.default_rng(seed)
    own = found.config.model_dump(include=set(SEARCHED))
    tried = [own, *(perturbed(found.config, rng) for _ in range(count - 1))]
    return [entrant(f"{found.name}#{i}", settings) for i, settings in enumerate(tried)]


def perturbed(config: CurriculumConfig, rng: np.random.Generator) -> dict[str, Any]:
    """Valid settings near those of `config`: shares move in log-odds and other numbers in
    logarithm, both by a normal deviation of .7; choices change three times in ten."""
    for _ in range(_TRIES):
        settings = {
            "explore": float(rng.choice([0.0, 0.05, 0.1, 0.2])),
            "novelty": float(rng.choice([1.0, 0.9, 0.8, 0.6])),
            "pick": str(rng.choice(get_args(Pick))),
            "cooldown": [None, 256, 1024, 4096][rng.integers(4)],
            "sampler": _near(config.sampler, rng),
            "estimator": _near(config.estimator, rng),
        }
        try:
            CurriculumConfig.model_validate(settings)
        except ValidationError:
            continue
        return settings
    return config.model_dump(include=set(SEARCHED))


def _near(model: BaseModel, rng: np.random.Generator) -> dict[str, Any]:
    fields = type(model).model_fields
    return {
        name: _moved(getattr(model, name), field.annotation, rng) for name, field in fields.items()
    }


def _moved(value: Any, annotation: Any, rng: np.random.Generator) -> Any:
    choices = get_args(annotation) if get_origin(annotation) is Literal else (value,)
    if isinstance(value, BaseModel):
        return _near(value, rng)
    if isinstance(value, bool):
        return bool(value ^ (rng.random() < _CHANGED))
    if isinstance(value, tuple):
        return tuple(_moved(part, None, rng) for part in value)
    if len(choices) > 1 and rng.random() < _CHANGED:
        return choices[rng.integers(len(choices))]
    step = _SPREAD * rng.standard_normal()
    if isinstance(value, int):
        return max(round(value * math.exp(step)), 1)
    if isinstance(value, float) and 0.0 < value < 1.0:
        return 1.0 / (1.0 + (1.0 / value - 1.0) * math.exp(-step))
    return value * math.exp(step) if isinstance(value, float) else value


def search(
    found: Sequence[Entrant],
    settings: Sequence[Setting],
    count: int,
    seeds: int,
    processes: int = 0,
    done: Callable[[], None] = lambda: None,
) -> dict[str, dict[str, Any]]:
    """The settings of the best of `count` candidates for each entrant: of the largest area under
    the curve, in the mean over all settings and seeds. One that a setting refuses is compared by
    the settings it can play."""
    tried = {one.name: candidates(one, count, FIRST_SEED) for one in found}
    everyone = [candidate for several in tried.values() for candidate in several]
    range_ = range(FIRST_SEED, FIRST_SEED + seeds)
    plays, _ = run_lab(everyone, settings, range_, processes, done)
    area = _mean_area(plays)
    best = {name: max(several, key=lambda c: area[c.name]) for name, several in tried.items()}
    return {name: _settings(one) for name, one in best.items()}


def _mean_area(plays: Iterable[Play]) -> Mapping[str, float]:
    areas: dict[str, list[float]] = {}
    for run in plays:
        areas.setdefault(run.entrant, []).append(run.area)
    return {name: fmean(values) for name, values in areas.items()}


def _settings(found: Entrant) -> dict[str, Any]:
    return found.config.model_dump(mode="json", include=set(SEARCHED))
