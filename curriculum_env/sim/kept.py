"""Runs of the lab in a folder, so that a comparison that was stopped goes on where it was."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from curriculum_env.sim.entrants import Entrant
from curriculum_env.sim.play import Play
from curriculum_env.sim.setting import Setting


@dataclass(frozen=True, slots=True)
class Job:
    """One run to be played."""

    entrant: Entrant
    setting: Setting
    seed: int


@dataclass(frozen=True, slots=True)
class Refused:
    """The entrant cannot take part in the setting; `why` is its own error."""

    entrant: str
    setting: str
    why: str


class Kept:
    """A file for each run, named by the entrant, the seed and a hash of all settings of both the
    curriculum and the world: a run of other settings is another run. The code is not part of it:
    an empty folder is needed where rules were changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, job: Job) -> Play | Refused | None:
        """What the run showed; None where it was not played yet."""
        path = self._path(job)
        if not path.exists():
            return None
        found = json.loads(path.read_text())
        if "why" in found:
            return Refused(**found)
        found["curve"] = tuple(tuple(point) for point in found["curve"])
        return Play(**found)

    def write(self, job: Job, result: Play | Refused) -> None:
        """Keep what a run showed; a kill leaves it whole or not at all."""
        path = self._path(job)
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_text(json.dumps(asdict(result)))
        unfinished.replace(path)

    def _path(self, job: Job) -> Path:
        settings = [job.entrant.config.model_dump(mode="json"), asdict(job.setting)]
        digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:12]
        name = f"{job.entrant.name.replace('*', '@')}-{job.seed}-{digest}.json"
        return self.folder / job.setting.name / name
