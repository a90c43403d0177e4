"""The episodes of a run on disk, in verifiers' own trace format: one JSON line for each."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from verifiers.v1.episode import Episode, WireEpisode

from curriculum_env.errors import CurriculumError

NAME = "traces.jsonl"

_adapter: Callable[[type], TypeAdapter[Any]] = cache(TypeAdapter)


class TraceError(CurriculumError, RuntimeError):
    """An episode cannot be written."""


class TraceFile:
    """`traces.jsonl` in the folder of a run; an episode is appended when it ends."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        self._lock = asyncio.Lock()

    @property
    def empty(self) -> bool:
        return not self.path.exists() or self.path.stat().st_size == 0

    async def append(self, episode: Any) -> None:
        """Write one episode whole, off the event loop; a cancellation does not tear it.

        Raises:
            TraceError: it cannot be written; the file is left as it was.
        """
        await asyncio.shield(asyncio.ensure_future(self._append(episode)))

    async def _append(self, episode: Any) -> None:
        async with self._lock:
            await asyncio.to_thread(self._write, episode)

    def _write(self, episode: Episode[Any, Any, Any]) -> None:
        line = _adapter(type(episode)).dump_json(episode, exclude_none=True)
        size = self.path.stat().st_size if self.path.exists() else 0
        try:
            with self.path.open("ab") as file:
                file.write(line + b"\n")
        except OSError as error:
            with suppress(OSError):
                os.truncate(self.path, size)
            raise self._refused(error) from error

    def _refused(self, error: OSError) -> TraceError:
        return TraceError(
            f"episodes cannot be written to {self.path} ({error.strerror or error}): make "
            "room or let it be written, then go on with --resume."
        )

    def finished(self, complete: Callable[[Any], bool]) -> list[tuple[bytes, Any]]:
        """The finished episodes and their lines, each episode once.

        A line torn by a crash and an episode that failed are not finished: both are owed again.
        """
        kept: dict[str, tuple[bytes, Any]] = {}
        for line in self._lines():
            episode = _parse(line)
            if episode is not None and complete(episode):
                kept.setdefault(episode.id, (line, episode))
        return list(kept.values())

    def rewrite(self, lines: Iterable[bytes]) -> None:
        """Leave `lines` alone in the file, all at once."""
        rewritten = self.path.with_suffix(".jsonl.tmp")
        try:
            rewritten.write_bytes(b"".join(line + b"\n" for line in lines))
            rewritten.replace(self.path)
        except OSError as error:
            rewritten.unlink(missing_ok=True)
            raise self._refused(error) from error

    def _lines(self) -> Iterator[bytes]:
        if self.path.exists():
            with self.path.open("rb") as file:
                yield from (line.rstrip(b"\n") for line in file if line.strip())


def _parse(line: bytes) -> Any:
    try:
        return WireEpisode.model_validate_json(line)
    except ValueError:
        return None
