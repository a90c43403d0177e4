"""What a training session is to do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curriculum_env.config import CurriculumConfig
from curriculum_env.errors import ConfigError
from curriculum_env.sim.entrants import DEFAULT, Entrant, entrant, entrants

TINY, SMOLLM2 = "tiny", "smollm2"
SUMS = {"id": "arithmetic-curriculum", "size": 4000, "sums": [6.0, 3.0, 1.0, 0.5, 0.3]}
"""What the tiny policy trains on where nothing else is asked for: sums, most of them easy."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The settings of `curriculum-env train`, all checked but those of the taskset."""

    policy: str
    taskset: Mapping[str, Any]
    compare: str | None = None
    steps: int = 300
    groups: int = 16
    group_size: int = 8
    rate: float | None = None
    max_tokens: int | None = None
    dynamic_sampling: bool = False
    scale_learning_rate: bool = False
    evaluations: int = 12
    heldout: int | None = None
    seed: int = 0
    output: Path | None = None

    def __post_init__(self) -> None:
        """Raises:
        ConfigError: two settings contradict each other.
        """
        if self.scale_learning_rate and not self.dynamic_sampling:
            raise ConfigError(
                "--scale-learning-rate is given without --dynamic-sampling; expected it with that "
                "alone: add --dynamic-sampling, or leave it out."
            )

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the taskset, without those of its curriculum.

        Raises:
            ConfigError: no taskset is named.
        """
        found = {key: value for key, value in self.taskset.items() if key != "curriculum"}
        if not isinstance(found.get("id"), str):
            raise ConfigError(
                "no taskset is named; expected the id of an installed one: `curriculum-env train "
                "arithmetic-curriculum`, or id under [env.taskset] of a --config file."
            )
        sums = self.policy == TINY and found["id"] == SUMS["id"] and "levels" not in found
        return {**SUMS, **found} if sums else found

    @property
    def folder(self) -> Path:
        """Where results go.

        Raises:
            ConfigError: it already holds some.
        """
        policy = re.sub(r"[^\w.-]+", "-", Path(self.policy).name or self.policy)
        folder = self.output or Path("outputs/train") / f"{self.settings['id']}--{policy}"
        if (folder / "curves.json").exists():
            raise ConfigError(
                f"{folder} already holds the results of a training run; expected a new folder: "
                "name another with --output, or remove it."
            )
        return folder

    def entrants(self) -> Iterator[Entrant]:
        """The curricula to train with: the one asked for, and the one to compare it with.

        Raises:
            ConfigError: a setting is wrong, or no entrant has the name to compare with.
        """
        own = self.taskset.get("curriculum", {})
        rule = own.get("sampler", {}).get("type") if isinstance(own.get("sampler"), dict) else None
        if self.compare is None:
            yield entrant(rule or DEFAULT, own)
            return
        known = entrants()
        if self.compare not in known:
            raise ConfigError(
                f"--compare has {self.compare!r}; expected one of {', '.join(known)}: choose of "
                "these."
            )
        other = known[self.compare].config.model_copy(update={"seed": self.seed})
        name = rule or DEFAULT
        yield entrant(name if name != self.compare else f"{name} (yours)", own)
        yield Entrant(self.compare, CurriculumConfig.model_validate(other))
