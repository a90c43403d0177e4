"""Who takes part: our default, every rule the package has, and what a perfect belief would do."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from curriculum_env.config import CurriculumConfig
from curriculum_env.errors import ConfigError
from curriculum_env.samplers import KINDS
from curriculum_env.samplers.custom import CustomConfig

Kind = Literal["ours", "rule", "tuned", "reference"]

DEFAULT, UNIFORM = "default", "uniform"
TUNED = Path(__file__).with_name("tuned.json")
PLAIN: dict[str, Any] = {
    "explore": 0.0,
    "novelty": 1.0,
    "pick": "top",
    "estimator": {"type": "beta"},
}
"""A rule as published has no novelty and no exploration but its own, and counts passes per task
where it needs a belief; cooldown and leases hold."""
_OWN = ("gain", "survival", "composite", "mixture", "forgetting")
_VARIANTS: dict[str, dict[str, tuple[str, ...]]] = {
    "tscl": {"teacher": ("online", "naive", "window")},
    "bucket-bandit": {"tension": ("literal",)},
}
_ORACLE = "curriculum_env.sim.oracle:Oracle"


@dataclass(frozen=True, slots=True)
class Entrant:
    """A curriculum under a name."""

    name: str
    config: CurriculumConfig
    kind: Kind = "rule"

    @property
    def ours(self) -> bool:
        """Whether the rule is one of this package, not one published by others."""
        return self.config.sampler.type in _OWN


def entrant(name: str, settings: Mapping[str, Any], kind: Kind = "rule") -> Entrant:
    """The entrant with these settings of `CurriculumConfig`.

    Raises:
        ConfigError: they are none.
    """
    try:
        return Entrant(name, CurriculumConfig.model_validate(dict(settings)), kind)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ConfigError(
            f"the settings of {name} cannot be used at {where!r}: {first['msg']}; expected those "
            "of a curriculum, as docs/configuration.md lists them"
        ) from error


def entrants() -> dict[str, Entrant]:
    """Everyone with defaults: ours, then every registered rule, then the references."""
    ours = [Entrant(DEFAULT, CurriculumConfig(), "ours")]
    everyone = [*ours, *_rules(), *_references()]
    return {found.name: found for found in everyone}


def _rules() -> Iterator[Entrant]:
    """Every sampler with the defaults of its source; what this package adds of its own (`_OWN`),
    with those of the engine."""
    for name in sorted(_types()):
        around = {} if name in _OWN else PLAIN
        yield entrant(name, {**around, "sampler": {"type": name}})
        for field, values in _VARIANTS.get(name, {}).items():
            for value in values:
                sampler = {"type": name, field: value}
                yield entrant(f"{name}-{value}", {**around, "sampler": sampler})


def _types() -> list[str]:
    return [config.model_fields["type"].default for config in KINDS if config is not CustomConfig]


def _references() -> Iterator[Entrant]:
    """No competitors: they see the policy, or which tasks are dead."""
    for name, worth in (("oracle", "gain"), ("uniform-live", "live")):
        sampler = {"type": "custom", "class_path": _ORACLE, "args": {"worth": worth}}
        yield entrant(name, {**PLAIN, "sampler": sampler}, "reference")


def tuned(path: Path = TUNED) -> dict[str, Entrant]:
    """The rules as a random search on other seeds left them (`search.py` made the file)."""
    if not path.exists():
        return {}
    found: Mapping[str, Mapping[str, Any]] = json.loads(path.read_text())["rules"]
    return {f"{name}*": entrant(f"{name}*", settings, "tuned") for name, settings in found.items()}
