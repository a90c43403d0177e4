"""A filter of system calls: no sockets, no debugging of others, no new namespaces or mounts.

A classic BPF program as seccomp(2) takes it. What is refused answers EPERM; `clone3`, whose flags
a filter cannot see, answers ENOSYS, after which the C library uses `clone`.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct

from .kernel import ALL_NAMESPACES, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, prctl

REFUSED = {
    "x86_64": {
        "socket": 41, "connect": 42, "bind": 49, "listen": 50, "ptrace": 101,
        "process_vm_readv": 310, "process_vm_writev": 311, "pidfd_getfd": 438, "kcmp": 312,
        "unshare": 272, "setns": 308, "mount": 165, "umount2": 166, "pivot_root": 155,
        "chroot": 161, "open_tree": 428, "move_mount": 429, "fsopen": 430, "mount_setattr": 442,
        "bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "add_key": 248,
        "request_key": 249, "keyctl": 250, "io_uring_setup": 425, "memfd_create": 319,
        "shmget": 29, "msgget": 68, "semget": 64, "mq_open": 240, "kexec_load": 246,
        "init_module": 175, "finit_module": 313, "open_by_handle_at": 304,
    },
    "aarch64": {
        "socket": 198, "connect": 203, "bind": 200, "listen": 201, "ptrace": 117,
        "process_vm_readv": 270, "process_vm_writev": 271, "pidfd_getfd": 438, "kcmp": 272,
        "unshare": 97, "setns": 268, "mount": 40, "umount2": 39, "pivot_root": 41,
        "chroot": 51, "open_tree": 428, "move_mount": 429, "fsopen": 430, "mount_setattr": 442,
        "bpf": 280, "perf_event_open": 241, "userfaultfd": 282, "add_key": 217,
        "request_key": 218, "keyctl": 219, "io_uring_setup": 425, "memfd_create": 279,
        "shmget": 194, "msgget": 186, "semget": 190, "mq_open": 180, "kexec_load": 104,
        "init_module": 105, "finit_module": 273, "open_by_handle_at": 265,
    },
}  # fmt: skip
SIGNALS = {
    "x86_64": {
        "kill": 62, "tkill": 200, "tgkill": 234, "pidfd_send_signal": 424,
        "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297,
    },
    "aarch64": {
        "kill": 129, "tkill": 130, "tgkill": 131, "pidfd_send_signal": 424,
        "rt_sigqueueinfo": 138, "rt_tgsigqueueinfo": 240,
    },
}  # fmt: skip
"""Refused where there is no process namespace, and a signal could reach any process."""
CLONE = {"x86_64": 56, "aarch64": 220}
CLONE3 = 435
AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

LOAD, JUMP_IF_EQUAL, JUMP_IF_AT_LEAST, JUMP_IF_ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16
ALLOW, ERROR, KILL = 0x7FFF0000, 0x00050000, 0x80000000
X32 = 0x40000000

Step = tuple[int, int, int, int]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_void_p))


def steps(machine: str, *, signals: bool) -> list[Step]:
    """The filter for a processor, each step as (code, jump if true, jump if false, operand);
    without `signals` it also refuses to send any.

    Raises:
        KeyError: the processor is not known here.
    """
    refuse = (RETURN, 0, 0, ERROR | errno.EPERM)
    program: list[Step] = [
        (LOAD, 0, 0, ARCHITECTURE),
        (JUMP_IF_EQUAL, 1, 0, AUDIT_ARCH[machine]),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
        (JUMP_IF_AT_LEAST, 0, 1, X32),
        refuse,
        (JUMP_IF_EQUAL, 0, 1, CLONE3),
        (RETURN, 0, 0, ERROR | errno.ENOSYS),
    ]
    numbers = [*REFUSED[machine].values(), *([] if signals else SIGNALS[machine].values())]
    for number in numbers:
        program += [(JUMP_IF_EQUAL, 0, 1, number), refuse]
    return [
        *program,
        (JUMP_IF_EQUAL, 0, 3, CLONE[machine]),
        (LOAD, 0, 0, FIRST_ARGUMENT),
        (JUMP_IF_ANY_BIT, 0, 1, ALL_NAMESPACES),
        refuse,
        (RETURN, 0, 0, ALLOW),
    ]


def install(*, signals: bool) -> None:
    """Filter the system calls of this process and of all it starts, for good.

    Raises:
        OSError: the kernel has no such filters.
    """
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    machine = platform.machine()
    if machine not in REFUSED:
        return
    code = b"".join(struct.pack("HBBI", *step) for step in steps(machine, signals=signals))
    buffer = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(code) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    prctl(PR_SET_SECCOMP, 2, ctypes.byref(program))
