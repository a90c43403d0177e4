from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from arithmetic_curriculum.dataset import held_out as kept_by_the_environment

from curriculum_env.sim.tiny.text import prompt_ids
from curriculum_env.sim.tiny.warm import any_sum, cache_folder, held_out, save, school, schooled
from tests.sim.tiny.schools import BRIEF


def test_what_is_held_out_is_what_the_environment_holds_out() -> None:
    rng = random.Random(0)
    pairs = [(rng.randrange(10**n), rng.randrange(10**m)) for n in range(1, 6) for m in range(1, 6)]
    pairs += [(a, b) for a in range(12) for b in range(12)]
    assert [held_out(a, b) for a, b in pairs] == [
        kept_by_the_environment(("+", a, b)) for a, b in pairs
    ]


def test_no_sum_at_school_is_held_out() -> None:
    rng = random.Random(0)
    pairs = [any_sum(rng, (1.0, 1.0)) for _ in range(2000)]
    assert not any(held_out(a, b) for a, b in pairs)
    assert {len(str(a)) for a, _ in pairs} == {1, 2}


def test_the_second_time_it_comes_from_the_cache(tmp_path: Path) -> None:
    steps: list[int] = []
    first = schooled(BRIEF, tmp_path, steps.append)
    second = schooled(BRIEF, tmp_path, steps.append)
    assert steps == [1, 2, 3]
    tokens = torch.tensor([prompt_ids("1+2")])
    assert torch.equal(first(tokens), second(tokens))
    assert [path.suffix for path in tmp_path.iterdir()] == [".npz"]


def test_another_schooling_has_another_key_and_the_same_one_the_same(tmp_path: Path) -> None:
    others = [replace(BRIEF, seed=1), replace(BRIEF, steps=4), replace(BRIEF, weights=(1.0,))]
    assert len({BRIEF.key, *(other.key for other in others)}) == 4
    assert replace(BRIEF).key == BRIEF.key


def test_schooling_is_reproducible_and_leaves_the_global_seed_alone() -> None:
    torch.manual_seed(7)
    wanted = torch.rand(3)
    torch.manual_seed(7)
    one, other = school(BRIEF), school(BRIEF)
    assert torch.equal(torch.rand(3), wanted)
    assert torch.equal(one.head.weight, other.head.weight)


def test_a_file_cut_short_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / f"tiny-{BRIEF.key}.npz"
    policy = schooled(BRIEF, tmp_path)
    path.write_bytes(path.read_bytes()[:1000])
    again = schooled(BRIEF, tmp_path)
    assert torch.equal(policy.head.weight, again.head.weight)
    assert path.stat().st_size > 1000


def test_the_cache_is_where_the_user_wants_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "curriculum-env"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "curriculum-env"


def test_saving_leaves_nothing_half_written(tmp_path: Path) -> None:
    save(school(BRIEF), tmp_path / "deep" / "policy.npz")
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["policy.npz"]
