"""A descriptor that is read as its bytes come in."""

from __future__ import annotations

import os

from .frames import CHUNK


class Stream:
    """What a pipe or a socket has brought so far. Owns its descriptor."""

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self.open = True
        self.data = bytearray()

    def fileno(self) -> int:
        return self._descriptor

    def read(self) -> bool:
        """Take what there is, without waiting; whether there was anything."""
        try:
            found = os.read(self._descriptor, CHUNK)
        except BlockingIOError:
            return False
        except OSError:
            found = b""
        if not found:
            self.close()
        self.data += found
        return bool(found)

    def close(self) -> None:
        """Close the descriptor; the bytes stay."""
        if self.open:
            os.close(self._descriptor)
            self.open = False

    def text(self, last: int | None = None) -> str:
        """All of it as text, or its last bytes; what is no UTF-8 is replaced."""
        kept = self.data if last is None else self.data[-last:]
        return kept.decode(errors="replace")
