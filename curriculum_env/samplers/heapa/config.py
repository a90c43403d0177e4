"""Settings of the boundary heaps."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.estimators.lineage import Adjust


class HeapaConfig(BaseConfig):
    """Settings of `Heapa`."""

    type: Literal["heapa"] = "heapa"
    """The boundary between the hard and the easy half of the pool, from two heaps; rows drawn wait
    in an archive until they are recycled."""
    alpha: float = Field(default=0.5, ge=0.05, le=0.95)
    """Share of the scored rows that belongs to the hard half."""
    mixed: bool = False
    """Half of the draws of scored rows from the easiest ones, instead of all from the boundary."""
    capacity: int | None = Field(default=None, ge=1)
    """Rows that heaps and cold queue hold at most; one more costs the hardest row its place where
    it is scored, else the easiest. Unset, any number."""
    archive_max: int | None = Field(default=None, ge=1)
    """Rows drawn since the last recycling at which they are recycled; unset, only when the others
    cannot fill a batch."""
    chunk: int = Field(default=512, ge=1)
    """Recycled rows put back at a time."""
    lineage: Literal["none", "child", "path"] = "path"
    """What the score of a recycled row takes from its variants: nothing, half of their mean, or
    half of their mean weighted by the leaves below each."""
    adjust: Adjust = "published"
    """How a variant's score counts for its parent, d times easier: as v/d where v is at least 0 and
    v*d below, as published, or inversely."""
    refresh_every: int | None = Field(default=None, ge=1)
    """Draws after which rows in the heaps are scored anew by their variants as well; unset, rows
    are only when they are recycled."""
    priors: bool = True
    """Rows that bring an offline estimate are scored by it from the start; else all start cold."""
