from __future__ import annotations

import json
from pathlib import Path

import pytest
from reasoning_gym_curriculum import child, stored
from reasoning_gym_curriculum.dataset import held_out, heldout_rows, train_rows

FAMILIES = ("chain_sum", "maze", "tower_of_hanoi")


def test_the_splits_are_distinct_and_share_no_question() -> None:
    train, heldout = train_rows(200, 0, FAMILIES), heldout_rows(FAMILIES)
    assert len({row.uid for row in train}) == len(train) == 200
    assert len({row.uid for row in heldout}) == len(heldout) == 5 + 3 + 4
    assert not any(held_out(row.data["question"]) for row in train)
    assert all(held_out(row.data["question"]) for row in heldout)


def test_the_same_seed_gives_the_same_tasks_and_another_seed_others() -> None:
    first = train_rows(30, 0, FAMILIES)
    train_rows.cache_clear()
    assert train_rows(30, 0, FAMILIES) == first
    other = {row.uid for row in train_rows(30, 1, ("maze",))}
    assert not other & {row.uid for row in train_rows(30, 0, ("maze",))}


def test_families_and_levels_take_turns() -> None:
    rows = train_rows(24, 0, FAMILIES)
    assert [row.domain for row in rows[:3]] == [*FAMILIES]
    assert {row.level for row in rows if row.domain == "chain_sum"} == set("12345")
    assert all(row.features["level"] == int(row.level) for row in rows)
    hardest = next(row for row in rows if row.bucket == ("chain_sum", "5"))
    assert hardest.features["num_terms"] > 5


def test_levels_may_be_chosen() -> None:
    assert {row.level for row in train_rows(20, 0, FAMILIES, (1, 3))} == {"1", "3"}


def test_a_family_with_few_questions_leaves_its_share_to_the_others() -> None:
    rows = train_rows(120, 0, ("chain_sum", "tower_of_hanoi"), (1,))
    hanoi = [row for row in rows if row.domain == "tower_of_hanoi"]
    assert 0 < len(hanoi) < 10
    assert len(rows) == 120


def test_a_family_that_is_not_there() -> None:
    with pytest.raises(ValueError, match=r"families names chess.*chain_sum"):
        train_rows(10, 0, ("chess",))


def test_what_was_made_is_read_the_next_time(monkeypatch: pytest.MonkeyPatch) -> None:
    made = stored.make("chain_sum", 1, 7, 0, 3)
    monkeypatch.setattr(child, "make", None)
    assert stored.make("chain_sum", 1, 7, 0, 3) == made


def test_a_file_cut_short_is_made_anew() -> None:
    made = stored.make("chain_sum", 1, 8, 0, 3)
    file = stored.folder() / "chain_sum" / "1-8-0-3.json"
    assert len(json.loads(file.read_text())) == 3
    file.write_text(file.read_text()[:20])
    assert stored.make("chain_sum", 1, 8, 0, 3) == made
    assert len(json.loads(file.read_text())) == 3


def test_a_home_that_cannot_be_written_to_costs_only_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert len(stored.make("chain_sum", 1, 9, 0, 3)) == 3
