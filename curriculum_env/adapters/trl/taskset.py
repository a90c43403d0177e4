"""A single-turn curriculum taskset as a trainer sees it."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import verifiers.v1 as vf
from pydantic import ValidationError
from verifiers.v1.dialects.chat import message_to_wire
from verifiers.v1.utils.loaders import load_taskset, taskset_class, taskset_config_type

from curriculum_env.adapters.verifiers import CurriculumMixin, CurriculumTaskMixin
from curriculum_env.adapters.verifiers.wrap import CurriculumWrap, CurriculumWrapConfig
from curriculum_env.config import CurriculumConfig
from curriculum_env.engine import Curriculum
from curriculum_env.errors import ConfigError, CurriculumError

Messages = list[dict[str, Any]]


def open_taskset(taskset: object) -> Any:
    """The curriculum taskset that `taskset` is, names (`"arithmetic-curriculum"`) or sets up
    (`{"id": "arithmetic-curriculum", "size": 500}`); one without a curriculum is wrapped.

    Raises:
        ConfigError: it is not installed, a setting is wrong, or an object has no curriculum.
    """
    if isinstance(taskset, CurriculumMixin):
        return taskset
    settings = {"id": taskset} if isinstance(taskset, str) else taskset
    if not isinstance(settings, Mapping) or not isinstance(settings.get("id"), str):
        raise ConfigError(
            f"taskset is a {type(taskset).__name__} without a curriculum; expected a taskset with "
            "CurriculumMixin, its id, or its settings as a mapping with an id: wrap an installed "
            "one by its id, or derive one with curriculum_env.curriculum(YourTaskset)."
        )
    try:
        return _loaded(dict(settings))
    except ValidationError as error:
        raise ConfigError(f"taskset {settings['id']!r}: {_told(error)}.") from error
    except CurriculumError:
        raise
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise ConfigError(
            f"{settings['id']!r} cannot be loaded as a taskset ({error}): install its package, or "
            "see `curriculum-env env list` for those that are installed."
        ) from error


def _loaded(settings: dict[str, Any]) -> Any:
    if not issubclass(taskset_class(settings["id"]), CurriculumMixin):
        return CurriculumWrap(CurriculumWrapConfig.model_validate({"inner": settings}))
    return load_taskset(taskset_config_type(settings["id"]).model_validate(settings))


def _told(error: ValidationError) -> str:
    first = error.errors()[0]
    return ": ".join(filter(None, [".".join(map(str, first["loc"])), first["msg"]]))


def settings_of(
    taskset: Any, curriculum: CurriculumConfig | Mapping[str, Any] | None, group_size: int
) -> CurriculumConfig:
    """The curriculum's settings: those given, else the taskset's own, for groups of `group_size`.

    Raises:
        ConfigError: one is wrong, or they name another group size.
    """
    given = taskset.config.curriculum if curriculum is None else curriculum
    try:
        config = CurriculumConfig.model_validate(given)
    except ValidationError as error:
        raise ConfigError(f"curriculum: {_told(error)}.") from error
    if config.group_size not in (None, group_size):
        raise ConfigError(
            f"curriculum.group_size is {config.group_size} and num_generations {group_size}; "
            "expected the same: leave curriculum.group_size out."
        )
    return config.model_copy(update={"group_size": group_size})


def open_curriculum(taskset: Any, config: CurriculumConfig, store: str | None) -> Curriculum:
    """The curriculum of the taskset; the task of its first row is checked to be playable.

    Raises:
        PoolError: a row does not make a task.
        ConfigError: the tasks are of no single turn, or cannot be scored without a runtime, or
            variants of them are to be written by a policy that answers nowhere.
    """
    if config.augment.enabled and config.augment.proposer == "policy":
        raise ConfigError(
            "curriculum.augment.proposer is 'policy', but a policy in training under TRL answers "
            "at no endpoint that could be asked for variants: set it to 'environment' where the "
            "taskset makes variants itself, or train with prime-rl."
        )
    curriculum: Curriculum = taskset.opened(config, store)
    try:
        check_playable(taskset, taskset.task(curriculum.rows[0]))
    except BaseException:
        curriculum.close()
        raise
    return curriculum


def check_playable(taskset: Any, task: vf.Task) -> None:
    """Raise `ConfigError` where one completion of the prompt is not the whole rollout, or where
    its reward cannot be told from the completion alone."""
    name, kind = type(task).__name__, type(task)
    if type(taskset).toolsets(taskset.config) or kind.toolsets(task.config):
        reason = "has tools, which take several turns"
    elif task.data.prompt is None:
        reason = "has no prompt"
    elif getattr(task, "NEEDS_CONTAINER", False) or task.data.image:
        reason = "runs in a container"
    elif hooks := [hook for hook in ("setup", "finalize") if _overridden(kind, hook)]:
        reason = f"has a {hooks[0]}(), which prepares a runtime"
    elif needing := [fn.__name__ for fn in task.hooks("reward") if _needs_runtime(fn)]:
        reason = f"has the reward {needing[0]}(), which needs a runtime"
    elif judges := [j.reward_name for j in task.plugged_judges() if _needs_runtime(j.score)]:
        reason = f"has the judge {judges[0]}, which needs a runtime"
    else:
        return
    raise ConfigError(
        f"{name} {reason}; TRL plays one completion of each prompt and scores it without a "
        "runtime: train on it with prime-rl, or on a task whose rewards read the trace alone."
    )


def _overridden(task: type[Any], hook: str) -> bool:
    owner = next(
        base for base in task.__mro__ if hook in vars(base) and base is not CurriculumTaskMixin
    )
    return owner is not vf.Task


def _needs_runtime(function: Any) -> bool:
    parameter = inspect.signature(function).parameters.get("runtime")
    return parameter is not None and parameter.default is inspect.Parameter.empty


def messages_of(data: vf.TaskData) -> Messages:
    """The prompt of a task as chat messages."""
    opening = [{"role": "system", "content": data.system_prompt}] if data.system_prompt else []
    if isinstance(data.prompt, str):
        return [*opening, {"role": "user", "content": data.prompt}]
    return [*opening, *(dict(message_to_wire(message)) for message in data.prompt or [])]


def text_of(data: vf.TaskData) -> str:
    """The prompt of a task as plain text, for a model without a chat template."""
    return "\n\n".join(filter(None, [data.system_prompt, data.prompt_text]))
