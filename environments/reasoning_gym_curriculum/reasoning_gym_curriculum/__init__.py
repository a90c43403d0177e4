"""reasoning-gym's tasks, served at the edge of what the policy can do."""

from __future__ import annotations

from typing import Any

import verifiers.v1 as vf

from curriculum_env import ChatHarness, LocalEnv
from reasoning_gym_curriculum.taskset import ReasoningGymTaskset

__all__ = ["ChatHarness", "LocalEnv", "ReasoningGymTaskset", "load_environment"]


def load_environment(**config: Any) -> vf.Env[Any]:
    """The ready Env; `config` holds the taskset's settings, for example
    `split="heldout"`, `families=["countdown", "maze"]` or `curriculum={"group_size": 8}`.

    Raises:
        pydantic.ValidationError: a setting is unknown or out of range.
    """
    taskset = {**config, "id": "reasoning-gym-curriculum"}
    return vf.load_environment(vf.resolve_env_config({"taskset": taskset}))
