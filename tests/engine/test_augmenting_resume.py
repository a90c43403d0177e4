"""Variants outlive their process: resumed, restored, taken in late."""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from curriculum_env import Curriculum, Row
from curriculum_env.store.queue import RECHECK
from curriculum_env.store.rows import plain
from tests.engine.augmented import (
    augmented,
    child_of,
    noisy,
    play,
    seeds,
    serve,
    variants,
)


def test_a_resume_replays_draws_of_variants_and_goes_on_as_before(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/c.db"
    with augmented(store, capacity=6, watch={"rollouts": 4}) as curriculum:
        drawn = play(curriculum, 60, noisy)
        pool = list(curriculum.rows)
        asked = [item.asked.key for item in curriculum.store.queue.items()]
        quarantined = curriculum.metrics()["quarantined"]
        assert quarantined
    with augmented(store, capacity=6, watch={"rollouts": 4}) as curriculum:
        assert list(curriculum.rows) == pool
        assert [curriculum.ask() for _ in drawn] == drawn
        assert [item.asked.key for item in curriculum.store.queue.items()] == asked
        assert curriculum.metrics()["quarantined"] == quarantined
        put_away = {
            item.child.uid for item in curriculum.store.queue.items("quarantined") if item.child
        }
        later = play(curriculum, 40, noisy)
        assert not put_away & {draw.uid for draw in later}
        uids = [row.uid for row in curriculum.rows]
        assert len(uids) == len(set(uids))


def test_a_state_goes_on_to_the_bit(tmp_path: Path) -> None:
    first = augmented(watch={"rollouts": 4})
    for _ in range(70):
        play(first, 1, noisy, serving=False)
        serve(first, lambda item: None if item.kind == RECHECK else child_of(item))
    play(first, 2, noisy, serving=False)
    state = first.state_dict()
    assert len(variants(first)) > 4
    twin = augmented(watch={"rollouts": 4})
    twin.load_state_dict(state)
    assert list(twin.rows) == list(first.rows)
    expected = [draw.uid for draw in play(first, 80, noisy, serving=False)]
    assert [draw.uid for draw in play(twin, 80, noisy, serving=False)] == expected
    assert twin.metrics()["quarantined"] == first.metrics()["quarantined"] > 0
    assert twin.metrics()["variant_draws"] == first.metrics()["variant_draws"]
    first.close()
    twin.close()


def test_a_state_in_another_store_can_be_resumed_from_there(tmp_path: Path) -> None:
    with augmented(watch={"rollouts": 4}) as first:
        for _ in range(70):
            play(first, 1, noisy, serving=False)
            serve(first, lambda item: None if item.kind == RECHECK else child_of(item))
        state, rows = first.state_dict(), list(first.rows)
        quarantined = first.metrics()["quarantined"]
        assert quarantined > 0
    elsewhere = f"sqlite:///{tmp_path}/c.db"
    with augmented(elsewhere, watch={"rollouts": 10**6}) as moved:
        moved.load_state_dict(state)
        drawn = [draw.uid for draw in play(moved, 30, noisy, serving=False)]
        assert any(uid.startswith("variant") for uid in drawn)
    with augmented(elsewhere, watch={"rollouts": 10**6}) as resumed:
        assert list(resumed.rows) == rows
        assert resumed.metrics()["quarantined"] == quarantined
        assert [resumed.ask().uid for _ in range(30)] == drawn


def test_what_was_accepted_when_the_client_died_is_taken_in(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/c.db"
    with augmented(store) as curriculum:
        play(curriculum, 3, serving=False)
        time.sleep(0.3)
        assert serve(curriculum) == 3
    with augmented(store) as curriculum:
        for _ in range(3):
            curriculum.ask()
        curriculum.sync(5.0)
        curriculum.ask()
        assert len(variants(curriculum)) == 3


def test_a_row_marked_as_inserted_before_the_pool_knew_it_is_taken_in(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/c.db"
    with augmented(store) as curriculum:
        play(curriculum, 1, serving=False)
        curriculum.sync(5.0)
        serve(curriculum)
        curriculum.store.queue.insert([1])
    with augmented(store) as curriculum:
        curriculum.ask()
        curriculum.ask()
        assert [row.uid for row in variants(curriculum)] == ["variant-1"]


def test_a_row_that_the_pool_has_is_marked_though_its_process_died_before(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/c.db"
    with augmented(store) as curriculum:
        play(curriculum, 1, serving=False)
        curriculum.sync(5.0)
        serve(curriculum)
        curriculum.store.log_event("rows", {"rows": [plain(child_of_seed(curriculum))]})
    with augmented(store) as curriculum:
        assert [row.uid for row in variants(curriculum)] == ["variant-1"]
        for _ in range(3):
            curriculum.ask()
            curriculum.sync(5.0)
        assert [row.uid for row in variants(curriculum)] == ["variant-1"]
        counts = curriculum.store.queue.counts()
        assert (counts.states["inserted"], counts.reasons) == (1, {})


def child_of_seed(curriculum: Curriculum) -> Row:
    (item,) = curriculum.store.queue.accepted()
    assert item.child is not None
    return replace(item.child, parent=item.source.uid)


def test_turned_off_again_the_pool_keeps_its_variants(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/c.db"
    with augmented(store) as curriculum:
        drawn, pool = play(curriculum, 30), list(curriculum.rows)
    with augmented(store, enabled=False) as curriculum:
        assert list(curriculum.rows) == pool
        assert [curriculum.ask() for _ in drawn] == drawn


def test_a_store_that_fails_stops_no_draw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from curriculum_env.errors import StoreError

    with augmented(f"sqlite:///{tmp_path}/c.db") as curriculum:
        play(curriculum, 2, serving=False)
        serve(curriculum)

        def fail(*_: object) -> Any:
            raise StoreError("scripted")

        with monkeypatch.context() as broken, caplog.at_level(logging.WARNING):
            broken.setattr(type(curriculum.store.queue), "open_count", fail)
            play(curriculum, 5, serving=False)
        play(curriculum, 10, serving=False)
        assert variants(curriculum)
    assert "scripted" in caplog.text


def test_asking_for_variants_costs_a_group_little() -> None:
    """The processor time of the thread that draws: augmentation on over off, in pairs."""

    def seconds(enabled: bool) -> float:
        with augmented(rows=seeds(2000), enabled=enabled) as curriculum:
            play(curriculum, 100, serving=False)
            begun = time.thread_time()
            play(curriculum, 300, serving=False)
            return time.thread_time() - begun

    ratios = sorted(seconds(True) / seconds(False) for _ in range(3))
    assert ratios[1] < 1.6
