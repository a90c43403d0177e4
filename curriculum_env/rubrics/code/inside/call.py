"""Calls the candidate's functions for others. Runs inside the candidate's own process, so nothing
it says is believed: it is data, and it is judged elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from .codec import decode, encode
from .frames import Buffer, Message, receive, send
from .program import NAME, add_quitters
from .start import CHANNEL


def run(source: str) -> None:
    """Load `source` as a module that is not the main one, then answer calls."""
    module = ModuleType("solution")
    module.__file__ = NAME
    sys.modules["solution"] = module
    add_quitters()
    exec(compile(source, NAME, "exec"), module.__dict__)
    send(CHANNEL, {"loaded": True})
    for message in receive(CHANNEL, Buffer()):
        send(CHANNEL, answer(module, message))


def answer(module: ModuleType, message: Message) -> Message:
    """`{"value": ...}` of a call, or `{"raised": name}` of its exception."""
    try:
        function = find(module, message["call"])
        arguments = [decode(item) for item in message["args"]]
        keywords = {name: decode(item) for name, item in message["kwargs"].items()}
        return {"value": encode(function(*arguments, **keywords))}
    except Exception as error:
        return {"raised": type(error).__name__, "text": str(error)[:500]}


def find(module: ModuleType, name: str) -> Callable[..., Any]:
    """The function of that name, or the method of a fresh `Solution` object."""
    if hasattr(module, name) or not hasattr(module, "Solution"):
        function: Callable[..., Any] = getattr(module, name)
        return function
    method: Callable[..., Any] = getattr(module.Solution(), name)
    return method
