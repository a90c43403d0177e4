"""The folder of a training run: writable, and one run's at a time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from curriculum_env.errors import ConfigError


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """In the block no other process of this machine trains into `folder`, which is made if need be,
    and removed where nothing was written.

    Raises:
        ConfigError: another one does, or the folder cannot be written.
    """
    with told(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError
        handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(handle)
        raise ConfigError(
            f"another training run is writing to {folder}; expected a folder of its own: wait for "
            "it, or name another with --output."
        ) from error
    try:
        yield
    finally:
        with suppress(OSError):
            folder.rmdir()
        os.close(handle)


@contextmanager
def told(folder: Path) -> Iterator[None]:
    """In the block a disk that is full or cannot be written is one sentence."""
    try:
        yield
    except OSError as error:
        raise ConfigError(
            f"{folder} cannot be written ({error.strerror or 'permission denied'}): make room, or "
            "name another folder with --output."
        ) from error
