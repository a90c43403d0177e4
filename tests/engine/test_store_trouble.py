"""The store fails; drawing does not."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import make_url

from curriculum_env import Draw, Outcome
from curriculum_env.engine import draw_log, feed
from curriculum_env.errors import StoreError
from curriculum_env.store import OutcomeReader, Run, open_store
from curriculum_env.store.sqlite import SqliteStore
from tests.engine.helpers import curriculum, outcomes, rows


class FailingStore(SqliteStore):
    """Fails while `broken`."""

    broken = False

    def _check(self) -> None:
        if self.broken:
            raise StoreError("the disk is gone")

    def append_draws(self, run: Run, draws: Sequence[Draw]) -> None:
        self._check()
        super().append_draws(run, draws)

    def log_event(self, kind: str, data: Mapping[str, Any]) -> None:
        self._check()
        super().log_event(kind, data)

    def heartbeat(self) -> None:
        self._check()
        super().heartbeat()

    def reader(self, cursor: Any = None) -> OutcomeReader:
        return FailingReader(self, super().reader(cursor))


class FailingReader(OutcomeReader):
    def __init__(self, store: FailingStore, inner: OutcomeReader) -> None:
        self._store, self._inner = store, inner

    def read(self, limit: int = 4096) -> list[Outcome]:
        self._store._check()
        return self._inner.read(limit)

    @property
    def cursor(self) -> Any:
        return self._inner.cursor


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'curriculum.db'}"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draw_log, "_RETRY_SECONDS", 0.05)
    monkeypatch.setattr(draw_log, "HEARTBEAT_SECONDS", 0.05)
    monkeypatch.setattr(feed, "_RETRY_SECONDS", 0.05)


def test_drawing_goes_on_and_the_log_and_the_beliefs_catch_up(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    store = FailingStore(make_url(url))
    with caplog.at_level(logging.WARNING), curriculum(rows(100), store) as engine:
        first = engine.ask()
        store.broken = True
        drawn = [engine.ask() for _ in range(4)]
        other = open_store(url)
        other.record(outcomes(first, [1.0] * 8))
        assert engine.sync(0.3) == 0
        store.broken = False
        assert engine.sync(5.0) == 8
        drawn.append(engine.ask())
        deadline = time.monotonic() + 10.0
        while len(list(other.draws())) < 6 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert [draw.number for draw in other.draws()] == [0, 1, 2, 3, 4, 5]
        assert list(other.draws(1)) == drawn
        other.close()
    assert caplog.text.count("outcomes cannot be read, retrying: the disk is gone") == 1
    assert caplog.text.count("a draw could not be logged") == 1


def test_draws_that_never_reach_the_log_are_counted_at_the_end(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    store = FailingStore(make_url(url))
    engine = curriculum(rows(100), store)
    store.broken = True
    for _ in range(3):
        engine.ask()
    engine.close()
    assert "3 draws could not be logged" in caplog.text


def test_a_store_that_fails_at_the_start_is_refused(url: str) -> None:
    store = FailingStore(make_url(url))
    store.broken = True
    with pytest.raises(StoreError, match="the disk is gone"):
        curriculum(rows(100), store)
