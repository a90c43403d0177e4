"""The few calls of Linux that Python has no name for."""

from __future__ import annotations

import ctypes
import os
import platform
from typing import Any

CLONE_NEW = {
    "mount": 0x00020000,
    "cgroup": 0x02000000,
    "uts": 0x04000000,
    "ipc": 0x08000000,
    "user": 0x10000000,
    "pid": 0x20000000,
    "net": 0x40000000,
}
ALL_NAMESPACES = sum(CLONE_NEW.values())

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP = 1, 4, 22
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 36, 38

CAPABILITY_VERSION_3 = 0x20080522
SYSCALLS = {
    "x86_64": {"capset": 126, "pivot_root": 155, "mount_setattr": 442},
    "aarch64": {"capset": 91, "pivot_root": 41, "mount_setattr": 442},
}

_libc = ctypes.CDLL(None, use_errno=True)


def check(name: str, result: int) -> int:
    """`result`, unless it says that the call failed.

    Raises:
        OSError: it does.
    """
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
    return result


def unshare(flags: int) -> None:
    """Move into new namespaces.

    Raises:
        OSError: this system does not let this user make them.
    """
    check("unshare", _libc.unshare(ctypes.c_int(flags)))


def prctl(option: int, argument: int, pointer: Any = 0) -> None:
    """Set a property of this process.

    Raises:
        OSError: the kernel refuses.
    """
    words = [ctypes.c_ulong(argument), pointer or ctypes.c_ulong(0)]
    check("prctl", _libc.prctl(option, *words, ctypes.c_ulong(0), ctypes.c_ulong(0)))


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """Mount as mount(2) does.

    Raises:
        OSError: the kernel refuses.
    """
    words = [text.encode() or None for text in (source, target, kind)]
    result = _libc.mount(*words, ctypes.c_ulong(flags), options.encode() or None)
    check(f"mount {kind or source} on {target}", result)


def detach(target: str) -> None:
    """Unmount lazily.

    Raises:
        OSError: the kernel refuses.
    """
    check(f"umount {target}", _libc.umount2(target.encode(), 2))


def syscall(name: str, *arguments: Any) -> int:
    """A system call by number.

    Raises:
        OSError: it failed, or its number on this processor is not known here.
    """
    numbers = SYSCALLS.get(platform.machine())
    if numbers is None:
        raise OSError(0, f"{name}: unknown on {platform.machine()}")
    return check(name, _libc.syscall(ctypes.c_long(numbers[name]), *arguments))


def pivot_root(new: str, old: str) -> None:
    """Make `new` the root and put the old one at `old`."""
    syscall("pivot_root", new.encode(), old.encode())


def protect(target: str, *, recursive: bool) -> None:
    """Make a mount read-only, without devices and setuid (Linux 5.12 or newer)."""
    read_only_nosuid_nodev = (ctypes.c_uint64 * 4)(0x1 | 0x2 | 0x4, 0, 0, 0)
    at_cwd, at_recursive = ctypes.c_int(-100), 0x8000
    flags = ctypes.c_uint(at_recursive if recursive else 0)
    pointer = ctypes.byref(read_only_nosuid_nodev)
    syscall("mount_setattr", at_cwd, target.encode(), flags, pointer, ctypes.c_size_t(32))


def drop_capabilities() -> None:
    """Give up every capability."""
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    syscall("capset", ctypes.byref(header), ctypes.byref((ctypes.c_uint32 * 6)()))
