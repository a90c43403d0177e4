"""Every offline rollout on disk as it goes: what was paid for is never paid for again."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from curriculum_env.errors import OwnerError, SchemaVersionError, StateError
from curriculum_env.pool.estimate.rollouts import Bound, Reply

VERSION = 1

_SCHEMA = """
CREATE TABLE rollouts (
  id INTEGER PRIMARY KEY, uid TEXT NOT NULL, status TEXT NOT NULL,
  prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL,
  finish TEXT, reply TEXT, success REAL, error TEXT, started REAL NOT NULL, ended REAL
);
CREATE TABLE settings (value TEXT NOT NULL);
"""


class Known(NamedTuple):
    """What is known of a row: the sum of its successes, over so many graded rollouts."""

    passes: float
    attempts: int


class Journal:
    """The rollouts of one estimate in a SQLite file, held by one process at a time.

    A rollout is `started` before anything is asked, `replied` once its reply is in, then `graded`;
    or it `failed` by the service's fault, or could not be graded (`ungraded`: its reply is kept
    and graded anew by the next process). One that a killed process left `started` is `lost`: it
    may have been paid for, and is counted at the most it can have taken. Each step is in the file
    when its call returns, and survives the death of the process.

    Raises:
        OwnerError: another living process estimates in the same folder.
        SchemaVersionError: the file is of another version.
        StateError: the file cannot be opened or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._told():
            self._db = sqlite3.connect(path, isolation_level=None, timeout=1.0)
            try:
                self._take()
            except BaseException:
                self._db.close()
                raise

    def settings(self) -> dict[str, Any] | None:
        """What the estimate was begun with, None where it was not begun."""
        with self._told():
            row = self._db.execute("SELECT value FROM settings").fetchone()
        return None if row is None else dict(json.loads(row[0]))

    def begin(self, settings: Mapping[str, Any]) -> None:
        """Note the settings of an estimate that begins."""
        self._write("INSERT INTO settings VALUES (?)", json.dumps(settings))

    def start(self, uid: str, bound: Bound) -> int:
        """A rollout is about to be asked for; returns its number."""
        return self._write(
            "INSERT INTO rollouts (uid, status, prompt_tokens, completion_tokens, started) "
            "VALUES (?, 'started', ?, ?, ?)",
            *(uid, *bound, time.time()),
        )

    def replied(self, rollout: int, reply: Reply, paid: Bound) -> None:
        """Its reply is in, for so many tokens."""
        self._write(
            "UPDATE rollouts SET status = 'replied', reply = ?, finish = ?, prompt_tokens = ?, "
            "completion_tokens = ?, success = ?, ended = ? WHERE id = ?",
            *(_storable(reply.text), reply.finish, *paid, reply.success, time.time(), rollout),
        )

    def graded(self, rollout: int, success: float) -> None:
        """Its reply earned `success`, in [0, 1]."""
        self._write(
            "UPDATE rollouts SET status = 'graded', success = ?, error = NULL WHERE id = ?",
            *(success, rollout),
        )

    def ungraded(self, rollout: int, error: str) -> None:
        """The rubric could not grade its reply."""
        self._write(
            "UPDATE rollouts SET status = 'ungraded', error = ? WHERE id = ?",
            *(_storable(error), rollout),
        )

    def failed(self, rollout: int, error: str, paid: Bound) -> None:
        """The service failed; it took `paid` all the same."""
        self._write(
            "UPDATE rollouts SET status = 'failed', error = ?, ended = ?, prompt_tokens = ?, "
            "completion_tokens = ? WHERE id = ?",
            *(_storable(error), time.time(), *paid, rollout),
        )

    def lost(self, rollout: int) -> None:
        """It was cut off while it was being asked for."""
        self._write("UPDATE rollouts SET status = 'lost' WHERE id = ?", rollout)

    def known(self) -> dict[str, Known]:
        """The successes and the graded rollouts of each row, by uid."""
        query = (
            "SELECT uid, sum(success), count(*) FROM rollouts WHERE status = 'graded' GROUP BY uid"
        )
        with self._told():
            return {uid: Known(passes, n) for uid, passes, n in self._db.execute(query)}

    def to_grade(self) -> list[tuple[int, str, str, float | None]]:
        """Number, uid, reply and success (where it came with one) of replies not yet graded."""
        query = (
            "SELECT id, uid, reply, success FROM rollouts "
            "WHERE status IN ('replied', 'ungraded') ORDER BY id"
        )
        with self._told():
            return list(self._db.execute(query))

    def paid(self) -> Bound:
        """All prompt and completion tokens so far, lost rollouts at the most they can have
        taken."""
        with self._told():
            row = self._db.execute(
                "SELECT coalesce(sum(prompt_tokens), 0), coalesce(sum(completion_tokens), 0) "
                "FROM rollouts"
            ).fetchone()
        return Bound(*row)

    def counts(self) -> dict[str, int]:
        """How many rollouts have each status."""
        with self._told():
            return dict(self._db.execute("SELECT status, count(*) FROM rollouts GROUP BY status"))

    def cut_off(self) -> int:
        """How many replies ended because they were too long."""
        with self._told():
            query = "SELECT count(*) FROM rollouts WHERE finish = 'length'"
            return int(self._db.execute(query).fetchone()[0])

    def errors(self, most: int = 5) -> list[tuple[str, int]]:
        """The most frequent errors and how often each came."""
        query = (
            "SELECT error, count(*) AS n FROM rollouts WHERE error IS NOT NULL "
            "GROUP BY error ORDER BY n DESC, error LIMIT ?"
        )
        with self._told():
            return list(self._db.execute(query, (most,)))

    def close(self) -> None:
        """Give the file up to the next process."""
        self._db.close()

    def _take(self) -> None:
        self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.execute("BEGIN EXCLUSIVE")
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, VERSION):
            raise SchemaVersionError(
                f"{self.path} is of version {version}; expected {VERSION}: go on with it in the "
                "version of curriculum-env that began it, or name another folder."
            )
        if version == 0:
            for statement in filter(None, map(str.strip, _SCHEMA.split(";"))):
                self._db.execute(statement)
            self._db.execute(f"PRAGMA user_version = {VERSION}")
        self._db.execute("UPDATE rollouts SET status = 'lost' WHERE status = 'started'")
        self._db.execute("COMMIT")

    def _write(self, statement: str, *values: object) -> int:
        with self._told():
            return int(self._db.execute(statement, values).lastrowid or 0)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What SQLite says, in our words."""
        try:
            yield
        except sqlite3.Error as error:
            if "locked" in str(error):
                raise OwnerError(
                    f"another process is estimating in {self.path.parent}: wait for it, or name "
                    "another folder."
                ) from error
            raise StateError(
                f"{self.path} cannot be used ({error}): make room or let it be written, or name "
                "another folder."
            ) from error


def _storable(text: str) -> str:
    """The text without half characters, which SQLite does not take."""
    return text.encode("utf-8", "replace").decode()
