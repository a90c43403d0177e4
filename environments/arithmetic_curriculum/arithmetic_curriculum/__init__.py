"""Procedural arithmetic that serves the problems at the edge of what the policy can do."""

from __future__ import annotations

from typing import Any

import verifiers.v1 as vf

from arithmetic_curriculum.taskset import ArithmeticTaskset
from curriculum_env import ChatHarness, LocalEnv

__all__ = ["ArithmeticTaskset", "ChatHarness", "LocalEnv", "load_environment"]


def load_environment(**config: Any) -> vf.Env[Any]:
    """The ready Env; `config` holds the taskset's settings, for example
    `split="heldout"`, `size=1000` or `curriculum={"group_size": 8}`.

    Raises:
        pydantic.ValidationError: a setting is unknown or out of range.
    """
    taskset = {**config, "id": "arithmetic-curriculum"}
    return vf.load_environment(vf.resolve_env_config({"taskset": taskset}))
