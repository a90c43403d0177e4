"""What the queue of every store promises, as tests: part of `StoreContract`."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from curriculum_env.errors import StoreError
from curriculum_env.store import Store, open_store
from curriculum_env.store.queue import AUGMENT_STATES, Asked, Augmentation, Spent
from curriculum_env.types import Row

SOURCE = Row("seed", {"prompt": "é∀😀'\"%s", "n": [1, None]}, "algebra", "3", {"digits": 2}, 1, 4)


def asked(number: int, kind: str = "numbers") -> Asked:
    """The request for a variant at draw `number`."""
    return Asked(f"{number}/{kind}/0", kind, number, SOURCE, generation=2, belief=0.25)


def child(number: int) -> Row:
    """A variant of `SOURCE`."""
    return Row(f"child-{number}", {"prompt": "é"}, "algebra", parent=SOURCE.uid, factor=1.25)


class QueueContract:
    """Every method of `Queue` does what `curriculum_env.store.queue` says."""

    @pytest.fixture
    def url(self) -> str:
        raise NotImplementedError("give the URL of a new, empty store")

    def open(self, url: str) -> Store:
        return open_store(url)

    @pytest.fixture
    def store(self, url: str) -> Iterator[Store]:
        with closing(self.open(url)) as store:
            yield store

    def test_an_empty_queue(self, store: Store) -> None:
        counts = store.queue.counts()
        assert counts.states == dict.fromkeys(AUGMENT_STATES, 0)
        assert (counts.reasons, counts.spent, counts.open) == ({}, Spent(), 0)
        assert store.queue.claim("a", 5, 60.0) == store.queue.accepted() == []
        assert list(store.queue.items()) == []
        store.queue.ask([])

    def test_a_request_is_there_once_and_comes_back_whole(self, url: str, store: Store) -> None:
        store.queue.ask([asked(1), asked(2)])
        with closing(self.open(url)) as again:
            again.queue.ask([asked(2, "numbers"), asked(3, "harder")])
        assert [item.asked for item in store.queue.items()] == [
            asked(1), asked(2), asked(3, "harder"),
        ]  # fmt: skip
        assert store.queue.open_count() == store.queue.counts().open == 3

    def test_one_life_from_the_question_to_the_pool(self, url: str, store: Store) -> None:
        queue = store.queue
        queue.ask([asked(1)])
        (item,) = queue.claim("a", 5, 60.0)
        assert (item.owner, item.state, item.source) == ("a", "asked", SOURCE)
        assert queue.propose(
            item, {"problem": "what\0 is \ud800 7?", "d": float("nan")}, Spent(1, 9)
        )
        (item,) = queue.items("proposed")
        assert item.candidate == {"problem": "what is  7?", "d": None}
        assert queue.accept(item, child(1), {"teacher": "t"}, Spent(2, 30, 0.5))
        with closing(self.open(url)) as again:
            (item,) = again.queue.accepted()
        assert (item.child, item.provenance, item.spent) == (
            child(1), {"teacher": "t"}, Spent(3, 39, 0.5),
        )  # fmt: skip
        queue.insert([item.id])
        assert queue.accepted() == []
        assert [item.state for item in queue.items()] == ["inserted"]
        queue.quarantine([item.id], "never solved")
        counts = queue.counts()
        assert counts.reasons == {("quarantined", "never solved"): 1}
        assert counts.spent == Spent(3, 39, 0.5)

    def test_a_step_is_taken_once_and_only_by_the_claimer(self, store: Store) -> None:
        queue = store.queue
        queue.ask([asked(1), asked(2)])
        one, two = queue.claim("a", 5, 60.0)
        stolen = Augmentation(one.id, one.asked, owner="b")
        assert not queue.propose(stolen, {})
        assert not queue.accept(stolen, child(1))
        assert not queue.discard(stolen, "no")
        assert not queue.give_back(stolen)
        assert queue.discard(one, "unsolvable", Spent(1))
        assert not queue.discard(one, "again", Spent(1))
        assert not queue.accept(one, child(1))
        assert queue.accept(two, child(2))
        assert not queue.accept(two, child(3))
        assert queue.counts().reasons == {("discarded", "unsolvable"): 1}
        assert queue.counts().spent == Spent(1)
        queue.refuse([one.id, two.id], "duplicate")
        queue.insert([one.id, two.id])
        queue.quarantine([one.id, two.id], "x")
        reasons = {("discarded", "unsolvable"): 1, ("discarded", "duplicate"): 1}
        assert queue.counts().reasons == reasons

    def test_a_claim_runs_out_and_what_was_paid_for_is_kept(self, store: Store) -> None:
        queue = store.queue
        queue.ask([asked(1), asked(2)])
        late, _ = queue.claim("dead", 2, 60.0)
        queue.propose(late, {"problem": "7"}, Spent(1, 5))
        assert queue.claim("b", 5, 60.0) == []
        ids = [item.id for item in queue.items()]
        assert queue.renew("dead", [], -1.0) == queue.renew("other", ids, -1.0) == 0
        assert queue.renew("dead", ids, -1.0) == 2
        first, second = queue.claim("b", 5, 60.0)
        assert (first.state, first.candidate, first.spent) == (
            "proposed", {"problem": "7"}, Spent(1, 5),
        )  # fmt: skip
        assert second.state == "asked"
        assert not queue.discard(late, "too late")
        assert queue.renew("dead", ids, 60.0) == 0

    def test_what_is_given_back_is_taken_up_again(self, store: Store) -> None:
        queue = store.queue
        queue.ask([asked(1), asked(2), asked(3)])
        one, *_ = queue.claim("a", 3, 60.0)
        assert queue.give_back(one, Spent(1))
        (again,) = queue.claim("b", 5, 60.0)
        assert (again.id, again.tries, again.spent) == (one.id, 1, Spent(1))
        assert queue.give_back(again, tried=False)
        (again,) = queue.claim("b", 5, 60.0)
        assert (again.id, again.tries) == (one.id, 1)
        queue.release("a")
        assert [item.asked.draw for item in queue.claim("c", 5, 60.0)] == [2, 3]

    def test_no_two_claim_the_same(self, url: str, store: Store) -> None:
        store.queue.ask([asked(number) for number in range(60)])

        def work(name: int) -> list[int]:
            with closing(self.open(url)) as mine:
                claimed = []
                while items := mine.queue.claim(f"worker-{name}", 3, 60.0):
                    claimed += [item.id for item in items]
                    for item in items:
                        assert mine.queue.accept(item, child(item.id))
                return claimed

        with ThreadPoolExecutor(4) as pool:
            claimed = [number for ids in pool.map(work, range(4)) for number in ids]
        assert len(claimed) == len(set(claimed)) == 60
        assert store.queue.counts().states["accepted"] == 60
        assert len(store.queue.accepted(7)) == 7

    def test_what_others_work_on_and_what_was_made_is_told(self, store: Store) -> None:
        queue = store.queue
        queue.ask([asked(number) for number in range(5)])
        for owner, seconds in (("a", 60.0), ("b", 60.0), ("gone", -1.0)):
            queue.claim(owner, 1, seconds)
        assert [item.owner for item in queue.claims("a")] == ["b"]
        assert [item.owner for item in queue.claims("c")] == ["a", "b"]
        made, refused = queue.claim("m", 2, 60.0)
        queue.accept(made, child(1))
        queue.accept(refused, child(2))
        queue.refuse([refused.id], "duplicate")
        assert queue.made(0.0) == [child(1)]
        queue.insert([made.id])
        (changed,) = (item.changed for item in queue.items("inserted"))
        assert queue.made(changed) == [child(1)]
        assert queue.made(changed + 1.0) == []

    def test_a_closed_store_has_no_queue(self, store: Store) -> None:
        store.close()
        with pytest.raises(StoreError, match="closed"):
            store.queue.ask([asked(1)])
