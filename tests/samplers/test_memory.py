from __future__ import annotations

import numpy as np
import pytest

from curriculum_env.samplers.memory import Memory
from curriculum_env.samplers.weighted import in_proportion, joined, nearest
from tests.samplers.rule_views import fresh, rows, rows_of


def test_only_what_was_learned_is_saved_and_follows_its_row() -> None:
    memory, pool = Memory(score=-1.0, count=0.0), rows_of(*[""] * 6)
    memory.add(pool)
    memory["score"][2] = 0.5
    memory["count"][4] = 3.0
    state = memory.state_dict()
    assert state == {"uid": ["0002", "0004"], "score": [0.5, -1.0], "count": [0.0, 3.0]}
    shrunk = Memory(score=-1.0, count=0.0)
    shrunk.add(pool[:3:-1] + pool[:2])
    shrunk["score"][0] = 7.0
    shrunk.load_state_dict(state)
    assert shrunk["score"].tolist() == [-1.0] * 4
    assert shrunk["count"].tolist() == [0.0, 3.0, 0.0, 0.0]


def test_in_proportion_leaves_out_the_weightless_and_the_unavailable() -> None:
    view = fresh(4)
    view.available_N[3] = False
    choice = in_proportion(np.array([3.0, 0.0, 1.0, 9.0]), 4, view)
    assert sorted(rows(choice)) == [0, 2]
    share = dict(zip(rows(choice), choice.propensity_K.tolist(), strict=True))
    assert share == pytest.approx({0: 0.75, 2: 0.25})
    assert rows(in_proportion(np.zeros(4), 4, view)) == []


def test_joined_keeps_the_first_of_the_same_row() -> None:
    view = fresh(3)
    one, two = (
        nearest(np.array([0.0, 1.0, 2.0]), 2, view),
        nearest(np.array([2.0, 1.0, 0.0]), 2, view),
    )
    assert rows(joined(one, two)) == [0, 1, 2]
