"""The steps of a build over its work folder: what every engine runs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from curriculum_env.errors import ConfigError
from curriculum_env.pool.cleaning.duplicates import exact, none_found
from curriculum_env.pool.cleaning.output import write_outputs
from curriculum_env.pool.cleaning.pairs import near, part_of
from curriculum_env.pool.cleaning.prepare import Piece, Preparer, pieces
from curriculum_env.pool.cleaning.report import BuildReport
from curriculum_env.pool.cleaning.settings import BuildSettings
from curriculum_env.pool.cleaning.shards import Records, Shards
from curriculum_env.pool.cleaning.verdicts import Verdicts, load, save, undecided

Tick = Callable[[int], None]
WORK = ".curriculum-env-build"
"""The folder of unfinished work inside that of the outputs."""


def _silent(_: int) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps of one build: each leaves files in `work`, and is not done again where they are.

    `read` every piece (in any order, by anyone), then `compare_exact`, then every part of
    `compare_near`, then `finish`.
    """

    settings: BuildSettings
    output: Path
    parts: int

    @property
    def work(self) -> Path:
        return self.output / WORK / self.settings.digest()

    @property
    def shards(self) -> Shards:
        return Shards(self.work / "shards")

    def begin(self, *, resume: bool) -> None:
        """Make room for the work: what another build left is removed, and this one's own where it
        is not to be resumed.

        Raises:
            ConfigError: the folder cannot be written.
        """
        with self.told():
            for left in (self.output / WORK).glob("*"):
                if not resume or left.name != self.work.name:
                    shutil.rmtree(left)
            self.shards.folder.mkdir(parents=True, exist_ok=True)
            told = json.dumps(self.settings.as_json(), indent=2)
            (self.work / "settings.json").write_text(told + "\n", encoding="utf-8")

    @contextmanager
    def alone(self) -> Iterator[None]:
        """A context in which no other process of this machine builds into the folder.

        Raises:
            ConfigError: another one does, or the folder cannot be written.
        """
        import fcntl

        with self.told():
            self.output.mkdir(parents=True, exist_ok=True)
            lock = (self.output / f"{WORK}.lock").open("w")
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise ConfigError(
                    f"another build is writing to {self.output}; wait for it, or name another "
                    "folder with --output"
                ) from error
            yield

    @contextmanager
    def told(self) -> Iterator[None]:
        """A context that makes one sentence of a disk that is full or cannot be written."""
        try:
            yield
        except OSError as error:
            raise ConfigError(
                f"{self.output} cannot be written ({error.strerror or error}); name a folder that "
                "can be created or written with --output"
            ) from error

    def waiting(self, piece: Piece) -> bool:
        """Whether the shard of a piece is still to be written."""
        return not self.shards.has(piece.number)

    def read(self, part: int = 0, parts: int = 1) -> None:
        """Prepare every piece whose number is `part` modulo `parts`."""
        preparer: Preparer | None = None
        for piece in pieces(self.settings):
            if piece.number % parts == part and self.waiting(piece):
                preparer = preparer or Preparer(self.settings)
                preparer.write(piece, self.shards)

    def compare_exact(self) -> None:
        """Find exact duplicates and contradictions."""
        if not self._path("contradictions").exists():
            duplicates, contradictions = exact(Records(self.shards))
            save(duplicates, self._path("duplicates"))
            save(contradictions, self._path("contradictions"))

    def compare_near(self, part: int, tick: Tick = _silent) -> None:
        """Find the near duplicates of one part of the records."""
        records = Records(self.shards)
        later = part_of(len(records), part, self.parts)
        if self._near(part).exists():
            tick(len(later))
            return
        size = len(records)
        findings = (load([self._path(name)], size) for name in ("duplicates", "contradictions"))
        alive = undecided(records, *findings)
        found = near(records, alive, later, tick) if self.settings.near else none_found(size)
        save(found, self._near(part))

    def finish(self, tick: Tick = _silent) -> BuildReport:
        """Write the outputs and remove the work."""
        records = Records(self.shards)
        size = len(records)
        verdicts = Verdicts(
            load([self._path("duplicates")], size),
            load([self._path("contradictions")], size),
            load(map(self._near, range(self.parts)), size),
        )
        report = write_outputs(records, verdicts, self.settings, self.output, tick)
        shutil.rmtree(self.output / WORK)
        return report

    def _near(self, part: int) -> Path:
        return self._path(f"near-{part:05d}-of-{self.parts:05d}")

    def _path(self, name: str) -> Path:
        return self.work / "found" / f"{name}.npz"
