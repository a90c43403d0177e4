"""The settings of a code rubric: how much a program may use, and how it is walled in."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.rubrics.code.inside.settings import Settings

MIB = 2**20


class CodeLimits(BaseConfig):
    """What the candidate's code may use while it is tested."""

    seconds: float = Field(6.0, gt=0, le=600)
    """Time for one test, from its start to its answer; processor time is bounded alike."""
    total_seconds: float = Field(60.0, gt=0, le=3600)
    """Time for all tests of one answer; those left over then have failed."""
    memory_mb: int = Field(1024, ge=64)
    """Memory of all its processes together, and address space of each, in MiB."""
    disk_mb: int = Field(64, ge=1)
    """What it may write to its own `/tmp`, in MiB; nothing of it outlives the tests."""
    output_mb: int = Field(8, ge=1, le=10)
    """Output of one test in MiB; a program that writes more has failed it."""
    processes: int = Field(32, ge=1)
    """Processes and threads at a time."""
    isolation: Literal["require", "accept"] = "require"
    """On this machine: `require` namespaces (no network, no files of the host) and refuse to run
    without them, or `accept` that there are none. A container or a sandbox is accepted as it is."""
    python: str = ""
    """The interpreter in the runtime; unset, this one on this machine and `python3` elsewhere."""

    def settings(self, *, local: bool) -> Settings:
        """What the jail is told."""
        return Settings(
            isolation=self.isolation if local else "accept",
            memory=self.memory_mb * MIB,
            disk=self.disk_mb * MIB,
            output=self.output_mb * MIB,
            processes=self.processes,
        )
