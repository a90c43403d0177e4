"""Rollouts of one reply, asked of an OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from curriculum_env.errors import ConfigError
from curriculum_env.pool.estimate.pace import Pace
from curriculum_env.pool.estimate.rollouts import (
    Bound,
    HaltError,
    RefusedError,
    Reply,
    ServiceError,
)
from curriculum_env.types import Row

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

PLACE = "{prompt}"
_FRAME = 64
"""Tokens that a chat template may put around the messages."""
_SECRET = 8
"""Letters from which on a key is one: a server at home is sent some word."""
_CUT_OFF = "length"
"""A reply that ends so fails, whatever its last words look like."""
_WHOLE = 2.0
"""Timeouts that a request may take in all: a server that goes silent is given up after one."""
_REFUSED = (400, 413, 422)
_HALTED = (401, 402, 403, 404)


@dataclass(frozen=True, slots=True)
class Asking:
    """How a row becomes a request: `{prompt}` in `prompt` stands for its last user message;
    `system` goes first unless the row has a system message of its own. `sampling` is sent as it
    is (temperature, max_tokens, ...)."""

    model: str
    prompt: str = PLACE
    system: str = ""
    sampling: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if PLACE not in self.prompt:
            raise ConfigError(
                f"the prompt is {self.prompt!r}; expected a text with {PLACE} where the task goes"
            )

    def messages(self, row: Row) -> list[dict[str, str]]:
        """The messages to send for a row whose `data["prompt"]` is text or messages."""
        prompt: Any = row.data["prompt"]
        chat = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(prompt)
        last = max((i for i, m in enumerate(chat) if m["role"] == "user"), default=None)
        if last is not None:
            chat[last] = {
                **chat[last],
                "content": self.prompt.replace(PLACE, chat[last]["content"]),
            }
        if self.system and chat[0]["role"] not in ("system", "developer"):
            chat.insert(0, {"role": "system", "content": self.system})
        return chat

    def most_tokens(self) -> int | None:
        """The most tokens of a reply, None where nothing limits it."""
        given = self.sampling.get("max_completion_tokens") or self.sampling.get("max_tokens")
        return int(given) if given else None


class Chat:
    """An OpenAI-compatible endpoint; the openai SDK repeats what failed `retries` times, every
    request waits for its turn at `pace`. From then on a server may be silent for `timeout` seconds
    and take twice as long in all. Use it as an async context manager."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        pace: Pace,
        *,
        retries: int = 4,
        timeout: float = 300.0,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient

        async def before(request: object) -> None:
            await pace.before()
            _end(_WHOLE * timeout)

        async def after(response: Any) -> None:
            pace.answered(response.status_code, response.headers)
            if response.status_code >= 400:
                _end(None)

        self._secrets = (api_key, *(headers or {}).values())
        self.client: AsyncOpenAI = AsyncOpenAI(
            base_url=base_url,
            api_key=api_key,
            max_retries=retries,
            timeout=timeout,
            default_headers=headers,
            http_client=DefaultAsyncHttpxClient(
                timeout=timeout, event_hooks={"request": [before], "response": [after]}
            ),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        await self.client.close()

    async def ask(
        self, model: str, messages: Sequence[Mapping[str, str]], sampling: Mapping[str, Any]
    ) -> Reply:
        """Ask for one reply.

        Raises:
            ServiceError, RefusedError, HaltError: as `Player.play` says.
        """
        from openai import APIConnectionError, APIStatusError, APITimeoutError, OpenAIError

        said: Any = list(messages)
        try:
            async with asyncio.timeout(None) as limit:
                _LIMIT.set(limit)
                completion = await self.client.chat.completions.create(
                    model=model, messages=said, extra_body=dict(sampling)
                )
        except APIStatusError as error:
            raise _sorted(error, self._secrets) from error
        except (APITimeoutError, TimeoutError) as error:
            raise ServiceError("the request timed out") from error
        except APIConnectionError as error:
            cause = _shown(_cause(error), self._secrets)
            raise ServiceError(f"no connection ({cause})") from error
        except (OpenAIError, ValueError, RecursionError) as error:
            raise ServiceError("an answer that is no chat completion") from error
        return _reply(completion)


_LIMIT: ContextVar[asyncio.Timeout] = ContextVar("limit")


def _end(seconds: float | None) -> None:
    """Let the request in progress end in so many seconds; None: not at all."""
    now = asyncio.get_running_loop().time()
    _LIMIT.get().reschedule(None if seconds is None else now + seconds)


class ChatPlayer(Chat):
    """Plays rows against an endpoint."""

    def __init__(
        self, asking: Asking, base_url: str, api_key: str, pace: Pace, **settings: Any
    ) -> None:
        super().__init__(base_url, api_key, pace, **settings)
        self.asking = asking

    def bound(self, row: Row) -> Bound:
        """A token is at least a byte of the prompt; a reply ends at the `max_tokens` sent."""
        said = sum(len(m["content"].encode()) + _FRAME for m in self.asking.messages(row))
        return Bound(said + _FRAME, self.asking.most_tokens() or 0)

    async def play(self, row: Row) -> Reply:
        """Ask for one reply.

        Raises:
            ServiceError, RefusedError, HaltError: as `Player.play` says.
        """
        asking = self.asking
        return await self.ask(asking.model, asking.messages(row), asking.sampling)


def _reply(completion: Any) -> Reply:
    choices: Any = getattr(completion, "choices", None)
    message = (
        getattr(choices[0], "message", None) if isinstance(choices, list) and choices else None
    )
    content: Any = getattr(message, "content", None)
    if message is None or not isinstance(content, str | None):
        raise ServiceError("an answer that is no chat completion")
    usage = getattr(completion, "usage", None)
    finish = str(choices[0].finish_reason or "")
    return Reply(
        text=content or "",
        prompt_tokens=_count(getattr(usage, "prompt_tokens", None)),
        completion_tokens=_count(getattr(usage, "completion_tokens", None)),
        finish=finish,
        success=0.0 if finish == _CUT_OFF else None,
    )


def _count(tokens: Any) -> int | None:
    """Tokens as a server counted them, None where that is no count."""
    return tokens if isinstance(tokens, int) and 0 <= tokens < 1e12 else None


def _sorted(error: APIStatusError, secrets: Sequence[str] = ()) -> Exception:
    """The kind of failure that an HTTP status tells of, in the server's words."""
    said = _shown(str(getattr(error, "message", error)), secrets)
    reason = f"HTTP {error.status_code}: {said}"
    if error.status_code in _HALTED or getattr(error, "code", None) == "insufficient_quota":
        return HaltError(reason)
    if error.status_code in _REFUSED:
        return RefusedError(reason)
    return ServiceError(reason if error.status_code != 429 else "HTTP 429: too many requests")


def _shown(said: str, secrets: Sequence[str]) -> str:
    """The beginning of what a server said, fit for a log and a terminal: it may repeat a key, or
    hold signs that move a cursor."""
    for secret in secrets:
        if len(secret) >= _SECRET:
            said = said.replace(secret, "***")
    said = " ".join(said[:2_000].split())[:200]
    return "".join(letter if letter.isprintable() else "?" for letter in said)


def _cause(error: BaseException) -> str:
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error).strip().rstrip(".") or type(error).__name__
