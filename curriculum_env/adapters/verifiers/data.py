"""What travels with a task: its place in the curriculum, and the settings around it."""

from __future__ import annotations

from typing import Literal

import verifiers.v1 as vf
from pydantic import BaseModel, ConfigDict, Field

from curriculum_env.config import CurriculumConfig


class Placement(BaseModel):
    """Where a task comes from: a row of the pool, and the draw that handed it out."""

    model_config = ConfigDict(frozen=True)

    uid: str
    """The row's uid; the task's key."""
    draw: int | None = None
    """The draw's number; None on the held-out split, whose rollouts are never recorded."""
    domain: str = ""
    level: str = ""


class CurriculumTaskData(vf.TaskData):
    """Base of the data of a task the curriculum hands out."""

    curriculum: Placement | None = None
    """Set by the taskset; None on a task built by hand, which is never recorded."""


class CurriculumTaskConfig(vf.TaskConfig):
    """What env workers need to know."""

    store: str | None = None
    """URL of the store shared by trainer and workers: `sqlite:///path.db` or
    `postgresql+psycopg://...`. Unset: the taskset's own memory, good for one process."""


class CurriculumTasksetConfig(vf.TasksetConfig):
    """Which split is served, and how the training split is drawn."""

    split: Literal["train", "heldout"] = "train"
    """`train` is endless and driven by the rewards; `heldout` is finite, fixed, never recorded."""
    priors: str | None = None
    """The `priors.parquet` of `curriculum-env pool estimate --taskset`: beliefs about the training
    rows start from it, and rows that it put into quarantine are left out."""
    curriculum: CurriculumConfig = Field(default_factory=CurriculumConfig)
    """How tasks are chosen; read by the process that iterates the taskset."""
    task: CurriculumTaskConfig = CurriculumTaskConfig()
