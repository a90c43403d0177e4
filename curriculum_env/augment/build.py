"""The service of a store, from its settings and an environment's hooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from curriculum_env.augment.effort import UNLIMITED, Effort
from curriculum_env.augment.endpoint import Endpoint
from curriculum_env.augment.evaluation import Evaluation
from curriculum_env.augment.filters import Filters
from curriculum_env.augment.hooks import AugmentHooks
from curriculum_env.augment.maker import Maker
from curriculum_env.augment.policy import Policy
from curriculum_env.augment.proposer import Proposer
from curriculum_env.augment.reach import policy_of
from curriculum_env.augment.service import AugmentService
from curriculum_env.augment.spending import Spending
from curriculum_env.augment.teacher import ModelTeacher, OwnTeacher, SymbolicTeacher, Teacher
from curriculum_env.augment.teacher.votes import Votes
from curriculum_env.augment.work import Worker
from curriculum_env.augment_config import (
    AugmentConfig,
    EndpointTeacherConfig,
    SelfTeacherConfig,
)
from curriculum_env.errors import ConfigError
from curriculum_env.pool.estimate.pace import Pace
from curriculum_env.store import Store
from curriculum_env.types import Row

Rows = Callable[[], Iterable[Row]]


def require_makeable(config: AugmentConfig, hooks: AugmentHooks) -> None:
    """Refuse settings that ask of an environment what it does not bring.

    Raises:
        ConfigError: it makes no variants itself, or brings no symbolic teacher.
    """
    name = type(hooks).__name__
    if config.proposer == "environment":
        if type(hooks).augment_variant is AugmentHooks.augment_variant:
            raise ConfigError(
                f"augment.proposer is 'environment', but {name} makes no variants itself: set it "
                "to 'policy', or define augment_variant() in the taskset."
            )
    elif config.teacher.type == "symbolic" and hooks.teacher() is None:
        raise ConfigError(
            f"augment.teacher.type is 'symbolic', but {name} has no symbolic teacher: set it to "
            "'endpoint' with a base_url and a model, or to 'self', or define teacher() in the "
            "taskset."
        )


def build_service(
    store: Store,
    config: AugmentConfig,
    hooks: AugmentHooks,
    *,
    pool: Rows = tuple,
    held_out: Rows = tuple,
    check: Callable[[Row], object] = lambda row: None,
    effort: Effort = UNLIMITED,
) -> AugmentService:
    """What makes the variants that the queue of `store` asks for. `check` raises where a row makes
    no task; the rest is as in `AugmentService`. To be called in its event loop.

    Raises:
        ConfigError: as `require_makeable` does.
    """
    require_makeable(config, hooks)
    spending = Spending(config, store.queue.counts().spent)
    filters = Filters(hooks, Evaluation.of(hooks, held_out()))
    sampling = {"temperature": config.temperature, "max_tokens": config.proposal_tokens}
    worker = Worker(
        store.queue,
        Maker(hooks, filters, Proposer(hooks, _endpoint(config), sampling)),
        spending,
        check,
        by_environment=config.proposer == "environment",
        teacher=config.teacher.type,
    )
    worker.maker.teacher = _teacher(config, hooks, lambda: worker.policy)
    return AugmentService(store, config, worker, pool, effort)


def _endpoint(config: AugmentConfig) -> Endpoint:
    return Endpoint(Pace(config.budget.per_minute), timeout=config.timeout)


def _teacher(
    config: AugmentConfig, hooks: AugmentHooks, policy: Callable[[], Policy | None]
) -> Teacher | None:
    asked = config.teacher
    if isinstance(asked, EndpointTeacherConfig):
        sampling = {**asked.sampling, "max_tokens": asked.max_tokens}
        votes = Votes(asked.votes, asked.agreement)
        return ModelTeacher(policy_of(asked), _endpoint(config), votes, sampling, asked.json_schema)
    if isinstance(asked, SelfTeacherConfig):
        votes = Votes(asked.votes, asked.agreement)
        sampling = {"temperature": config.temperature, "max_tokens": asked.max_tokens}
        return OwnTeacher(hooks, policy, _endpoint(config), votes, sampling)
    solver = hooks.teacher()
    return None if solver is None else SymbolicTeacher(solver)
