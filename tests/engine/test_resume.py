from __future__ import annotations

import logging
import multiprocessing
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curriculum_env import Curriculum, Draw
from curriculum_env.engine import draw_log, load_state, save_state
from curriculum_env.errors import ConfigError, OwnerError, PoolError, StoreError
from curriculum_env.store import Run, open_store
from curriculum_env.store.sqlite import SqliteStore
from tests.engine.helpers import curriculum, outcomes, rows

RATES = np.random.default_rng(2).uniform(0.1, 0.9, 300).tolist()


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'curriculum.db'}"


def record(url: str, draw: Draw, rewards: Sequence[float | None], attempt: str = "") -> None:
    """Write outcomes as a worker does, past the curriculum."""
    store = open_store(url)
    store.record(outcomes(draw, rewards, attempt))
    store.close()


def play(engine: Curriculum, url: str, draws: int) -> list[Draw]:
    rng = np.random.default_rng(0)
    drawn = [engine.ask() for _ in range(draws)]
    for draw in drawn[: draws * 3 // 4]:
        rate = RATES[int(draw.uid, 16)]
        record(url, draw, [float(x) for x in rng.random(8) < rate])
    return drawn


def same(engine: Curriculum, other: Curriculum) -> None:
    for name in ("mean", "evidence", "visits", "last_draw"):
        assert np.array_equal(engine.table()[name], other.table()[name]), name


def test_outcomes_travel_through_the_store(url: str) -> None:
    with curriculum(rows(300), url) as engine:
        draw = engine.ask()
        record(url, draw, [1.0] * 8)
        assert engine.sync(5.0) == 8
        assert engine.sync() == 0
        assert engine.table()["mean"][engine.rows.index(draw.uid)] > 0.8


def test_a_rollout_told_is_a_rollout_recorded(url: str) -> None:
    with curriculum(rows(300), url) as engine:
        for outcome in outcomes(engine.ask(), [1.0] * 8):
            engine.tell(outcome)
        assert engine.sync(5.0) == 8
        assert engine.store.counts()["outcomes"] == 8


def test_a_new_process_replays_what_was_drawn_then_goes_on(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    with curriculum(rows(300), url, cooldown=75) as engine:
        drawn = play(engine, url, 80)
        engine.sync(5.0)
        means = engine.table()["mean"]
        effective = engine.metrics()["effective_tasks"]
    caplog.set_level(logging.WARNING)
    with curriculum(rows(300)[::-1], url, cooldown=75) as other:
        assert "holds 80 draws" in caplog.text
        assert np.allclose(other.table()["mean"][::-1], means)
        assert [other.ask() for _ in range(80)] == drawn
        metrics = other.metrics()
        assert (metrics["replayed_draws"], metrics["draws"]) == (80, 80)
        assert metrics["effective_tasks"] == pytest.approx(effective)
        fresh = [other.ask() for _ in range(20)]
        assert [draw.number for draw in fresh] == list(range(80, 100))
        cooling = {draw.uid for draw in drawn[-(75 - 20) :]}
        assert not cooling & {draw.uid for draw in fresh}


def test_a_second_resume_replays_both(url: str) -> None:
    drawn: list[Draw] = []
    for _ in range(3):
        with curriculum(rows(300), url) as engine:
            assert [engine.ask() for _ in range(len(drawn))] == drawn
            drawn += [engine.ask() for _ in range(10)]
    assert [draw.number for draw in drawn] == list(range(30))


def test_rollouts_of_a_replayed_draw_form_one_group(url: str) -> None:
    with curriculum(rows(300), url) as engine:
        (first, second) = engine.ask(), engine.ask()
        record(url, first, [1.0] * 3)
    with curriculum(rows(300), url) as other:
        assert [other.ask(), other.ask()] == [first, second]
        record(url, first, [0.0] * 5, attempt="again")
        record(url, second, [1.0, 0.0] * 4)
        other.sync(5.0)
        metrics = other.metrics()
        assert (metrics["groups"], metrics["rho"], metrics["late"]) == (2, 1.0, 0)


def test_draws_played_again_after_a_resume_do_not_mislead(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    with curriculum(rows(300), url) as engine:
        drawn = [engine.ask() for _ in range(30)]
        for draw in drawn:
            record(url, draw, [1.0] * 4)
    with curriculum(rows(300), url) as other:
        for draw in [other.ask() for _ in drawn]:
            record(url, draw, [0.0, 1.0] * 4, attempt="again")
        other.sync(5.0)
        for _ in range(20):
            record(url, other.ask(), [1.0] * 8)
        other.sync(5.0)
    assert "most draws get" not in caplog.text


def test_the_number_of_a_lost_draw_is_not_given_again(url: str) -> None:
    """Draw 5 was handed out but never logged; its rollouts came in."""
    with curriculum(rows(300), url) as engine:
        for _ in range(5):
            engine.ask()
    record(url, Draw(5, rows(300)[7].uid, 1.0, 0.0), [1.0] * 3)
    with curriculum(rows(300), url) as other:
        assert [other.ask().number for _ in range(7)] == [0, 1, 2, 3, 4, 6, 7]
        assert other.table()["mean"][7] > 0.5


def test_silence_after_a_resume_is_noticed_too(url: str, caplog: pytest.LogCaptureFixture) -> None:
    with curriculum(rows(3000), url) as engine:
        record(url, engine.ask(), [1.0] * 8)
    with curriculum(rows(3000), url) as other:
        for _ in range(600):
            other.ask()
    assert caplog.text.count("do trainer and workers see the same store?") == 1


def test_a_forked_child_does_not_draw(url: str) -> None:
    context = multiprocessing.get_context("fork")
    with curriculum(rows(30), url) as engine:
        engine.ask()
        receiver, sender = context.Pipe(duplex=False)
        child = context.Process(target=_try_to_ask, args=(engine, sender))
        child.start()
        assert "is a fork" in receiver.recv()
        child.join()
        engine.ask()


def _try_to_ask(engine: Curriculum, sender: Any) -> None:
    try:
        engine.ask()
        sender.send("it drew")
    except OwnerError as error:
        sender.send(str(error))


def test_a_closed_curriculum_draws_no_more(url: str) -> None:
    for store in (url, None):
        engine = curriculum(rows(30), store)
        engine.ask()
        engine.close()
        with pytest.raises(StoreError, match="closed"):
            engine.ask()


def test_a_state_with_a_log_of_rows_that_are_gone_is_refused(url: str) -> None:
    with curriculum(rows(30), url) as engine:
        state = engine.state_dict()
        uids = {engine.ask().uid for _ in range(9)}
    kept = [row for row in rows(30) if row.uid not in uids]
    with curriculum(kept, url, resume="warm") as other, pytest.raises(PoolError, match="9 of"):
        other.load_state_dict(state)


def test_never_refuses_a_store_with_draws(url: str) -> None:
    with curriculum(rows(30), url, resume="never") as engine:
        engine.ask()
    with pytest.raises(StoreError, match="already holds 1 draws and resume is 'never'"):
        curriculum(rows(30), url, resume="never")
    with curriculum(rows(30), url):
        pass


def test_warm_keeps_discounted_beliefs_and_starts_a_run(url: str) -> None:
    counts = {"type": "beta", "age_decay": 1}
    with curriculum(rows(300), url, estimator=counts) as engine:
        play(engine, url, 80)
        engine.sync(5.0)
        before = engine.table()
    settings: dict[str, Any] = {"estimator": counts, "warm_discount": 0.25}
    with curriculum(rows(300), url, resume="warm", **settings) as warm:
        after = warm.table()
        assert np.allclose(after["evidence"], 0.25 * before["evidence"])
        assert warm.run.first_draw == 80
        assert after["visits"].sum() == 0
        drawn = warm.ask()
        assert drawn.number == 80
        record(url, drawn, [1.0] * 8)
        warm.sync(5.0)
        means = warm.table()["mean"]
    with curriculum(rows(300), url, **settings) as resumed:
        assert np.allclose(resumed.table()["mean"], means)
        assert resumed.ask() == drawn


def test_a_pool_without_the_logged_rows_is_refused(url: str) -> None:
    with curriculum(rows(30), url) as engine:
        uids = {engine.ask().uid for _ in range(20)}
    kept = [row for row in rows(30) if row.uid not in sorted(uids)[:3]]
    with pytest.raises(PoolError, match="3 of the 20 draws logged"):
        curriculum(kept, url)
    with curriculum(kept, url, resume="warm") as warm:
        warm.ask()


def test_two_owners_are_refused_and_the_first_goes_on(url: str) -> None:
    with curriculum(rows(30), url) as engine:
        with pytest.raises(OwnerError):
            curriculum(rows(30), url)
        engine.ask()
    with curriculum(rows(30), url) as next_owner:
        next_owner.ask()


def test_a_refused_pool_leaves_no_lock_behind(url: str) -> None:
    with pytest.raises(PoolError):
        curriculum([], url)
    with curriculum(rows(3), url) as engine:
        engine.ask()


def test_a_refused_rule_leaves_the_store_closed(url: str) -> None:
    store = open_store(url)
    sampler = {"type": "custom", "class_path": "no.such:Class"}
    with pytest.raises(ConfigError, match=r"no\.such:Class"):
        curriculum(rows(3), store, sampler=sampler)
    with pytest.raises(StoreError, match="closed"):
        store.counts()


def test_an_owner_that_lost_the_store_stops_drawing(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draw_log, "HEARTBEAT_SECONDS", 0.05)
    with curriculum(rows(30), url) as engine:
        engine.ask()
        thief = open_store(url)
        thief.acquire(force=True)
        time.sleep(0.5)
        with pytest.raises(OwnerError):
            engine.ask()
        thief.close()


def test_a_checkpoint_older_than_the_log_replays_the_rest(url: str, tmp_path: Path) -> None:
    with curriculum(rows(300), url) as engine:
        play(engine, url, 40)
        engine.sync(5.0)
        save_state(tmp_path / "state", engine.state_dict())
        later = play(engine, url, 20)
        engine.sync(5.0)
        means = engine.table()["mean"]
    with curriculum(rows(300), url) as other:
        other.load_state_dict(load_state(tmp_path / "state"))
        other.sync(5.0)
        assert other.metrics()["unknown"] == other.metrics()["late"] == 0
        assert [other.ask() for _ in range(20)] == later
        other.sync(5.0)
        assert np.allclose(other.table()["mean"], means)
        assert other.ask().number == 60


class SlowStore(SqliteStore):
    """A disk that stalls."""

    gate = threading.Event()

    def append_draws(self, run: Run, draws: Sequence[Draw]) -> None:
        self.gate.wait(10.0)
        super().append_draws(run, draws)


@pytest.fixture
def slow(url: str) -> Iterator[SlowStore]:
    from sqlalchemy.engine import make_url

    SlowStore.gate.set()
    yield SlowStore(make_url(url))
    SlowStore.gate.set()


def test_a_stalled_disk_delays_a_draw_by_a_bounded_time(
    slow: SlowStore, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    engine = curriculum(rows(300), slow)
    engine.ask()
    slow.gate.clear()
    start = time.perf_counter()
    late = [engine.ask() for _ in range(5)]
    assert time.perf_counter() - start < 5 * 0.5
    assert engine.metrics()["deferred_draws"] == 5
    assert caplog.text.count("makes resume inexact") == 1
    slow.gate.set()
    engine.close()
    with curriculum(rows(300), url) as other:
        assert [other.ask() for _ in range(6)][1:] == late


def test_draws_are_logged_before_they_are_handed_out(url: str) -> None:
    with curriculum(rows(300), url) as engine:
        reader = open_store(url)
        for _ in range(10):
            draw = engine.ask()
            assert list(reader.draws(draw.number)) == [draw]
        reader.close()


def test_the_pool_is_an_event_of_a_new_run(url: str) -> None:
    with curriculum(rows(300), url):
        pass
    store = open_store(url)
    (event,) = store.events("pool")
    store.close()
    assert event["size"] == 300
    assert sorted(event["buckets"]) == [["d", str(level), 60] for level in range(5)]
