"""The settings of a run, checked before anything starts."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from pydantic import Field, SerializeAsAny, ValidationError, field_validator
from pydantic_config import BaseConfig
from verifiers.v1.clients import ClientConfig, EvalClientConfig
from verifiers.v1.configs.env import EnvConfig
from verifiers.v1.types import SamplingConfig
from verifiers.v1.utils.loaders import resolve_env_config, taskset_class

from curriculum_env.adapters.verifiers.runner.quota import RefillConfig
from curriculum_env.adapters.verifiers.taskset import CurriculumMixin
from curriculum_env.errors import ConfigError


class RunConfig(BaseConfig):
    """One run: `groups` draws of `group_size` rollouts, `concurrency` rollouts at a time."""

    env: SerializeAsAny[EnvConfig]
    """The environment, as in verifiers: its taskset, agents, timeouts and retries."""
    model: str = Field(min_length=1)
    """The model's name at the endpoint."""
    client: ClientConfig = EvalClientConfig()
    """The OpenAI-compatible endpoint."""
    sampling: SamplingConfig = SamplingConfig()
    """Sampling parameters sent with each request."""
    groups: int = Field(ge=1)
    """Draws in all."""
    group_size: int = Field(ge=1)
    """Rollouts of one draw."""
    concurrency: int = Field(16, ge=1)
    """Rollouts in flight at most."""
    workers: int = Field(0, ge=0)
    """Worker processes; 0 runs the episodes in this process."""
    refill: RefillConfig | None = None
    """Draw on until `groups` groups are worth training on; unset, `groups` counts draws."""
    policy: str | None = None
    """The local policy being served for the run, if any."""

    @field_validator("env", mode="before")
    @classmethod
    def _narrow(cls, value: Any) -> EnvConfig:
        return resolve_env_config(value)


def resolve(raw: Mapping[str, Any]) -> RunConfig:
    """The run that `raw` describes.

    Raises:
        ConfigError: the taskset is not installed, a setting cannot be used, or worker processes
            are to share a store that lives in one process.
    """
    taskset = raw["env"]["taskset"]["id"]
    require_taskset(taskset)
    try:
        config = RunConfig.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(_sentence(error)) from error
    except Exception as error:  # whatever a taskset's own code raises when it is imported
        raise ConfigError(f"taskset {taskset!r} cannot be loaded ({described(error)}).") from error
    _require_shared_store(config)
    _require_drawing(config)
    return config


def require_taskset(taskset: str) -> None:
    """Refuse a taskset that is not installed or has no curriculum.

    Raises:
        ConfigError: it cannot be run.
    """
    module = taskset.rsplit("/", 1)[-1].split("@", 1)[0].replace("-", "_").lower()
    names = (f"verifiers.v1.tasksets.{module}", module)
    if not module.isidentifier() or not any(map(find_spec, names)):
        raise ConfigError(
            f"no taskset {taskset!r} is installed: see `curriculum-env env list` for those that "
            f"are, or install ./environments/{module} with `curriculum-env vf-install {taskset}`."
        )
    try:
        plain = not issubclass(taskset_class(taskset), CurriculumMixin)
    except Exception as error:  # whatever a taskset's own code raises when it is imported
        raise ConfigError(
            f"{taskset!r} cannot be loaded as a taskset ({described(error)})."
        ) from error
    if plain:
        raise ConfigError(
            f"taskset {taskset!r} has no curriculum: run it as `curriculum-env run "
            f"curriculum-wrap --set taskset.inner.id={taskset}`."
        )


def described(error: Exception) -> str:
    """An error of somebody else's code on one line, by its type and words."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def _require_shared_store(config: RunConfig) -> None:
    taskset: Any = config.env.taskset
    store = taskset.task.store or "memory://"
    if config.workers and taskset.split == "train" and store.startswith("memory:"):
        raise ConfigError(
            f"{config.workers} worker processes cannot share the store {store!r}, which lives in "
            "one process: give --store sqlite:///path.db, or use --workers 0."
        )


def _require_drawing(config: RunConfig) -> None:
    taskset: Any = config.env.taskset
    if config.refill is not None and taskset.split != "train":
        raise ConfigError(
            "refill draws on until enough groups are worth training on, but split = 'heldout' has "
            "so many tasks and no more: leave out --refill, or run the training split."
        )


def _sentence(error: ValidationError) -> str:
    """All that is wrong, by the settings' dotted names."""
    return f"{'; '.join(dict.fromkeys(map(_reason, error.errors())))}."


def _reason(error: Mapping[str, Any]) -> str:
    name = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return f"there is no setting {name}: check its spelling"
    reason = error["msg"].removeprefix("Value error, ")
    found = "" if isinstance(error["input"], Mapping) else f", found {error['input']!r}"
    return f"{name or 'the run'}: {reason[:1].lower()}{reason[1:]}{found}"
