"""Variants of rows: asked for, taken in, drawn in their share, put away."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from curriculum_env import Curriculum, Draw, Row
from curriculum_env.store.queue import RECHECK, STATUS, Augmentation
from tests.engine.augmented import (
    FAILED,
    MIXED,
    SOLVED,
    augmented,
    child_of,
    noisy,
    play,
    seeds,
    serve,
    variants,
)


# --- asking ----------------------------------------------------------------------------------
def test_it_is_off_unless_asked_for() -> None:
    with Curriculum(seeds(), {"group_size": 4}) as curriculum:
        play(curriculum, 5, serving=False)
        assert list(curriculum.store.queue.items()) == []
        assert "variants" not in curriculum.metrics()


def test_a_living_group_asks_for_a_variant_of_its_row() -> None:
    with augmented(kinds=["numbers", "harder"]) as curriculum:
        play(curriculum, 3, lambda draw: SOLVED, serving=False)
        assert curriculum.store.queue.open_count() == 0
        draws = play(curriculum, 2, serving=False)
        items = list(curriculum.store.queue.items())
    assert [(item.source.uid, item.asked.draw) for item in items] == [
        (draw.uid, draw.number) for draw in draws
    ]
    assert [item.kind for item in items] == ["harder", "numbers"]
    assert {item.asked.generation for item in items} == {1}
    assert all(0.0 < item.asked.belief < 1.0 for item in items)


@pytest.mark.parametrize(("parents", "asked"), [("frontier", 4), ("living", 0)])
def test_a_row_that_nobody_solves_is_a_parent_once(parents: str, asked: int) -> None:
    with augmented(rows=seeds(4), parents=parents) as curriculum:
        play(curriculum, 20, lambda draw: FAILED, serving=False)
        items = list(curriculum.store.queue.items())
        assert len({item.source.uid for item in items}) == len(items) == asked
        play(curriculum, 20, lambda draw: SOLVED, serving=False)
        assert curriculum.store.queue.open_count() == asked


def test_every_drawn_row_may_be_a_parent() -> None:
    with augmented(parents="sampled", per_parent=2) as curriculum:
        play(curriculum, 3, lambda draw: FAILED, serving=False)
        assert curriculum.store.queue.open_count() == 6


def test_no_more_is_asked_for_than_there_is_room() -> None:
    with augmented(backlog=5) as curriculum:
        play(curriculum, 12, serving=False)
        assert curriculum.store.queue.open_count() == 5
    with augmented(capacity=3) as curriculum:
        play(curriculum, 12, serving=False)
        assert curriculum.store.queue.open_count() == 3
    with augmented(pool_share=0.2) as curriculum:
        play(curriculum, 60)
        assert len(variants(curriculum)) == 5


@pytest.mark.parametrize(
    ("limits", "most"),
    [({"backlog": 5}, 5), ({"capacity": 3}, 3), ({"pool_share": 0.2}, 5), ({"family": 2}, 2)],
)
def test_many_at_a_time_are_no_more_than_there_is_room_for(
    limits: dict[str, Any], most: int
) -> None:
    with augmented(per_parent=10**9, fan_out=10**9, **limits) as curriculum:
        play(curriculum, 1, serving=False)
        assert curriculum.store.queue.open_count() == most


def test_fan_out_generations_and_families_have_their_limits() -> None:
    settings: dict[str, Any] = {"fan_out": 2, "generations": 2, "family": 4, "pool_share": 0.9}
    with augmented(rows=seeds(3), **settings) as curriculum:
        play(curriculum, 150)
        items = list(curriculum.store.queue.items())
        by_uid = {row.uid: row for row in curriculum.rows}
    asked = Counter(item.source.uid for item in items)
    assert max(asked.values()) == 2
    generation: dict[str, int] = {}
    root: dict[str, str] = {}
    for row in by_uid.values():
        generation[row.uid] = generation[row.parent] + 1 if row.parent else 0
        root[row.uid] = root[row.parent] if row.parent else row.uid
    assert max(generation.values()) == 2
    assert [item.asked.generation for item in items] == [
        generation[item.source.uid] + 1 for item in items
    ]
    members = Counter(root[uid] for uid, number in generation.items() if number)
    assert max(members.values()) == 4


# --- into the pool ---------------------------------------------------------------------------
@pytest.mark.parametrize("place", ["memory", "sqlite"])
def test_an_accepted_variant_is_in_the_pool_and_drawn(place: str, tmp_path: Path) -> None:
    store = "memory://" if place == "memory" else f"sqlite:///{tmp_path}/c.db"
    with augmented(store) as curriculum:
        drawn = play(curriculum, 60)
        made = variants(curriculum)
        assert {draw.uid for draw in drawn} & {row.uid for row in made}
        assert {row.parent for row in made} <= {row.uid for row in curriculum.rows}
        assert {row.factor for row in made} == {1.25}
        metrics = curriculum.metrics()
        assert metrics["variants"] == len(made) > 5
        assert metrics["variant_draws"] == sum(d.uid.startswith("variant") for d in drawn)
        states = curriculum.store.queue.counts().states
        assert states["inserted"] >= len(made) - 1
        assert (metrics["generated_rows"], metrics["forced_draws"]) == (0, 0)


def test_variants_have_their_share_of_the_draws() -> None:
    with augmented(draw_share=0.25, pool_share=0.9) as curriculum:
        play(curriculum, 100)
        assert len(variants(curriculum)) > len(seeds())
        drawn = play(curriculum, 256)
        made = [draw.uid.startswith("variant") for draw in drawn]
    assert max(sum(made[i : i + 128]) for i in range(128)) <= 32
    assert sum(made) > 45


def test_a_share_of_nothing_leaves_the_seeds() -> None:
    with augmented(draw_share=0.0) as curriculum:
        assert not any(d.uid.startswith("variant") for d in play(curriculum, 60))
        assert variants(curriculum)
        assert curriculum.metrics()["forced_draws"] == 0


def test_relatives_do_not_crowd_a_plan() -> None:
    with augmented(rows=seeds(4), relatives=1, pool_share=0.9, draw_share=1.0) as curriculum:
        play(curriculum, 60)
        assert len(variants(curriculum)) > 8
        root = {row.uid: row.uid for row in curriculum.rows}
        for row in variants(curriculum):
            root[row.uid] = root[row.parent]
        for _ in range(20):
            play(curriculum, 1, serving=False)
            planned = [curriculum.rows[entry.row].uid for entry in curriculum._plan.queue]
            assert max(Counter(root[uid] for uid in planned).values(), default=1) == 1


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (Row("seed-3", {}), "duplicate"),
        (Row("", {}), "no_task"),
        (Row("flat", {}, factor=0.0), "no_task"),
        (Row("ok", {}, prior_passes=3, prior_attempts=1), None),
        (Row("secret", {}), "heldout"),
    ],
    ids=["duplicate", "malformed", "no factor", "priors", "not admitted"],
)
@pytest.mark.parametrize("entry", ["cold", "estimate"])
def test_what_cannot_be_in_the_pool_is_refused_and_counted(
    row: Row, reason: str | None, entry: str
) -> None:
    config = {"group_size": 4, "augment": {"enabled": True, "entry": entry}}
    with Curriculum(
        seeds(), config, admit=lambda row: "heldout" if row.uid == "secret" else ""
    ) as curriculum:
        play(curriculum, 1, serving=False)
        serve(curriculum, lambda item: row)
        curriculum.ask()
        reasons = curriculum.store.queue.counts().reasons
        made = variants(curriculum)
    if reason is None:
        (entered,) = made
        assert (entered.prior_attempts == 0.0) == (entry == "cold")
        assert entered.prior_passes <= entered.prior_attempts
    else:
        assert made == []
        assert reasons == {("discarded", reason): 1}


def test_an_entry_by_estimate_believes_what_the_parent_tells() -> None:
    with augmented(entry="estimate", entry_rollouts=8.0) as curriculum:
        play(curriculum, 1)
        curriculum.ask()
        (made,) = variants(curriculum)
        place = curriculum.rows.index(made.parent)
        mean = curriculum.table()["mean"][place]
    assert made.prior_attempts == 8.0
    assert made.prior_passes == pytest.approx(8.0 * mean / 1.25)


# --- doubts ----------------------------------------------------------------------------------
def test_a_variant_that_nobody_solves_is_doubted_then_put_away() -> None:
    with augmented(capacity=1, watch={"rollouts": 8}) as curriculum:
        play(curriculum, 200, noisy, serving=False)
        serve(curriculum)
        play(curriculum, 200, noisy, serving=False)
        items = list(curriculum.store.queue.items())
        made = curriculum.rows.index("variant-1")
        visits = curriculum.table()["visits"]
        assert [item.asked.key for item in items if item.kind == RECHECK] == ["recheck/variant-1"]
        assert items[0].state == "quarantined"
        assert visits[made] == 4  # four groups of four: 8 rollouts to doubt, 8 more to be sure
        assert curriculum.store.queue.counts().reasons == {("quarantined", "never_solved"): 1}
        assert curriculum.metrics()["quarantined"] == 1
        play(curriculum, 100, noisy, serving=False)
        assert curriculum.table()["visits"][made] == 4


def test_another_answer_takes_the_place_of_a_doubted_one() -> None:
    def right(item: Augmentation) -> Row:
        return replace(child_of(item), uid=f"right-{item.source.uid}" if item.kind == RECHECK
                       else f"variant-{item.id}")  # fmt: skip

    with augmented(capacity=2, fan_out=1, watch={"rollouts": 8}) as curriculum:
        play(curriculum, 20, noisy, serving=False)
        serve(curriculum, right)
        for _ in range(50):
            play(curriculum, 2, noisy, serving=False)
            serve(curriculum, right)
        replaced = [row for row in curriculum.rows if row.uid.startswith("right")]
        reasons = curriculum.store.queue.counts().reasons
    assert len(replaced) == 2
    assert all(row.parent.startswith("seed") for row in replaced)
    assert reasons["quarantined", "answer_changed"] == 2


def test_a_variant_that_was_solved_once_is_not_doubted() -> None:
    tried: set[str] = set()

    def once(draw: Draw) -> list[float]:
        first = draw.uid not in tried
        tried.add(draw.uid)
        return MIXED if first else noisy(draw)

    with augmented(capacity=2, watch={"rollouts": 4}) as curriculum:
        drawn = play(curriculum, 150, once)
        assert sum(draw.uid == "variant-1" for draw in drawn) > 3
        assert not [item for item in curriculum.store.queue.items() if item.kind == RECHECK]


def test_what_fails_in_an_outage_is_no_reason_to_doubt_an_answer() -> None:
    tried: Counter[str] = Counter()

    def unlucky_once(draw: Draw) -> list[float]:
        tried[draw.uid] += draw.uid.startswith("variant")
        return FAILED if tried[draw.uid] == 1 else [*noisy(draw)[:3], 1.0]

    with augmented(capacity=4, draw_share=1.0, relatives=4, watch={"rollouts": 8}) as curriculum:
        play(curriculum, 300, noisy, serving=False)
        serve(curriculum)
        lost = play(curriculum, 20, lambda draw: FAILED, serving=False)
        assert curriculum.metrics()["outages"] == 1
        assert any(draw.uid.startswith("variant") for draw in lost)
        made = curriculum.rows.index("variant-1")
        play(curriculum, 100, unlucky_once, serving=False)
        assert min(curriculum.table()["visits"][made:]) > 2
        assert not [item for item in curriculum.store.queue.items() if item.kind == RECHECK]


# --- nobody makes them -----------------------------------------------------------------------
@pytest.mark.parametrize("place", ["memory", "sqlite"])
def test_a_queue_that_nobody_serves_is_warned_of_once(
    place: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    url = "memory://" if place == "memory" else f"sqlite:///{tmp_path}/c.db"
    with augmented(url, backlog=4) as curriculum:
        play(curriculum, 3, serving=False)
        assert "nothing has begun" not in caplog.text
        play(curriculum, 12, serving=False)
    assert caplog.text.count("4 new tasks are asked for, and nothing has begun to make one") == 1
    assert "a Curriculum alone makes none" in caplog.text


def test_a_short_queue_that_nobody_serves_is_warned_of_in_the_end(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("curriculum_env.engine.unserved.PATIENCE", 10)
    with augmented(fan_out=1, service="process") as curriculum:
        play(curriculum, 9, serving=False)
        assert not caplog.records
        play(curriculum, 3, serving=False)
    assert "start `curriculum-env augment memory://" in caplog.text


@pytest.mark.parametrize("sign", ["claim", "status"])
def test_a_queue_that_is_served_is_not_warned_of(
    sign: str, caplog: pytest.LogCaptureFixture
) -> None:
    with augmented(backlog=4) as curriculum:
        play(curriculum, 2, serving=False)
        if sign == "claim":
            assert curriculum.store.queue.claim("slow", 1, 60.0)
        else:
            curriculum.store.log_event(STATUS, {"state": "waiting", "reason": ""})
        play(curriculum, 12, serving=False)
    assert "nothing has begun" not in caplog.text
