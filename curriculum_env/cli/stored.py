"""A run as its store alone tells it: read without taking the store or writing to it."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import ValidationError

from curriculum_env.augment_config import AugmentConfig
from curriculum_env.cli import settings
from curriculum_env.config import CurriculumConfig
from curriculum_env.engine import Curriculum
from curriculum_env.engine.reward_scale import RewardScale
from curriculum_env.errors import ConfigError, StoreError
from curriculum_env.samplers.uniform import UniformConfig
from curriculum_env.store import Run, Store, open_store, schema
from curriculum_env.store.memory import MemoryStore
from curriculum_env.store.queue import QueueCounts
from curriculum_env.types import Draw, Outcome, Row

NAME = "curriculum.db"


@dataclass(frozen=True, slots=True)
class StoredRun:
    """The newest run of a store. `earlier` are the draws of the runs before it."""

    url: str
    run: Run
    earlier: tuple[Draw, ...]
    draws: tuple[Draw, ...]
    outcomes: tuple[Outcome, ...]
    events: tuple[Mapping[str, Any], ...]
    queue: QueueCounts

    @property
    def config(self) -> CurriculumConfig:
        """The settings the run was started with.

        Raises:
            StoreError: they are those of another release.
        """
        known = CurriculumConfig.model_fields
        try:
            return CurriculumConfig(**{k: v for k, v in self.run.config.items() if k in known})
        except ValidationError as error:
            names = {".".join(map(str, wrong["loc"])) for wrong in error.errors()}
            raise StoreError(
                f"{self.url} holds a run of another release, of which this one cannot use "
                f"{', '.join(sorted(names))}: read it with the release that wrote it."
            ) from error

    @property
    def priors(self) -> bool:
        """Whether rows began with offline estimates, which a store does not hold."""
        pools = [event for event in self.events if event["kind"] == "pool"]
        return bool(pools) and bool(pools[-1].get("priors"))

    @property
    def group_size(self) -> int:
        """As configured, else the most frequent number of outcomes of a draw, else 1."""
        if self.config.group_size:
            return self.config.group_size
        sizes = Counter(Counter(outcome.draw for outcome in self.outcomes).values())
        return sizes.most_common(1)[0][0] if sizes else 1


def read_store(text: str) -> StoredRun:
    """The newest run of the store named by a URL, a file, or the folder of a run.

    Raises:
        ConfigError: `text` names no store.
        StoreError: the store cannot be read, or holds no run.
    """
    url = store_url(text)
    with reading(text) as store:
        url, run = url if store.url.startswith("sqlite") else store.url, store.last_run()
        if run is None:
            raise StoreError(f"{url} holds no run yet: nothing has been drawn from it.")
        draws = tuple(store.draws())
        return StoredRun(
            url=url,
            run=run,
            earlier=tuple(draw for draw in draws if draw.number < run.first_draw),
            draws=tuple(draw for draw in draws if draw.number >= run.first_draw),
            outcomes=tuple(all_outcomes(store)),
            events=tuple(store.events()),
            queue=store.queue.counts(),
        )


@contextmanager
def reading(text: str) -> Iterator[Store]:
    """The store that `text` names as in `read_store`, to be read only; raises as that does."""
    with _readable(store_url(text)) as readable, closing(open_store(readable)) as store:
        yield store


def all_outcomes(store: Store) -> Iterator[Outcome]:
    """Every outcome the store holds, in the order they were recorded."""
    reader = store.reader()
    while read := reader.read():
        yield from read


@contextmanager
def replayed(stored: StoredRun) -> Iterator[Curriculum]:
    """A curriculum over the rows the run ever drew, taught by its outcomes, in memory.

    It believes what the run believes, but for offline estimates (`StoredRun.priors`). Its rule is
    uniform drawing: beliefs do not depend on the rule, which may need what a store does not hold.

    Raises:
        StoreError: nothing has been drawn yet.
    """
    rows = {draw.uid: draw for draw in (*stored.earlier, *stored.draws)}
    if not rows:
        raise StoreError(f"{stored.url} holds no draw yet: nothing has been drawn from it.")
    memory = MemoryStore("memory://")
    memory.acquire()
    if stored.earlier:
        memory.append_draws(memory.start_run({}), stored.earlier)
    memory.append_draws(memory.start_run(stored.run.config), stored.draws)
    memory.record(stored.outcomes)
    plain = {"resume": "continue", "sampler": UniformConfig(), "augment": AugmentConfig()}
    config = stored.config.model_copy(update=plain)
    pool = [Row(uid, {}, draw.domain, draw.level) for uid, draw in rows.items()]
    with _quiet("curriculum_env.engine"), Curriculum(pool, config, memory) as curriculum:
        for _ in stored.draws:
            curriculum.ask()
        yield curriculum


def graded_rollouts(stored: StoredRun) -> Counter[str]:
    """How many rollouts of each task were graded, by its uid, in all runs of the store."""
    return graded(stored.outcomes, stored.config)


def graded(outcomes: Iterable[Outcome], config: CurriculumConfig) -> Counter[str]:
    """How many of the outcomes were graded, by the uid of their task."""
    success = RewardScale(config).success
    return Counter(
        outcome.uid
        for outcome in outcomes
        if outcome.status == "ok"
        and outcome.reward is not None
        and success(outcome.reward) is not None
    )


def store_url(text: str) -> str:
    """The URL of the store named by a URL, a file, or the folder of a run."""
    if text.startswith("memory:"):
        raise ConfigError(
            f"the store {text!r} lives inside the process that runs it: give a run a store of its "
            "own to look at it from outside."
        )
    path = Path(text.removeprefix("sqlite:///")).expanduser()
    if "://" in text and not text.startswith("sqlite:///"):
        return text
    if path.is_dir():
        _require_recorded(path)
    file = path / NAME if path.is_dir() else path
    _require_curriculum(file)
    return f"sqlite:///{file}"


def _require_recorded(folder: Path) -> None:
    """Refuse the folder of a run on the held-out split."""
    if not (folder / settings.SAVED).is_file():
        return
    if settings.saved(folder)["env"]["taskset"].get("split") == "heldout":
        raise ConfigError(
            f"{folder} holds a run on the held-out split, whose rollouts are never recorded in a "
            f"store: see {folder / 'report.json'}."
        )


def _require_curriculum(file: Path) -> None:
    """Opening a store creates it where there is none: look before."""
    if not file.is_file():
        raise ConfigError(
            f"there is no store at {file}: give the URL of a store, its file, or the folder of a "
            "run."
        )
    try:
        with closing(_read_only(file)) as database:
            found = database.execute(
                "SELECT 1 FROM sqlite_master WHERE name = ?", [schema.draws.name]
            ).fetchone()
    except sqlite3.Error as error:
        raise StoreError(
            f"{file} cannot be read as a store ({error}): give the URL of a store, its file, or "
            "the folder of a run."
        ) from error
    if found is None:
        raise StoreError(
            f"{file} is a database but not a store of curriculum-env: give the URL of a store, "
            "its file, or the folder of a run."
        )


@contextmanager
def _readable(url: str) -> Iterator[str]:
    """The URL itself, or, of a file that opening would have to write to but may not, a copy's."""
    file = Path(url.removeprefix("sqlite:///"))
    if not url.startswith("sqlite:///") or _writable(file):
        yield url
        return
    with TemporaryDirectory(prefix="curriculum-") as folder:
        copy = Path(folder) / NAME
        with closing(_read_only(file)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        yield f"sqlite:///{copy}"


def _writable(file: Path) -> bool:
    return os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)


def _read_only(file: Path) -> sqlite3.Connection:
    """A connection that writes nothing; where the folder takes no shared memory file and there is
    no log to be read, one that takes the file to be at rest."""
    log = file.with_name(f"{file.name}-wal")
    rest = not _writable(file) and not (log.exists() and log.stat().st_size)
    mode = "immutable=1" if rest else "mode=ro"
    return sqlite3.connect(f"{file.absolute().as_uri()}?{mode}", uri=True)


@contextmanager
def _quiet(name: str) -> Iterator[None]:
    """What the engine would warn a trainer about is no news to a reader."""
    logger = logging.getLogger(name)
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
