"""Mathematics from any dataset, served at the edge of what the policy can do."""

from __future__ import annotations

from typing import Any

import verifiers.v1 as vf

from curriculum_env import ChatHarness, LocalEnv
from math_curriculum.taskset import MathTaskset

__all__ = ["ChatHarness", "LocalEnv", "MathTaskset", "load_environment"]


def load_environment(**config: Any) -> vf.Env[Any]:
    """The ready Env; `config` holds the taskset's settings, for example
    `pool="pool.parquet"`, `split="heldout"` or `curriculum={"group_size": 8}`.

    Raises:
        pydantic.ValidationError: a setting is unknown or out of range.
    """
    taskset = {**config, "id": "math-curriculum"}
    return vf.load_environment(vf.resolve_env_config({"taskset": taskset}))
