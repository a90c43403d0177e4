"""Variants of a taskset's rows: who makes them, and which are let in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from curriculum_env.augment.effort import BESIDE_DRAWS, UNLIMITED, Effort
from curriculum_env.errors import ConfigError
from curriculum_env.types import Row

if TYPE_CHECKING:
    from curriculum_env.augment.service import AugmentService
    from curriculum_env.augment_config import AugmentConfig
    from curriculum_env.config import CurriculumConfig
    from curriculum_env.engine import Curriculum
    from curriculum_env.engine.augmenting import Admit
    from curriculum_env.store import Store

EVENT = "taskset"
"""The kind of the event by which a service of its own process finds the taskset."""


def admission(taskset: Any, settings: CurriculumConfig) -> Admit | None:
    """Keeps out what is held out, and what makes no task: that would end a trainer's loop."""
    if not settings.augment.enabled:
        return None
    held_out = {row.uid for row in taskset.kept_out()}

    def admit(row: Row) -> str:
        if row.uid in held_out:
            return "contaminated"
        try:
            taskset.task(row)
        except Exception:  # whatever an environment's own code raises
            return "no_task"
        return ""

    return admit


def serve_variants(taskset: Any, curriculum: Curriculum, store: str | None) -> None:
    """Begin to make variants, if `curriculum` is to have any, until it is closed.

    Raises:
        ConfigError: the taskset cannot do what the settings ask for; the curriculum is closed then.
    """
    config = curriculum.config.augment
    if not config.enabled:
        return
    try:
        _begin(taskset, curriculum, config, store)
    except BaseException:
        curriculum.close()
        raise


def _begin(taskset: Any, curriculum: Curriculum, config: AugmentConfig, url: str | None) -> None:
    from curriculum_env.augment.build import require_makeable
    from curriculum_env.augment.thread import ServiceThread
    from curriculum_env.store.queue import STATUS

    require_makeable(config, taskset)
    taskset.augment_text(next(iter(curriculum.rows)))  # raises now, not in the service
    if config.service == "process":
        curriculum.store.log_event(EVENT, _described(taskset, curriculum))
        return

    def build(store: Store) -> AugmentService:
        return service_of(taskset, config, store, lambda: curriculum.rows, BESIDE_DRAWS)

    shared = curriculum.store if curriculum.store.url.startswith("memory") else url
    assert shared is not None
    curriculum.store.log_event(STATUS, {"state": "waiting", "reason": "its thread begins"})
    curriculum.at_close.append(ServiceThread(shared, build).stop)


def service_of(
    taskset: Any,
    config: AugmentConfig,
    store: Store,
    pool: Callable[[], Iterable[Row]],
    effort: Effort = UNLIMITED,
) -> AugmentService:
    """What makes variants of the rows of `taskset`; raises as `build_service` does."""
    from curriculum_env.augment.build import build_service

    return build_service(
        store,
        config,
        taskset,
        pool=pool,
        held_out=taskset.kept_out,
        check=taskset.task,
        effort=effort,
    )


def restored(config: Mapping[str, Any]) -> Any:
    """The taskset that `EVENT` describes.

    Raises:
        ConfigError: it is not installed here, or has other settings in this release.
    """
    from pydantic import ValidationError
    from verifiers.v1.utils.loaders import load_taskset, taskset_config_type

    try:
        return load_taskset(taskset_config_type(config["id"]).model_validate(dict(config)))
    except (ImportError, AttributeError, TypeError, LookupError, ValidationError) as error:
        raise ConfigError(
            f"the taskset {config.get('id')!r} of the run cannot be made here ({error}): install "
            "the same packages as where the run is."
        ) from error


def _described(taskset: Any, curriculum: Curriculum) -> dict[str, Any]:
    """What another process needs to make the taskset again; never the store, which it is given."""
    if not taskset.config.id:
        raise ConfigError(
            f"augment.service is 'process', but {type(taskset).__name__} was made without an id by "
            "which another process could find it: set it to 'thread', or name an installed taskset."
        )
    config = taskset.config.model_copy(update={"curriculum": curriculum.config})
    dumped = config.model_dump(mode="json", exclude={"task": {"store"}})
    return {"config": dumped}
