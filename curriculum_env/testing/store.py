"""What every store promises, as tests: subclass `StoreContract` and say which store.

class TestMyStore(StoreContract):
    @pytest.fixture
    def url(self) -> str:
        return "..."  # a new, empty store for each test

    @pytest.fixture
    def other_url(self) -> str:
        return "..."  # another one

    def open(self, url: str) -> Store:  # only if `open_store` does not know it
        return MyStore(url)
"""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from uuid import UUID, uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curriculum_env.errors import OwnerError, StoreError
from curriculum_env.store import OutcomeReader, Store, open_store
from curriculum_env.testing.store_queue import QueueContract
from curriculum_env.types import STATUSES, Draw, Outcome

_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
_FINITE = st.floats(allow_nan=False, allow_infinity=False)
_COUNT = st.integers(0, 2**40)
_OUTCOMES = st.lists(
    st.builds(
        Outcome,
        draw=_COUNT,
        uid=_TEXT,
        rollout_id=st.sampled_from("abcdefgh"),  # few, so that many are recorded twice
        reward=st.none() | _FINITE,
        status=st.sampled_from(STATUSES),
        tokens=_COUNT,
        turns=_COUNT,
        model=_TEXT,
        wall_time=_FINITE,
        time=_FINITE,
    ),
    max_size=12,
)


def make_draws(first: int, count: int) -> list[Draw]:
    """`count` draws numbered from `first`."""
    return [
        Draw(n, f"uid-{n}", 1 / (n + 1), 100.0 + n, "algebra", "3")
        for n in range(first, first + count)
    ]


