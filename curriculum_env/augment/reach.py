"""Asks the teacher's endpoint whether it answers at all, before anything is paid for."""

from __future__ import annotations

import logging

from curriculum_env.augment.endpoint import Endpoint
from curriculum_env.augment.policy import Policy
from curriculum_env.augment_config import AugmentConfig, EndpointTeacherConfig
from curriculum_env.errors import ConfigError
from curriculum_env.pool.estimate.rollouts import HaltError, RefusedError, ServiceError

logger = logging.getLogger(__name__)

_SECONDS, _TOKENS = 15.0, 16
_SETTINGS = "curriculum.augment.teacher"
_KEY = f"put a valid key into the environment variable that {_SETTINGS}.api_key_var names"
_PLACE = f"check {_SETTINGS}.base_url, which usually ends in /v1, and {_SETTINGS}.model"


async def require_teacher(config: AugmentConfig) -> None:
    """Ask a teacher behind an endpoint for a few tokens; other teachers are not asked. One that
    fails for the moment (a timeout, HTTP 429 or 5xx), or refuses so short a question, is warned of:
    it may be there when it is needed.

    Raises:
        ConfigError: no server answers, or what answers there refuses the key, does not serve the
            model, or is no chat endpoint.
    """
    asked = config.teacher
    if not config.enabled or not isinstance(asked, EndpointTeacherConfig):
        return
    endpoint = Endpoint(timeout=_SECONDS, retries=1)
    try:
        await endpoint.ask(policy_of(asked), "1", {**asked.sampling, "max_tokens": _TOKENS})
    except HaltError as error:
        raise ConfigError(f"the teacher cannot be asked: {error}; {_advice(error)}.") from error
    except ServiceError as error:
        if not _momentary(error):
            raise ConfigError(f"the teacher cannot be asked: {error}; {_PLACE}.") from error
        _warn(error)
    except RefusedError as error:
        _warn(error)
    finally:
        await endpoint.close()


async def warn_of_teacher(config: AugmentConfig) -> None:
    """`require_teacher` where nothing may be raised: what it would refuse is a warning."""
    try:
        await require_teacher(config)
    except ConfigError as error:
        logger.warning("No new tasks can be made: %s", error)


def policy_of(asked: EndpointTeacherConfig) -> Policy:
    """The model that such a teacher is."""
    return Policy({"base_url": asked.base_url, "api_key_var": asked.api_key_var}, asked.model)


def _advice(error: HaltError) -> str:
    status = getattr(error.__cause__, "status_code", None)
    if status in (401, 403):
        return _KEY
    return _PLACE if status == 404 else f"look at the account behind {_SETTINGS}.api_key_var"


def _momentary(error: ServiceError) -> bool:
    """Whether a server is there, and fails or is slow; not where nothing listens, or what does is
    no chat endpoint."""
    from openai import APIStatusError, APITimeoutError

    return isinstance(error.__cause__, APIStatusError | APITimeoutError | TimeoutError)


def _warn(error: Exception) -> None:
    logger.warning("The teacher does not answer now, new tasks wait until it does: %s", error)
