"""A root directory that holds Python's standard library, read-only, and an empty `/tmp`.

Neither the host's files nor any installed package can be seen from it, so the data set that holds
the expected answers is not there to be read.
"""

from __future__ import annotations

import glob
import os
import sys
import sysconfig
from collections.abc import Iterator

from . import kernel

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
GUARDED = MS_NOSUID | MS_NODEV
OLD = "/old"
DEVICES = ("null", "zero", "random", "urandom")
LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/usr/share/zoneinfo")


def build(tmp_bytes: int) -> None:
    """Turn `/` of this mount namespace into the small root; `/tmp` and `/dev/shm` hold at
    most `tmp_bytes` each.

    Raises:
        OSError: a step of it is not allowed here.
    """
    visible = list(_visible())
    kernel.mount("", "/", "", MS_REC | MS_PRIVATE)
    kernel.mount("tmpfs", "/tmp", "tmpfs", GUARDED, "size=4m,mode=755,nr_inodes=4096")
    os.mkdir("/tmp" + OLD)
    kernel.pivot_root("/tmp", "/tmp" + OLD)
    os.chdir("/")
    for path in visible:
        _show(path)
    _devices()
    _processes()
    for folder in ("/tmp", "/dev/shm"):  # semaphores of multiprocessing are in the second
        os.mkdir(folder)
        options = f"size={tmp_bytes},mode=1777,nr_inodes=4096"
        kernel.mount("tmpfs", folder, "tmpfs", GUARDED, options)
    kernel.detach(OLD)
    os.rmdir(OLD)
    kernel.protect("/", recursive=False)


def _visible() -> Iterator[str]:
    """The paths that Python needs, none of them below another."""
    prefix = os.path.realpath(sys.base_prefix)
    wanted = [
        *LIBRARIES,
        sysconfig.get_path("stdlib"),
        sysconfig.get_path("platstdlib"),
        os.path.join(prefix, "lib"),
    ]
    shown: list[str] = []
    for path in wanted:
        inside = any(path == above or path.startswith(above + "/") for above in shown)
        if os.path.lexists(path) and not inside:
            shown.append(path)
            yield path


def _show(path: str) -> None:
    """Make a path of the old root visible at the same place, without its installed packages."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.islink(OLD + path):
        os.symlink(os.readlink(OLD + path), path)
        return
    if os.path.isdir(OLD + path):
        os.makedirs(path, exist_ok=True)
    else:
        os.close(os.open(path, os.O_CREAT, 0o644))
    kernel.mount(OLD + path, path, "", MS_BIND | MS_REC)
    kernel.protect(path, recursive=True)
    for folder in ("site-packages", "dist-packages"):
        for found in (*glob.glob(f"{path}/{folder}"), *glob.glob(f"{path}/python*/{folder}")):
            kernel.mount("tmpfs", found, "tmpfs", GUARDED | MS_RDONLY, "size=4k")


def _devices() -> None:
    os.mkdir("/dev")
    for name in DEVICES:
        os.close(os.open(f"/dev/{name}", os.O_CREAT, 0o666))
        kernel.mount(f"{OLD}/dev/{name}", f"/dev/{name}", "", MS_BIND)
    os.symlink("/proc/self/fd", "/dev/fd")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        os.symlink(f"/proc/self/fd/{number}", f"/dev/{name}")


def _processes() -> None:
    """A `/proc` of the new processes alone; an empty one where the kernel refuses (in a container
    that hides parts of its own)."""
    os.mkdir("/proc")
    try:
        kernel.mount("proc", "/proc", "proc", GUARDED | MS_NOEXEC | MS_RDONLY)
    except OSError:
        return