def make_outcomes(prefix: str, count: int) -> list[Outcome]:
    """`count` outcomes whose rollout ids start with `prefix`."""
    return [Outcome(n // 8, "uid", f"{prefix}-{n}", n % 2, "ok", time=1.0) for n in range(count)]


def drain(reader: OutcomeReader, limit: int = 4096) -> list[Outcome]:
    """All that `reader` can read now."""
    outcomes = []
    while page := reader.read(limit):
        outcomes += page
    return outcomes


class StoreContract(QueueContract):
    """Every method of `Store` does what `curriculum_env.store.base` says, and its queue's too."""

    @pytest.fixture
    def url(self) -> str:
        raise NotImplementedError("give the URL of a new, empty store")

    @pytest.fixture
    def other_url(self) -> str:
        raise NotImplementedError("give the URL of another new, empty store")

    def open(self, url: str) -> Store:
        return open_store(url)

    @pytest.fixture
    def store(self, url: str) -> Iterator[Store]:
        with closing(self.open(url)) as store:
            yield store

    @pytest.fixture
    def owned(self, store: Store) -> Store:
        store.acquire()
        return store

    def test_all_who_open_a_store_see_one_identity(self, url: str, store: Store) -> None:
        with closing(self.open(url)) as again:
            assert UUID(again.identity) == UUID(store.identity)

    def test_another_store_has_another_identity(self, store: Store, other_url: str) -> None:
        with closing(self.open(other_url)) as other:
            assert other.identity != store.identity

    # --- runs and draws ----------------------------------------------------------------------
    def test_a_new_store_is_empty(self, store: Store) -> None:
        assert store.last_run() is None
        assert list(store.draws()) == []
        assert store.reader().read() == []
        assert store.events() == []
        empty = {"draws": 0, "outcomes": 0, "ok": 0, "error": 0, "cancelled": 0}
        assert store.counts() == empty

    def test_draws_come_back_as_they_were_logged(self, owned: Store) -> None:
        run = owned.start_run({})
        owned.append_draws(run, [Draw(7, "é∀😀'\"", 1e-300, 1.7e9 + 1e-6, "домен", "%s")])
        assert list(owned.draws()) == [Draw(7, "é∀😀'\"", 1e-300, 1.7e9 + 1e-6, "домен", "%s")]

    def test_draws_are_read_by_rising_number_and_by_range(self, owned: Store) -> None:
        run, draws = owned.start_run({}), make_draws(0, 10)
        owned.append_draws(run, draws[5:])
        owned.append_draws(run, draws[:5])
        assert list(owned.draws()) == draws
        assert list(owned.draws(4)) == draws[4:]
        assert list(owned.draws(4, 6)) == draws[4:6]
        assert list(owned.draws(4, 4)) == []

    def test_a_long_log_of_draws_is_read_whole(self, owned: Store) -> None:
        run, draws = owned.start_run({}), make_draws(0, 40_000)
        owned.append_draws(run, draws)
        assert list(owned.draws()) == draws

    def test_a_draw_logged_again_changes_nothing(self, owned: Store) -> None:
        run, (draw,) = owned.start_run({}), make_draws(0, 1)
        owned.append_draws(run, [draw])
        owned.append_draws(run, [replace(draw, uid="other"), *make_draws(1, 1)])
        assert list(owned.draws()) == [draw, *make_draws(1, 1)]

    def test_a_new_run_goes_on_with_the_numbers(self, owned: Store) -> None:
        first = owned.start_run({"seed": 1, "nested": {"a": [1.5, None, "é"]}})
        assert first.first_draw == 0
        owned.append_draws(first, make_draws(0, 5))
        second = owned.start_run({"seed": 2})
        assert second.first_draw == 5
        assert second.id > first.id
        assert owned.last_run() == second
        assert first.config == {"seed": 1, "nested": {"a": [1.5, None, "é"]}}

    def test_writing_nothing_is_fine(self, owned: Store) -> None:
        owned.append_draws(owned.start_run({}), [])
        owned.record([])
        assert owned.counts()["draws"] == owned.counts()["outcomes"] == 0

    # --- outcomes ----------------------------------------------------------------------------
    def test_each_outcome_is_read_once_and_the_first_wins(self, store: Store) -> None:
        @settings(max_examples=30, deadline=None)
        @given(batches=st.lists(_OUTCOMES, max_size=4), limit=st.integers(1, 9))
        def check(batches: list[list[Outcome]], limit: int) -> None:
            reader, prefix = store.reader(), uuid4().hex
            drain(reader)
            expected: dict[str, Outcome] = {}
            read: list[Outcome] = []
            for batch in batches:
                outcomes = [replace(o, rollout_id=f"{prefix}-{o.rollout_id}") for o in batch]
                store.record(outcomes)
                for outcome in outcomes:
                    expected.setdefault(outcome.rollout_id, outcome)
                read += reader.read(limit)
                reader = store.reader(json.loads(json.dumps(reader.cursor)))
            read += drain(reader, limit)
            assert sorted(read, key=repr) == sorted(expected.values(), key=repr)

        check()

    def test_a_cursor_goes_on_right_after_what_was_read(self, store: Store) -> None:
        store.record(make_outcomes("a", 10))
        whole = drain(store.reader())
        for count in range(1, 10):
            reader = store.reader()
            assert reader.read(count) == whole[:count]
            cursor = json.loads(json.dumps(reader.cursor, sort_keys=True))
            assert drain(store.reader(cursor), 3) == whole[count:]

    def test_a_reader_sees_what_is_recorded_after_it_was_made(self, store: Store) -> None:
        reader = store.reader()
        assert reader.read() == []
        store.record(make_outcomes("a", 3))
        assert len(reader.read()) == 3
        store.record(make_outcomes("a", 5))
        assert [o.rollout_id for o in reader.read()] == ["a-3", "a-4"]
        assert reader.read() == []

    def test_threads_record_while_a_reader_polls(self, store: Store) -> None:
        reader, read = store.reader(), []

        def record(thread: int) -> None:
            for batch in range(20):
                store.record(make_outcomes(f"{thread}-{batch % 15}", 10))  # some come twice

        with ThreadPoolExecutor(4) as pool:
            threads = [pool.submit(record, thread) for thread in range(4)]
            while not all(thread.done() for thread in threads):
                read += reader.read(7)
        read += drain(reader, 7)
        assert all(thread.exception() is None for thread in threads)
        assert len(read) == len({o.rollout_id for o in read}) == 4 * 15 * 10

    def test_counts_go_by_status(self, owned: Store) -> None:
        owned.append_draws(owned.start_run({}), make_draws(0, 2))
        ok, failed, gone = make_outcomes("a", 3)
        failed = replace(failed, status="error", reward=None)
        owned.record([ok, failed, replace(gone, status="cancelled", reward=None)])
        assert owned.counts() == {
            "draws": 2, "outcomes": 3, "ok": 1, "error": 1, "cancelled": 1,
        }  # fmt: skip

    # --- at once -----------------------------------------------------------------------------
    def test_an_outcome_is_written_at_once_or_not_at_all(self, url: str, store: Store) -> None:
        one, other = make_outcomes("a", 2)
        store.record([one])
        store.record_at_once(replace(one, reward=0.5))
        wrote = store.record_at_once(other)
        with closing(self.open(url)) as again:
            assert drain(again.reader()) == [one, other][: 2 if wrote else 1]

    # --- events ------------------------------------------------------------------------------
    def test_events_come_back_in_order(self, store: Store) -> None:
        store.log_event("outage", {"rollouts": 500})
        store.log_event("warning", {"text": "é"})
        store.log_event("outage", {"rollouts": 1})
        assert [e["kind"] for e in store.events()] == ["outage", "warning", "outage"]
        assert [e["rollouts"] for e in store.events("outage")] == [500, 1]
        assert store.events("outage")[0]["time"] <= store.events("outage")[1]["time"]
        assert store.events("none") == []

    # --- the owner ---------------------------------------------------------------------------
    def test_a_second_store_of_this_process_is_refused(self, url: str, owned: Store) -> None:
        with closing(self.open(url)) as other:
            with pytest.raises(OwnerError, match=r"belongs to process \d+ on"):
                other.acquire()
            owned.release()
            other.acquire()
            other.heartbeat()
            with pytest.raises(OwnerError):
                owned.acquire()

    def test_the_owner_may_acquire_again(self, owned: Store) -> None:
        owned.acquire()
        owned.heartbeat()

    def test_only_the_owner_writes_runs_and_draws(self, store: Store) -> None:
        with pytest.raises(OwnerError, match="acquire"):
            store.start_run({})
        store.acquire()
        run = store.start_run({})
        store.release()
        with pytest.raises(OwnerError, match="nobody owns it"):
            store.append_draws(run, make_draws(0, 1))
        with pytest.raises(OwnerError):
            store.heartbeat()
        assert list(store.draws()) == []

    def test_an_owner_replaced_by_force_learns_of_it(self, url: str, owned: Store) -> None:
        run = owned.start_run({})
        with closing(self.open(url)) as other:
            other.acquire(force=True)
            with pytest.raises(OwnerError):
                owned.heartbeat()
            with pytest.raises(OwnerError):
                owned.append_draws(run, make_draws(0, 1))
            owned.release()  # takes nothing from the new owner
            other.heartbeat()

    def test_closing_gives_the_lock_back(self, url: str) -> None:
        first = self.open(url)
        first.acquire()
        first.close()
        with closing(self.open(url)) as second:
            second.acquire()

    def test_a_store_that_was_forgotten_gives_the_lock_back(self, url: str) -> None:
        first = self.open(url)
        keeper = self.open(url)  # the store itself must not be forgotten with its first owner
        first.acquire()
        del first
        gc.collect()
        with closing(keeper):
            keeper.acquire()

    def test_workers_need_no_lock(self, url: str, owned: Store) -> None:
        with closing(self.open(url)) as worker:
            worker.record(make_outcomes("a", 2))
            worker.log_event("warning", {})
        assert len(owned.reader().read()) == 2

    # --- the end -----------------------------------------------------------------------------
    def test_a_closed_store_says_so(self, owned: Store) -> None:
        run = owned.start_run({})
        owned.close()
        owned.close()
        calls = (
            owned.acquire, owned.heartbeat, owned.last_run, owned.events, owned.counts,
            lambda: owned.record(make_outcomes("a", 1)),
            lambda: owned.append_draws(run, make_draws(0, 1)),
            lambda: list(owned.draws()),
            lambda: owned.reader().read(),
            lambda: owned.log_event("warning", {}),
        )  # fmt: skip
        for call in calls:
            with pytest.raises(StoreError, match="closed"):
                call()

    def test_what_was_written_outlives_the_store_object(self, url: str) -> None:
        keeper = self.open(url)
        with closing(self.open(url)) as store:
            store.acquire()
            store.append_draws(store.start_run({"a": 1}), make_draws(0, 3))
            store.record(make_outcomes("a", 3))
        keeper.close()
        with closing(self.open(url)) as store:
            assert list(store.draws()) == make_draws(0, 3)
            assert len(store.reader().read()) == 3
            last = store.last_run()
            assert last is not None
            assert last.config == {"a": 1}
