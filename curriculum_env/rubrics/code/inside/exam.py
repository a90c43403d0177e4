"""Runs a test's own code, far from the candidate's: in another jail, with stand-ins for the
candidate's functions that send the arguments out and get plain data back.

The expected values are here alone. What comes back has lost its classes (see `codec`), so an
`__eq__` of the candidate's is never called, and no patched `assert`, `unittest` or builtin of the
candidate's is in sight.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from typing import Any

from .codec import decode, encode
from .frames import Buffer, Message, receive, send
from .start import CHANNEL

ENDS_A_LOOP = (StopIteration, StopAsyncIteration)
"""Raised by the candidate, they would silently end the loop of a test that maps its function."""


class CandidateError(Exception):
    """The candidate raised something that is no built-in exception."""


class UntestableError(Exception):
    """The test hands over something that is not plain data."""


def run(request: Message) -> None:
    """Run the test and send `{"verdict": "passed" | "wrong" | "untestable", "text": ...}`."""
    replies = receive(CHANNEL, Buffer())
    namespace: dict[str, Any] = {"__name__": "test"}
    try:
        exec(compile(request["setup"], "setup.py", "exec"), namespace)
        namespace |= {name: stand_in(name, replies) for name in request["names"]}
        exec(compile(request["test"], "test.py", "exec"), namespace)
        verdict, text = "passed", ""
    except UntestableError as error:
        verdict, text = "untestable", str(error)
    except BaseException as error:
        verdict, text = "wrong", f"{type(error).__name__}: {error}"[:500]
    send(CHANNEL, {"verdict": verdict, "text": text})


def stand_in(name: str, replies: Iterator[Message]) -> Callable[..., Any]:
    """A function that calls the candidate's of that name."""

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            given = [encode(item) for item in args]
            named = {keyword: encode(item) for keyword, item in kwargs.items()}
        except (TypeError, RecursionError) as error:
            raise UntestableError(f"{name} is given {error}") from error
        send(CHANNEL, {"call": name, "args": given, "kwargs": named})
        return value_of(next(replies))

    return call


def value_of(reply: Message) -> Any:
    """What the candidate returned.

    Raises:
        Exception: the built-in exception that the candidate raised.
        CandidateError: it raised another one, or returned what is not plain data.
    """
    if "value" in reply:
        try:
            return decode(reply["value"])
        except ValueError as error:
            raise CandidateError(str(error)) from error
    kind = getattr(builtins, str(reply.get("raised")), None)
    if isinstance(kind, type) and issubclass(kind, Exception) and kind not in ENDS_A_LOOP:
        raise kind(reply.get("text"))
    raise CandidateError(f"{reply.get('raised')}: {reply.get('text')}")
