"""TRL's settings, and the curriculum's beside them."""

from __future__ import annotations

from dataclasses import dataclass, field

from trl import GRPOConfig, RLOOConfig

from curriculum_env.errors import ConfigError


@dataclass
class CurriculumOptions:
    """What both trainers add to TRL's settings."""

    curriculum_store: str | None = field(
        default=None,
        metadata={
            "help": "URL of the store of draws and outcomes, such as sqlite:///run.db, for "
            "`curriculum-env status` and others to read; unset, memory."
        },
    )
    dynamic_sampling: bool = field(
        default=False,
        metadata={
            "help": "Whether to train only on groups that the curriculum's gate admits (by default "
            "those whose rewards differ), generating on until the batch is full."
        },
    )
    max_generation_rounds: int = field(
        default=10,
        metadata={
            "help": "With dynamic_sampling, how often to generate for one batch at most; what is "
            "missing then is filled with the last groups that were left out."
        },
    )

    def check(self) -> None:
        """Keep the columns of the held-out split, and raise `ConfigError` for a setting that an
        endless pool cannot follow."""
        self.remove_unused_columns = False
        if self.max_generation_rounds < 1:
            raise ConfigError(
                f"max_generation_rounds is {self.max_generation_rounds}; expected at least 1."
            )
        if getattr(self, "max_steps", -1) <= 0:
            raise ConfigError(
                f"max_steps is {getattr(self, 'max_steps', -1)}, but the curriculum draws for "
                "ever; expected the number of optimizer steps: set max_steps in the config."
            )
        for name in ("eval_strategy", "save_strategy", "logging_strategy"):
            if str(getattr(getattr(self, name), "value", getattr(self, name))) == "epoch":
                raise ConfigError(
                    f"{name} is 'epoch', but draws from a curriculum have no epochs; expected "
                    "'steps' or 'no'."
                )


@dataclass
class CurriculumGRPOConfig(CurriculumOptions, GRPOConfig):
    """`GRPOConfig` with the curriculum's options; `max_steps` is needed."""


@dataclass
class CurriculumRLOOConfig(CurriculumOptions, RLOOConfig):
    """`RLOOConfig` with the curriculum's options; `max_steps` is needed."""
