"""A chat harness that runs inside the worker: no process, no uv, no download per rollout."""

from __future__ import annotations

import ssl
from functools import cache
from typing import Any, ClassVar

import verifiers.v1 as vf
from openai import AsyncOpenAI, DefaultAsyncHttpxClient
from pydantic import Field
from verifiers.v1.dialects.chat import message_to_wire


class ChatHarnessConfig(vf.HarnessConfig):
    """Settings of `ChatHarness`, under `--env.agent.harness.*`."""

    max_retries: int = Field(2, ge=0)
    """How often a model call that failed is tried again, by the openai SDK."""


class ChatHarness(vf.Harness[ChatHarnessConfig]):
    """One model reply per turn of the conversation, and no tools.

    A task with tools is refused by verifiers before the rollout starts; set
    `--env.agent.harness.id null` (or `bash`) for those. A conversation is carried on by
    replaying it, so envs that play the user work.
    """

    APPENDS_SYSTEM_PROMPT: ClassVar[bool] = True
    SUPPORTS_RESUME: ClassVar[bool] = True
    EXECUTES_CODE: ClassVar[bool] = False
    NEEDS_CONTAINER: ClassVar[bool] = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Ask the model for one reply. Sampling settings are applied at `endpoint`.

        Raises:
            openai.APIError: the call failed `max_retries` + 1 times.
        """
        async with DefaultAsyncHttpxClient(verify=_tls(), timeout=None) as transport:
            client = AsyncOpenAI(
                base_url=endpoint,
                api_key=secret,
                max_retries=self.config.max_retries,
                http_client=transport,
            )
            await client.chat.completions.create(model=ctx.model, messages=self._messages(data))
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")

    def _messages(self, data: vf.TaskData) -> Any:
        system, prompt = self.resolve_prompt(data)
        opening = [{"role": "system", "content": system}] if system else []
        if isinstance(prompt, str):
            return [*opening, {"role": "user", "content": prompt}]
        return [*opening, *(message_to_wire(message) for message in prompt or [])]


@cache
def _tls() -> ssl.SSLContext:
    """Building a context reads the certificate store (20 ms): once per process."""
    return ssl.create_default_context()
