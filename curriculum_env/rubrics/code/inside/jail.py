"""Puts the process that serves into namespaces of its own: no network, no host files, no view of
other processes, and an init whose death ends everything.

Three processes of one group: a supervisor outside, a go-between that makes the namespaces, and the
init inside, which serves. Killing the group from outside, or either of the first two, ends all.
"""

from __future__ import annotations

import os
import signal
import stat
import tempfile
from typing import NoReturn

from . import kernel, root
from .settings import Settings
from .start import Place

INSIDE_UID = 1000
FIRST_UID, UIDS = 61_000, 4_000
CAP_SETGID, CAP_SETUID = 6, 7
READY = b"ready"


def enter(settings: Settings) -> tuple[Place, str]:
    """The place where jobs run, and why it is not isolated ("" if it is). Returns in the process
    that is to serve, and in no other.

    Raises:
        PermissionError: this system gives no namespaces, and the settings require them.
    """
    uid = _unused_uid() if _may_change_user() else None
    reason = _namespaces(settings, uid)
    if not reason:
        return Place("/tmp", None if uid is None else INSIDE_UID, walled=True), ""
    if settings.isolation == "require":
        raise PermissionError(reason)
    return _plain(uid), reason


def _namespaces(settings: Settings, uid: int | None) -> str:
    """In the init of new namespaces: "". In the process that called: why there are none."""
    report, report_end = os.pipe()
    made, made_end = os.pipe()
    mapped, mapped_end = os.pipe()
    between = os.fork()
    if between == 0:
        for descriptor in (report, made, mapped_end):
            os.close(descriptor)
        _go_between(settings, report_end, made_end, mapped)
        return ""
    for descriptor in (report_end, made_end, mapped):
        os.close(descriptor)
    try:
        if os.read(made, 1):
            _map_users(between, uid)
            os.write(mapped_end, b"m")
    except OSError as error:
        os.kill(between, signal.SIGKILL)
        os.write(2, str(error).encode())
    os.close(mapped_end)
    text = os.read(report, 4096)
    if text == READY:
        _wait(between)
    os.waitpid(between, 0)
    return text.decode(errors="replace") or "the users could not be mapped"


def _go_between(settings: Settings, report: int, made: int, mapped: int) -> None:
    """Make the namespaces and their init. Returns in the init alone."""
    try:
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        kernel.unshare(kernel.ALL_NAMESPACES)
        os.write(made, b"u")
        if not os.read(mapped, 1):
            os._exit(1)
        init = os.fork()
        if init == 0:
            kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
            root.build(settings.disk)
            os.write(report, READY)
    except OSError as error:
        os.write(report, str(error).encode())
        os._exit(1)
    for descriptor in (report, made, mapped):
        os.close(descriptor)
    if init:
        _wait(init)


def _wait(pid: int) -> NoReturn:
    _, status = os.waitpid(pid, 0)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def _map_users(pid: int, uid: int | None) -> None:
    """Who is who inside: this user alone; or, where we may, root and the user `uid`, whom nobody
    else has, and who then runs the candidate's code."""
    users, groups = f"{INSIDE_UID} {os.geteuid()} 1", f"{INSIDE_UID} {os.getegid()} 1"
    if uid is None:
        _write(f"/proc/{pid}/setgroups", "deny")
    else:
        users = groups = f"0 0 1\n{INSIDE_UID} {uid} 1"
    _write(f"/proc/{pid}/uid_map", users)
    _write(f"/proc/{pid}/gid_map", groups)


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def _unused_uid() -> int:
    return FIRST_UID + os.getpid() % UIDS


def _may_change_user() -> bool:
    """Whether this process is root, with the rights of one over all users."""
    if os.geteuid() != 0:
        return False
    with open("/proc/self/status") as file:
        (held,) = [int(line.split()[1], 16) for line in file if line.startswith("CapEff:")]
    with open("/proc/self/uid_map") as file:
        ranges = [tuple(map(int, line.split())) for line in file]
    known = any(first <= FIRST_UID and first + n > FIRST_UID + UIDS for first, _, n in ranges)
    return known and bool(held >> CAP_SETUID & held >> CAP_SETGID & 1)


def _plain(uid: int | None) -> Place:
    """A place without walls: a folder, a user of its own where we are root, nothing inherited."""
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    folder = tempfile.mkdtemp(prefix="code-")
    if not _open_to_all(os.__file__):
        uid = None
    if uid is not None:
        os.chown(folder, uid, uid)
    return Place(folder, uid, walled=False)


def _open_to_all(path: str) -> bool:
    """Whether another user may read a file: Python may lie in the home of root."""
    readable = os.stat(path).st_mode & stat.S_IROTH
    while readable and path != os.path.dirname(path):
        path = os.path.dirname(path)
        readable = os.stat(path).st_mode & stat.S_IXOTH
    return bool(readable)
