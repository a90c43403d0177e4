from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curriculum_env import Curriculum
from curriculum_env.engine import load_state, save_state
from curriculum_env.errors import StateError, StoreError
from tests.engine.helpers import World, curriculum, outcomes, rows

RATES = np.random.default_rng(1).uniform(0.02, 0.98, 600).tolist()
SAMPLERS = ["survival", "uniform", "sequential", "greedy", "thompson", "band"]


def played(draws: int = 333, **settings: Any) -> World:
    world = World(curriculum(rows(300), **settings), RATES)
    world.play(draws)
    return world


def continued(world: World, engine: Curriculum) -> World:
    """The same world, its rollouts in flight and its randomness included, on another engine."""
    other = World(engine, RATES)
    other.waiting = type(world.waiting)(world.waiting)
    other._rng.bit_generator.state = world._rng.bit_generator.state
    return other


@pytest.mark.parametrize("estimator", ["irt", "beta", "ema"])
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_state_on_disk_resumes_exactly(sampler: str, estimator: str, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"sampler": {"type": sampler}, "estimator": {"type": estimator}}
    world = played(**settings)
    save_state(tmp_path, world.engine_state())
    engine = curriculum(rows(300), **settings)
    engine.load_state_dict(load_state(tmp_path))
    other = continued(world, engine)
    world.drawn, other.drawn = [], []
    world.play(400)
    other.play(400)
    assert world.drawn == other.drawn
    assert world.curriculum.metrics() == engine.metrics()
    for name, column in world.curriculum.table().items():
        assert np.array_equal(column, engine.table()[name]), name


def test_taking_the_state_changes_nothing() -> None:
    watched, alone = played(), played()
    for _ in range(20):
        watched.engine_state()
        watched.play(7)
        alone.play(7)
    assert watched.drawn == alone.drawn


@pytest.mark.parametrize("estimator", ["irt", "beta"])
def test_beliefs_survive_a_reordered_grown_and_shrunken_pool(estimator: str) -> None:
    """A row that is new is believed what the engine would have believed of it before."""
    world = played(estimator={"type": estimator})
    state = world.engine_state()
    known = {row.uid for row in world.curriculum.rows}
    world.curriculum.add(rows(600)[300:])
    before = dict(
        zip(*(world.curriculum.table()[k].tolist() for k in ("uid", "mean")), strict=True)
    )
    pool = [*rows(600)[::-1][:400], *rows(150)[::-1]]
    engine = curriculum(pool, estimator={"type": estimator})
    engine.load_state_dict(state)
    table = engine.table()
    for uid, mean, visits in zip(table["uid"], table["mean"], table["visits"], strict=True):
        assert mean == pytest.approx(before[str(uid)])
        assert visits == 0 or str(uid) in known
    drawn = [engine.ask() for _ in range(100)]
    assert {draw.uid for draw in drawn} <= {row.uid for row in pool}
    assert drawn[0].number == world.curriculum.draws


def test_only_json_and_plain_arrays_are_written(tmp_path: Path) -> None:
    save_state(tmp_path, played().engine_state())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["state.json", "state.npz"]
    json.loads((tmp_path / "state.json").read_text())
    with np.load(tmp_path / "state.npz", allow_pickle=False) as arrays:
        assert {"uid", "visits", "last_draw", "belief_shift_N"} <= set(arrays.files)


def test_a_missing_or_broken_state_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StateError, match=r"expected the state\.json and state\.npz"):
        load_state(tmp_path / "nowhere")
    save_state(tmp_path, played().engine_state())
    (tmp_path / "state.npz").write_bytes((tmp_path / "state.npz").read_bytes()[:100])
    with pytest.raises(StateError, match="no curriculum state could be read"):
        load_state(tmp_path)
    save_state(tmp_path, played().engine_state())
    (tmp_path / "state.json").write_text("{")
    with pytest.raises(StateError):
        load_state(tmp_path)


def test_files_of_two_saves_are_refused(tmp_path: Path) -> None:
    save_state(tmp_path / "a", played().engine_state())
    save_state(tmp_path / "b", played(20).engine_state())
    (tmp_path / "a" / "state.json").write_bytes((tmp_path / "b" / "state.json").read_bytes())
    with pytest.raises(StateError, match="different saves"):
        load_state(tmp_path / "a")


def test_another_version_estimator_or_rule_is_refused() -> None:
    state = played().engine_state()
    engine = curriculum(rows(300))
    for wrong, words in (
        ({**state, "version": 99}, "version 99; expected 1"),
        ([], "version 'list'; expected 1"),
        ({**state, "estimator": "ema"}, "estimator 'ema', the curriculum 'irt'"),
        ({**state, "rule": "plr"}, "rule 'plr', the curriculum 'gain'"),
    ):
        with pytest.raises(StateError, match=words):
            engine.load_state_dict(wrong)  # type: ignore[arg-type]
    engine.load_state_dict(state)
    engine.ask()


@pytest.mark.parametrize("part", ["plan", "grader", "arrays", "sampler", "diversity", "cursor"])
def test_a_damaged_state_is_refused_and_closes_the_curriculum(part: str) -> None:
    state = played().engine_state()
    del state[part]
    engine = curriculum(rows(300))
    with pytest.raises(StateError, match="the curriculum state is damaged"):
        engine.load_state_dict(state)
    with pytest.raises(StoreError):
        engine.ask()


def test_beside_another_store_nothing_new_is_missed(tmp_path: Path) -> None:
    """Cursors and draw numbers mean something in their own store only."""
    world = played()
    state = world.engine_state()
    for url in ("memory://", f"sqlite:///{tmp_path / 'new.db'}"):
        with curriculum(rows(300), url) as engine:
            engine.load_state_dict(state)
            draws = [engine.ask() for _ in range(5)]
            assert draws[0].number == world.curriculum.draws
            groups = engine.metrics()["groups"]
            for draw in draws:
                engine.store.record(outcomes(draw, [1.0, 0.0] * 4))
            assert engine.sync(5.0) == 40
            assert engine.metrics()["groups"] == groups + 5
