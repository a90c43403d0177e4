"""Episodes in this process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from verifiers.v1.clients import ModelContext
from verifiers.v1.env import Env

from curriculum_env.adapters.verifiers.runner.config import RunConfig
from curriculum_env.adapters.verifiers.runner.loop import Execute


@asynccontextmanager
async def in_process(env: Env[Any], config: RunConfig) -> AsyncIterator[Execute]:
    """Run episodes on the event loop of this process while the block runs."""
    context = ModelContext(model=config.model, client=config.client, sampling=config.sampling)

    async def execute(task: Any) -> Any:
        (slot,) = env.slots(task)
        return await env.run_slot(slot, context)

    async with env.serving():
        yield execute
