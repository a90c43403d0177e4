from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from curriculum_env.config import CurriculumConfig
from curriculum_env.sim import World, play
from curriculum_env.sim.breeding import Breeder
from curriculum_env.sim.serving import serve
from curriculum_env.sim.setting import SMALL_POOLS, Setting
from curriculum_env.sim.world import Rolled
from curriculum_env.store import open_store
from curriculum_env.store.queue import RECHECK, Asked, Augmentation
from curriculum_env.types import Draw, Row

SURE = replace(SMALL_POOLS["small"], heldout=60, refused=0.0, broken=0.0)
MADE = 400


def asked(world: World, source: int, kind: str = "numbers") -> Augmentation:
    return Augmentation(1, Asked("key", kind, 0, world.rows[source]))


def bred(setting: Setting, kind: str = "numbers") -> tuple[World, Breeder, list[Row | str]]:
    world = World(setting, 0)
    alive = int(np.flatnonzero(~world.tasks.dead_N & (world.tasks.difficulty_N > -7.0))[0])
    breeder = Breeder(world, 0)
    return world, breeder, [breeder.make(asked(world, alive, kind)) for _ in range(MADE)]


@pytest.mark.parametrize(("kind", "logits"), [("numbers", 0.0), ("harder", 0.7), ("easier", -0.7)])
def test_a_variant_is_about_as_hard_as_its_parent(kind: str, logits: float) -> None:
    world, _, made = bred(SURE, kind)
    rows = [row for row in made if isinstance(row, Row)]
    assert len(world.tasks) == len(world.rows) == SURE.tasks + MADE
    parent = world.place(rows[0].parent)
    places = [world.place(row.uid) for row in rows]
    apart_N = world.tasks.difficulty_N[places] - world.tasks.difficulty_N[parent]
    assert apart_N.mean() == pytest.approx(logits, abs=0.1)
    assert apart_N.std() == pytest.approx(SURE.near, rel=0.15)
    assert (world.tasks.first_N[places] == world.tasks.first_N[parent]).all()
    assert all(0.75 <= row.factor <= 1.33 for row in rows)
    factor_N = np.array([row.factor for row in rows])
    assert np.corrcoef(factor_N, apart_N)[0, 1] > 0.6
    assert world.pass_rate(places[0]) == pytest.approx(world.pass_rates()[places[0]])


def test_some_are_refused_and_some_have_a_wrong_answer() -> None:
    world, breeder, made = bred(replace(SURE, refused=0.25, broken=0.2))
    accepted = [row for row in made if isinstance(row, Row)]
    assert len(accepted) / MADE == pytest.approx(0.75, abs=0.08)
    assert len(breeder.broken) / len(accepted) == pytest.approx(0.2, abs=0.08)
    wrong = {row.uid for row in accepted if world.pass_rate(world.place(row.uid)) == 0.0}
    assert wrong == breeder.broken
    assert breeder.make(asked(world, 0, RECHECK)) == "unchanged"


def test_variants_of_what_nobody_solves_are_unsolved() -> None:
    world = World(SURE, 0)
    dead = int(np.flatnonzero(world.tasks.dead_N)[0])
    row = Breeder(world, 0).make(asked(world, dead))
    assert isinstance(row, Row)
    assert world.pass_rate(world.place(row.uid)) == 0.0


def test_relatives_wear_each_other_out_by_the_share_of_kin() -> None:
    kin = replace(SURE, kin=0.5)
    world, _, made = bred(kin)
    first, second = (world.place(row.uid) for row in made[:2] if isinstance(row, Row))
    stranger = next(i for i in range(SURE.tasks) if world.rows[i].uid != world.rows[first].parent)
    group = Rolled(Draw(0, world.rows[first].uid, 1.0, 0.0), first, [1.0, 0.0] * 4, [1.0, 0.0] * 4)
    world.learn(group)
    assert world.fresh(first) == pytest.approx(kin.fresh)
    assert world.fresh(second) == pytest.approx(kin.fresh**0.5)
    assert world.fresh(stranger) == 1.0


def test_serving_settles_all_that_is_asked_for() -> None:
    store = open_store("memory://serving")
    seeds = [Row(f"s{i}", {}) for i in range(70)]
    store.queue.ask([Asked(row.uid, "numbers", 0, row) for row in seeds])

    def make(item: Augmentation) -> Row | str:
        even = item.id % 2 == 0
        return Row(f"v{item.id}", {}, parent=item.source.uid) if even else "unsolvable"

    assert serve(store.queue, make) == 35
    assert serve(store.queue, make) == 0
    counts = store.queue.counts()
    assert (counts.states["accepted"], counts.reasons["discarded", "unsolvable"]) == (35, 35)


def test_a_small_pool_grows_in_play_and_the_policy_gains_by_it() -> None:
    setting = replace(SMALL_POOLS["small"], heldout=300, budget=16_000, gain=0.03)
    off, on = (
        play("x", CurriculumConfig.model_validate({"augment": {"enabled": enabled}}), setting, 0)
        for enabled in (False, True)
    )
    assert (off.variants, off.variant_share, off.wrong_share) == (0, 0.0, 0.0)
    assert on.variants > 300
    assert 0.3 < on.variant_share < 1.0
    assert 0.0 < on.wrong_share < 0.1
    assert on.final > off.final + 0.05
