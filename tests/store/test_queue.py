from __future__ import annotations

from contextlib import closing

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
