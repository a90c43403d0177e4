from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect

from curriculum_env.store import open_store
from curriculum_env.store.schema import augmentations
from curriculum_env.testing.store_queue import asked


def test_a_store_of_an_earlier_release_gains_the_queue(shared_url: str) -> None:
    open_store(shared_url).close()
    engine = create_engine(shared_url)
    augmentations.drop(engine)
    assert not inspect(engine).has_table(augmentations.name)
    engine.dispose()
    with closing(open_store(shared_url)) as store:
        store.queue.ask([asked(1)])
        assert store.queue.open_count() == 1


@pytest.mark.parametrize("place", ["memory", "sqlite"])
def test_a_clock_that_is_set_back_keeps_no_claim_for_hours(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "memory://" if place == "memory" else f"sqlite:///{tmp_path}/c.db"
    with closing(open_store(url)) as store:
        store.queue.ask([asked(1), asked(2)])
        (dead,) = store.queue.claim("dead", 1, 60.0)
        (kept,) = store.queue.claim("living", 1, 60.0)
        earlier = time.time() - 7_200.0
        monkeypatch.setattr("time.time", lambda: earlier)
        assert store.queue.renew("living", [kept.id], 60.0) == 1
        assert [item.id for item in store.queue.claim("next", 9, 60.0)] == [dead.id]
        assert not store.queue.claim("another", 9, 60.0)
