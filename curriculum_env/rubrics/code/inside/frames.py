"""Messages over pipes: four bytes of length, then JSON."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator
from typing import Any

HEAD = struct.Struct(">I")
MAX_BYTES = 64 * 2**20
MAX_DEPTH = 200
CHUNK = 2**16

Message = dict[str, Any]


def pack(message: Message) -> bytes:
    """The bytes of a message.

    Raises:
        ValueError: it is longer than `MAX_BYTES`.
    """
    body = json.dumps(message).encode()
    if len(body) > MAX_BYTES:
        raise ValueError(f"a message of {len(body)} bytes; at most {MAX_BYTES} may be sent")
    return HEAD.pack(len(body)) + body


def send(descriptor: int, message: Message) -> None:
    """Write a message whole."""
    data = memoryview(pack(message))
    while data:
        data = data[os.write(descriptor, data) :]


class Buffer:
    """Bytes as they come in, messages as they are complete."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def __len__(self) -> int:
        return len(self._bytes)

    def feed(self, data: bytes) -> None:
        """Take what was read."""
        self._bytes += data

    def take(self) -> Message | None:
        """The next message; None while it is incomplete.

        Raises:
            ValueError: what came in is no message.
        """
        if len(self._bytes) < HEAD.size:
            return None
        (length,) = HEAD.unpack_from(self._bytes)
        if length > MAX_BYTES:
            raise ValueError(f"a message of {length} bytes; at most {MAX_BYTES} are read")
        if len(self._bytes) < HEAD.size + length:
            return None
        body = bytes(self._bytes[HEAD.size : HEAD.size + length])
        del self._bytes[: HEAD.size + length]
        return _message(body)


def _message(body: bytes) -> Message:
    try:
        message = json.loads(body)
    except RecursionError as error:
        raise ValueError("a message nested too deeply") from error
    if not isinstance(message, dict):
        raise ValueError(f"a message that is a {type(message).__name__}, not an object")
    if not _shallow(message):
        raise ValueError("a message nested too deeply")
    return message


def _shallow(message: Any) -> bool:
    """Whether it is nested so little that anybody can write and read it again."""
    layer = [message]
    for _ in range(MAX_DEPTH):
        inner = [node.values() if isinstance(node, dict) else node for node in layer]
        layer = [child for nodes in inner for child in nodes if isinstance(child, (dict, list))]
        if not layer:
            return True
    return False


def receive(descriptor: int, buffer: Buffer) -> Iterator[Message]:
    """The messages of a descriptor until it is closed."""
    while True:
        while (message := buffer.take()) is not None:
            yield message
        data = os.read(descriptor, CHUNK)
        if not data:
            return
        buffer.feed(data)
