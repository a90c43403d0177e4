"""Programming problems with hidden tests, served at the edge of what the policy can do."""

from __future__ import annotations

from typing import Any

import verifiers.v1 as vf

from code_curriculum.taskset import CodeTaskset
from curriculum_env import ChatHarness, LocalEnv

__all__ = ["ChatHarness", "CodeTaskset", "LocalEnv", "load_environment"]


def load_environment(**config: Any) -> vf.Env[Any]:
    """The ready Env; `config` holds the taskset's settings, for example `split="heldout"`,
    `source="mbpp"` or `task={"reward": "fraction"}`.

    Raises:
        pydantic.ValidationError: a setting is unknown or out of range.
    """
    taskset = {**config, "id": "code-curriculum"}
    return vf.load_environment(vf.resolve_env_config({"taskset": taskset}))
