"""A real, throwaway PostgreSQL server on loopback, from the machine's own binaries."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_INSTALL = ("apt-get", "install", "-y", "--no-install-recommends", "postgresql")


class PostgresMissing(RuntimeError):
    """No PostgreSQL binaries are on this machine, and none could be installed."""


@contextmanager
def postgres_server() -> Iterator[str]:
    """Start a server with an empty database and yield its `postgresql+psycopg://` URL.

    It listens on a free port of 127.0.0.1, keeps its files in a temporary folder, runs as an
    unprivileged user when we are root (PostgreSQL refuses root), and is gone at the end.

    Raises:
        PostgresMissing: there are no binaries and apt-get cannot install them.
    """
    binaries = find_binaries()
    folder = Path(tempfile.mkdtemp(prefix="curriculum-postgres-"))
    as_user = _unprivileged(folder)
    data, port = folder / "data", _free_port()
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}"
    try:
        _run(binaries / "initdb", "-D", data, "-U", "curriculum", "-A", "trust", user=as_user)
        _run(
            binaries / "pg_ctl", "-D", data, "-l", folder / "log", "-o", options, "-w", "start",
            user=as_user,
        )  # fmt: skip
        try:
            yield f"postgresql+psycopg://curriculum@127.0.0.1:{port}/postgres"
        finally:
            _run(binaries / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop", user=as_user)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def find_binaries() -> Path:
    """The folder of `initdb` and `pg_ctl`: from PATH, or the newest of Debian's versions."""
    found = _search()
    if found is None and shutil.which("apt-get") and os.geteuid() == 0:
        environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update"], check=False, env=environment, stdout=2)
        subprocess.run(_INSTALL, check=False, env=environment, stdout=2)
        found = _search()
    if found is None:
        raise PostgresMissing(
            "No PostgreSQL binaries were found: install Debian's package postgresql, or put "
            "initdb and pg_ctl on the PATH."
        )
    return found


def _search() -> Path | None:
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).resolve().parent
    versions = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    newest = max(versions, key=lambda path: int(path.parts[-3]), default=None)
    return newest and newest.parent


def _unprivileged(folder: Path) -> str | None:
    """Give `folder` to a user the server may run as; None when we are not root anyway."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    user = "postgres" if "postgres" in names else "nobody"
    shutil.chown(folder, user)
    return user


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _run(*command: object, user: str | None) -> None:
    """Run one of PostgreSQL's own programs to its end; its output is shown when it fails."""
    result = subprocess.run(
        [str(part) for part in command],
        user=user, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, timeout=120, check=False,
    )  # fmt: skip
    if result.returncode:
        raise RuntimeError(f"{command[0]} failed:\n{result.stdout}")
