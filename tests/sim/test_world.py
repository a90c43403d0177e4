from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from curriculum_env.sim import SETTINGS, Setting, World
from curriculum_env.sim.policy import Policy, group_signal, transfer
from curriculum_env.sim.world import Rolled
from curriculum_env.types import Draw

SMALL = replace(SETTINGS["features"], tasks=200, heldout=300)


def draw(
    world: World, row: int, number: int = 0, rollouts: int = 0, continues: int | None = None
) -> Draw:
    return Draw(number, world.rows[row].uid, 1.0, 0.0, rollouts=rollouts, continues=continues)


def perfect(world: World, row: int, size: int = 8) -> Rolled:
    """A group of full signal: half of it right."""
    half_G = [1.0, 0.0] * (size // 2)
    return Rolled(draw(world, row), row, half_G, half_G)


def train(world: World, row: int, groups: int) -> None:
    for _ in range(groups):
        world.learn(perfect(world, row))


def waste(world: World, row: int, groups: int) -> None:
    for _ in range(groups):
        world.learn(Rolled(draw(world, row), row, [0.0] * 8, [0.0] * 8))


def alive(world: World) -> int:
    """A task of one skill, neither dead nor solved."""
    tasks = world.tasks
    one = ~tasks.dead_N & (tasks.difficulty_N > -7.0) & (tasks.first_N == tasks.second_N)
    return int(np.flatnonzero(one)[0])


@pytest.mark.parametrize(("passed", "signal"), [(0, 0.0), (1, 0.6614), (4, 1.0), (8, 0.0)])
def test_signal_is_twice_the_deviation_where_the_checker_is_right(
    passed: int, signal: float
) -> None:
    reward_G = [1.0] * passed + [0.0] * (8 - passed)
    assert group_signal(reward_G, reward_G) == pytest.approx(signal, abs=1e-4)
    assert group_signal(reward_G, reward_G) == pytest.approx(2 * np.std(reward_G))


def test_an_accepted_wrong_answer_looks_alive_and_teaches_nothing() -> None:
    assert group_signal([1.0] + [0.0] * 7, [0.0] * 8) == 0.0
    honest = group_signal([1.0] * 4 + [0.0] * 4, [1.0] * 4 + [0.0] * 4)
    fooled = group_signal([1.0] * 5 + [0.0] * 3, [1.0] * 4 + [0.0] * 4)
    assert 0.0 < fooled < honest


def test_transfer_falls_with_distance_and_is_small_across_domains() -> None:
    setting = replace(SMALL, transfer=0.5, across=0.1)
    transfer_SS = transfer(setting)
    assert transfer_SS[:3, 0].tolist() == [1.0, 0.5, 0.25]
    assert transfer_SS[5:8, 0] == pytest.approx([0.1, 0.05, 0.025])
    assert (transfer_SS == transfer_SS.T).all()


def test_worlds_of_one_seed_differ_only_in_what_is_drawn() -> None:
    setting = replace(SMALL, drift=0.05, forget=0.0, interference=0.0)
    one, other = World(setting, 3), World(setting, 3)
    assert one.rows == other.rows
    assert one.accuracy()[0] == other.accuracy()[0]
    row = alive(one)
    for _ in range(20):
        train(one, row, setting.batch)
        waste(other, row, setting.batch)
    first = int(one.tasks.first_N[row])
    untouched = (first + setting.skills) % len(one.policy.ability)
    gained = np.array(one.policy.ability) - np.array(other.policy.ability)
    assert gained[first] > gained[untouched] > 0.0
    assert World(setting, 4).accuracy()[0] != World(setting, 3).accuracy()[0]


def test_a_dead_task_never_passes_and_the_checker_errs_at_its_rate() -> None:
    world = World(replace(SMALL, false_accept=0.05), 0)
    dead = int(np.flatnonzero(world.tasks.dead_N)[0])
    rolled = [world.roll(draw(world, dead, number)) for number in range(500)]
    assert not any(any(group.solved_G) for group in rolled)
    accepted = np.mean([group.reward_G for group in rolled])
    assert accepted == pytest.approx(0.05, abs=0.01)


def test_rollouts_pass_at_the_true_rate() -> None:
    world = World(SMALL, 0)
    row = alive(world)
    passed = np.mean([world.roll(draw(world, row, number)).reward_G for number in range(500)])
    p = world.pass_rate(row)
    assert passed == pytest.approx(p, abs=4 * (p * (1 - p) / 4000) ** 0.5)
    assert world.pass_rates()[row] == pytest.approx(p)


def test_graded_rewards_are_shares_of_the_parts() -> None:
    world = World(replace(SMALL, parts=(4,)), 0)
    rewards = world.roll(draw(world, alive(world))).reward_G
    assert all((4 * reward).is_integer() for reward in rewards)


def test_each_revisit_generalises_less_and_is_learned_by_heart() -> None:
    setting = replace(SMALL, forget=0.0, adaptive=0.0, batch=1)
    world = World(setting, 0)
    row = alive(world)
    skill = int(world.tasks.first_N[row])
    abilities = [0.0]
    for _ in range(4):
        train(world, row, 1)
        abilities.append(world.policy.ability[skill])
    gains = np.diff(abilities)
    assert gains == pytest.approx(setting.gain * setting.fresh ** np.arange(4.0))
    logit = np.log(world.pass_rate(row) / (1.0 - world.pass_rate(row)))
    assert logit + world.tasks.difficulty_N[row] == pytest.approx(4 * setting.gain)


def test_many_tasks_teach_more_than_one_task_as_often() -> None:
    few, many = World(SMALL, 0), World(SMALL, 0)
    one = alive(few)
    same_skill = np.flatnonzero(many.tasks.first_N == many.tasks.first_N[one])[:20].tolist()
    train(few, one, 160)
    for _ in range(8):
        for row in same_skill:
            train(many, row, 1)
    assert many.accuracy()[0] - few.accuracy()[0] > 0.0


def test_a_screened_and_continued_group_teaches_what_the_whole_would() -> None:
    setting = replace(SMALL, adaptive=0.0, forget=0.0, interference=0.0, fresh=1.0, batch=1)
    parts, whole = World(setting, 0), World(setting, 0)
    row = alive(parts)
    screen, rest = [1.0, 0.0, 0.0, 0.0], [1.0] * 10 + [0.0] * 10
    parts.learn(Rolled(draw(parts, row, 7, rollouts=4), row, screen, screen))
    parts.learn(Rolled(draw(parts, row, 8, rollouts=20, continues=7), row, rest, rest))
    whole.learn(Rolled(draw(whole, row), row, screen + rest, screen + rest))
    waste(parts, row, 1)
    assert parts.policy.ability == pytest.approx(whole.policy.ability)


def test_what_is_not_trained_is_forgotten_and_slow_domains_learn_slowly() -> None:
    setting = replace(SMALL, forget=0.1, speeds=(2.0, 1.0, 0.5), interference=0.0)
    policy = Policy(replace(setting, across=0.0, batch=1), 0)
    for skill in (0, 5, 10):
        policy.learn(skill, skill, 1.0, 1.0, 1.0)
    policy.update()
    learned = np.array(policy.ability)[[0, 5, 10]]
    assert learned / learned[1] == pytest.approx([2.0, 1.0, 0.5])
    policy.learn(0, 0, 0.0, 1.0, 1.0)
    policy.update()
    assert np.array(policy.ability)[[0, 5, 10]] == pytest.approx(0.9 * learned)


def test_what_a_batch_leaves_out_loses_to_what_it_trains() -> None:
    def learned(pushed: dict[int, float]) -> np.ndarray:
        setting = replace(SMALL, interference=2.0, forget=0.0, adaptive=0.0, transfer=0.0)
        policy = Policy(replace(setting, across=0.0, gain=1.0, speeds=(1.0,), batch=1), 0)
        for skill, signal in pushed.items():
            policy.learn(skill, skill, signal, 1.0, 1.0)
        policy.update()
        return np.array(policy.ability)

    assert learned(dict.fromkeys(range(5), 1.0)) == pytest.approx(1.0)
    assert learned({0: 1.0}) == pytest.approx([1.0, *[-0.4] * 4])
    assert learned({0: 3.0, 1: 1.0}) == pytest.approx([3.0, 1.0 - 0.8, *[-1.2] * 3])
    assert learned({0: 0.0}) == pytest.approx(0.0)


def test_of_several_domains_each_interferes_within_itself_and_the_newest_batch_counts_most() -> (
    None
):
    setting = replace(SMALL, interference=2.0, forget=0.0, adaptive=0.0, transfer=0.0, across=0.0)
    setting = replace(setting, gain=1.0, speeds=(1.0, 1.0, 1.0))
    policy = Policy(setting, 0)
    policy.learn(0, 0, 1.0, 1.0, 1.0)
    policy.update()
    first = [1.0, *[-0.2] * 4]  # of three domains the newest batch weighs 2 / (3 + 1)
    assert policy.ability == pytest.approx([*first, *[0.0] * 10])
    policy.learn(5, 5, 1.0, 1.0, 1.0)
    policy.update()
    assert policy.ability == pytest.approx([1.0, *[-0.3] * 4, *first, *[0.0] * 5])


def test_a_task_leans_on_its_easier_skill() -> None:
    setting = replace(SMALL, lean=0.8, single=0.0, spread=0.0, dead=0.0, solved=0.0)
    setting = replace(setting, adaptive=0.0, forget=0.0, interference=0.0)
    world = World(replace(setting, transfer=0.0, across=0.0), 0)
    tasks = world.tasks
    row = int(np.flatnonzero(tasks.second_N - tasks.first_N == 2)[0])
    easier, harder = int(tasks.first_N[row]), int(tasks.second_N[row])
    place = 0.8 * (easier % setting.skills) + 0.2 * (harder % setting.skills)
    assert tasks.difficulty_N[row] == pytest.approx(setting.step * place - setting.easiest)
    train(world, row, setting.batch)
    ability = world.policy.ability
    assert ability[easier] == pytest.approx(4.0 * ability[harder])
    skill = 0.8 * ability[easier] + 0.2 * ability[harder]
    p = world.pass_rate(row)
    heart = world.by_heart(row)
    assert np.log(p / (1.0 - p)) == pytest.approx(skill + heart - tasks.difficulty_N[row])
    assert world.pass_rates()[row] == pytest.approx(p)


def test_the_levels_of_pairs_name_both_skills_in_either_order() -> None:
    world = World(replace(SMALL, pairs=True), 0)
    levels = [[int(skill) - 1 for skill in row.level.split("+")] for row in world.rows]
    needed = np.stack([world.tasks.first_N, world.tasks.second_N], axis=1) % SMALL.skills
    assert np.sort(levels, axis=1).tolist() == needed.tolist()
    assert {one < other for one, other in levels if one != other} == {True, False}


def test_gains_do_not_fall_in_proportion_where_the_optimizer_rescales() -> None:
    def gained(adaptive: float, share: float) -> float:
        policy = Policy(replace(SMALL, adaptive=adaptive, forget=0.0), 0)
        for _ in range(100):
            policy.learn(0, 0, 16 * share, 1.0, 16.0)
            policy.update()
        return policy.ability[0]

    assert gained(0.0, 0.8) / gained(0.0, 0.2) == pytest.approx(4.0)
    assert gained(0.5, 0.8) / gained(0.5, 0.2) == pytest.approx(2.0)


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=list(SETTINGS))
def test_the_pool_is_what_the_setting_says(setting: Setting) -> None:
    world = World(setting, 0)
    tasks = world.tasks
    assert tasks.dead_N.mean() == pytest.approx(setting.dead, abs=0.03)
    assert not world.heldout.dead_N.any()
    assert {row.level != "" for row in world.rows} == {setting.known}
    assert len({row.domain for row in world.rows}) == (setting.domains if setting.known else 1)
    skill_count = np.bincount(world.heldout.domain_N)
    assert skill_count == pytest.approx(setting.heldout / setting.domains, rel=0.15)
