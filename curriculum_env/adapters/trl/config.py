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
    scale_learning_rate: bool = field(
        default=False,
        metadata={
            "help": "With dynamic_sampling, whether a step's learning rate is multiplied by the "
            "square root of the groups generated for its batch over the fresh ones in it."
        },
    )
    trajectory_replay: float = field(
        default=0.0,
        metadata={
            "help": "Share of each batch, from 0 to less than 1, that is rollouts of earlier "
            "policies, trained on again with the clipped ratio."
        },
    )
    trajectory_tau_max: int = field(
        default=2,
        metadata={"help": "Policy updates after which a rollout is never replayed."},
    )
    success_replay: bool = field(
        default=False,
        metadata={
            "help": "Whether to keep successes of each task, and put one into a group in which "
            "every rollout fails."
        },
    )

    def check(self) -> None:
        """Keep the columns of the held-out split, and raise `ConfigError` for a setting that an
        endless pool cannot follow."""
        self.remove_unused_columns = False
        for name in ("max_generation_rounds", "trajectory_tau_max"):
            if not isinstance(getattr(self, name), int):
                raise ConfigError(f"{name} is {getattr(self, name)!r}; expected a whole number.")
        if self.max_generation_rounds < 1:
            raise ConfigError(
                f"max_generation_rounds is {self.max_generation_rounds}; expected at least 1."
            )
        if self.scale_learning_rate and not self.dynamic_sampling:
            raise ConfigError(
                "scale_learning_rate is on without dynamic_sampling; expected it with that alone: "
                "switch dynamic_sampling on, or leave scale_learning_rate out."
            )
        if not 0 <= self.trajectory_replay < 1:
            raise ConfigError(
                f"trajectory_replay is {self.trajectory_replay}; expected a share from 0 to less "
                "than 1."
            )
        replays = self.trajectory_replay or self.success_replay
        if replays and (getattr(self, "beta", 0.0) or getattr(self, "use_vllm", False)):
            raise ConfigError(
                "trajectory_replay and success_replay cannot be used with beta or use_vllm: what "
                "these need is not kept with a rollout; expected beta=0 and use_vllm=False."
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
