from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from curriculum_env.augment.endpoint import LINES, NO_KEY, Endpoint, headers_of, key_of
from curriculum_env.augment.policy import Policy
from curriculum_env.pool.estimate.rollouts import HaltError, RefusedError, ServiceError
from curriculum_env.testing.policy import Reply, ScriptedPolicy, completion, serve_policy


class Listener(ScriptedPolicy):
    """Keeps each request whole; answers with `replies` in turn, the last one for ever."""

    def __init__(self, *replies: Reply) -> None:
        super().__init__()
        self.replies = list(replies) or [Reply(200, completion("ok"))]
        self.requests: list[dict[str, Any]] = []

    def respond(self, request: dict[str, Any]) -> Reply:
        self.requests.append(request)
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


@asynccontextmanager
async def endpoint(**settings: Any) -> AsyncIterator[Endpoint]:
    made = Endpoint(**{"retries": 0, "timeout": 5.0, **settings})
    try:
        yield made
    finally:
        await made.close()


async def test_a_request_carries_the_policys_settings_and_its_cache_salt() -> None:
    listener = Listener()
    with serve_policy(listener) as url:
        asked = Policy(
            {"base_url": url},
            "lora-7",
            "step-7",
            {"top_p": 0.9, "max_completion_tokens": 9000, "seed": 1, "n": 8, "logprobs": 1},
        )
        async with endpoint() as at:
            reply = await at.ask(asked, "Hello", {"max_tokens": 64, "temperature": 1.0})
    assert reply.text == "ok"
    (request,) = listener.requests
    assert request == {
        "model": "lora-7",
        "messages": [{"role": "user", "content": "Hello"}],
        "cache_salt": "step-7",
        "top_p": 0.9,
        "max_tokens": 64,
        "temperature": 1.0,
    }


async def test_a_policy_that_moves_is_followed() -> None:
    first, second = Listener(), Listener()
    with serve_policy(first) as one, serve_policy(second) as other:
        async with endpoint() as at:
            for url in (one, one, other, one):
                await at.ask(Policy({"base_url": url}, "m"), "Hello", {})
            many = [Policy({"base_url": url}, "m") for url in (one, other) * 8]
            await asyncio.gather(*(at.ask(asked, "Hello", {}) for asked in many))
            assert len(at._lines) == 2
            for number in range(20):
                with pytest.raises(ServiceError):
                    await at.ask(
                        Policy({"base_url": f"http://127.0.0.1:9/{number}"}, "m"), "Hi", {}
                    )
            assert len(at._lines) <= LINES + 1
    assert (len(first.requests), len(second.requests)) == (11, 9)


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Reply(500, "{}"), ServiceError),
        (Reply(429, "{}"), ServiceError),
        (Reply(200, "<html>"), ServiceError),
        (Reply(200, "[1]"), ServiceError),
        (Reply(200, "[" * 200_000), ServiceError),
        (Reply(200, '{"choices": []}'), ServiceError),
        (Reply(200, '{"choices": [{"message": {"content": [1]}}]}'), ServiceError),
        (Reply(400, "{}"), RefusedError),
        (Reply(401, "{}"), HaltError),
        (Reply(404, "{}"), HaltError),
    ],
)
async def test_what_goes_wrong_has_its_kind(reply: Reply, error: type[Exception]) -> None:
    with serve_policy(Listener(reply)) as url:
        async with endpoint() as at:
            with pytest.raises(error):
                await at.ask(Policy({"base_url": url}, "m"), "Hello", {})


async def test_a_server_that_repeats_the_key_is_quoted_without_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-of-mine")
    monkeypatch.setenv("MY_HEADER", "pass-of-mine")
    client = {"api_key_var": "MY_KEY", "headers_from_env": {"X-Pass": "MY_HEADER"}}
    said = {"error": {"message": "no: sk-of-mine, pass-of-mine \x1b[2J" + "x" * 10_000}}
    for status in (400, 401, 500):
        with serve_policy(Listener(Reply(status, json.dumps(said)))) as url:
            async with endpoint() as at:
                with pytest.raises((RefusedError, HaltError, ServiceError)) as raised:
                    await at.ask(Policy({"base_url": url, **client}, "m"), "Hello", {})
        reason = str(raised.value)
        assert "of-mine" not in reason
        assert reason.isprintable()
        assert len(reason) < 300


async def test_nobody_listens_there() -> None:
    async with endpoint() as at:
        with pytest.raises(ServiceError, match="no connection"):
            await at.ask(Policy({"base_url": "http://127.0.0.1:9/v1"}, "m"), "Hello", {})


async def test_a_missing_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with serve_policy(Listener(Reply(401, "{}"))) as url:
        policy = Policy({"base_url": url, "api_key_var": "MY_KEY"}, "m")
        async with endpoint() as at:
            with pytest.raises(HaltError, match=rf"^m at {url}: .*MY_KEY is not set"):
                await at.ask(policy, "Hello", {})


async def test_a_server_that_trickles_is_given_up() -> None:
    async def trickle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            for _ in range(200):
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.05)
        except ConnectionError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(trickle, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    async with server, endpoint(timeout=0.3) as at:
        with pytest.raises(ServiceError, match="timed out"):
            await at.ask(Policy({"base_url": url}, "m"), "Hello", {})


def test_the_key_is_in_the_environment_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "secret")
    monkeypatch.setenv("MY_HEADER", "value")
    client = {"base_url": "http://x/v1", "api_key_var": "MY_KEY", "headers": {"X-Team": "a"}}
    assert key_of(client) == "secret"
    assert key_of({**client, "api_key_var": "UNSET_KEY"}) == NO_KEY
    assert key_of({"base_url": "http://x/v1"}) == NO_KEY
    named = {**client, "headers_from_env": {"X-Own": "MY_HEADER", "X-None": "UNSET"}}
    assert headers_of(named) == {"X-Team": "a", "X-Own": "value"}


def test_verifiers_own_login_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIME_API_KEY", "secret")
    monkeypatch.setenv("PRIME_TEAM_ID", "team")
    client = {"base_url": "https://api.pinference.ai/api/v1", "api_key_var": "PRIME_API_KEY"}
    assert key_of(client) == "secret"
    assert headers_of({**client, "headers": {"X": "y"}}) == {"X": "y", "X-Prime-Team-ID": "team"}
