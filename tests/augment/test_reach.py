"""The teacher's endpoint is tried before anything is paid for."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from curriculum_env.augment.build import build_service
from curriculum_env.augment.hooks import AugmentHooks
from curriculum_env.augment.reach import require_teacher
from curriculum_env.augment.service import AugmentService
from curriculum_env.augment.thread import ServiceThread
from curriculum_env.augment_config import AugmentConfig
from curriculum_env.errors import ConfigError
from curriculum_env.store import Store, open_store
from curriculum_env.store.queue import STATUS
from curriculum_env.testing.policy import Reply, completion, serve_policy
from tests.augment.test_endpoint import Listener

ANSWERS = Reply(200, completion("ok"))
NOWHERE = "http://127.0.0.1:9/v1"


def taught(url: str, **more: object) -> AugmentConfig:
    teacher = {"type": "endpoint", "base_url": url, "model": "judge", "api_key_var": "JUDGE_KEY"}
    return AugmentConfig.model_validate({"enabled": True, "teacher": teacher, **more})


def failing(status: int) -> Reply:
    return Reply(status, json.dumps({"error": {"message": "scripted"}}))


@contextmanager
def judge(*replies: Reply) -> Iterator[tuple[str, Listener]]:
    listener = Listener(*replies)
    with serve_policy(listener) as url:
        yield url, listener


async def test_a_teacher_that_answers_is_asked_once(caplog: pytest.LogCaptureFixture) -> None:
    with judge(ANSWERS) as (url, listener):
        await require_teacher(taught(url))
        await require_teacher(taught(url, enabled=False))
    (request,) = listener.requests
    assert (request["model"], request["max_tokens"]) == ("judge", 16)
    assert not caplog.records


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (failing(401), ("HTTP 401", "JUDGE_KEY is not set", "teacher.api_key_var")),
        (failing(403), ("HTTP 403", "teacher.api_key_var")),
        (failing(402), ("HTTP 402", "look at the account")),
        (failing(404), ("judge at http", "HTTP 404", "teacher.base_url", "teacher.model")),
        (Reply(200, "<html>a home page</html>"), ("no chat completion", "teacher.base_url")),
    ],
)
async def test_what_cannot_be_a_teacher_is_refused(
    monkeypatch: pytest.MonkeyPatch, reply: Reply, words: tuple[str, ...]
) -> None:
    monkeypatch.delenv("JUDGE_KEY", raising=False)
    with judge(reply) as (url, _), pytest.raises(ConfigError) as refused:
        await require_teacher(taught(url))
    said = str(refused.value)
    assert said.startswith("the teacher cannot be asked: ")
    assert [word for word in words if word not in said] == []


@pytest.mark.parametrize("url", [NOWHERE, "http://no-such-host.invalid/v1"])
async def test_where_nobody_answers_is_refused(url: str) -> None:
    with pytest.raises(
        ConfigError, match=r"no connection .*curriculum\.augment\.teacher\.base_url"
    ):
        await require_teacher(taught(url))


@pytest.mark.parametrize("status", [400, 503])
async def test_a_teacher_that_fails_for_the_moment_is_warned_of(
    caplog: pytest.LogCaptureFixture, status: int
) -> None:
    with judge(failing(status)) as (url, _):
        await require_teacher(taught(url))
    assert "does not answer now, new tasks wait until it does: " in caplog.text
    assert f"HTTP {status}" in caplog.text


def test_a_thread_warns_and_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    with closing(open_store("memory://")) as store:
        thread = ServiceThread(
            store, lambda _: build_service(store, taught(NOWHERE), AugmentHooks(), pool=tuple)
        )
        until = time.monotonic() + 20.0
        while "No new tasks can be made" not in caplog.text and time.monotonic() < until:
            time.sleep(0.02)
        assert thread.alive
        thread.stop()
        assert not thread.alive
    assert "the teacher cannot be asked: judge at " in caplog.text
    assert "no more variants are made" not in caplog.text


def test_a_thread_that_is_stopped_before_it_began_says_so() -> None:
    with closing(open_store("memory://")) as store:
        begin = threading.Event()

        def build(_: Store) -> AugmentService:
            begin.wait(10.0)
            return build_service(store, taught(NOWHERE), AugmentHooks())

        thread = ServiceThread(store, build)
        threading.Timer(0.1, begin.set).start()
        thread.stop()
        assert not thread.alive
        assert [event["state"] for event in store.events(STATUS)] == ["stopped"]
