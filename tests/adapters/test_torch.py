from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from torch.utils.data import DataLoader, Dataset

from curriculum_env import Curriculum, CurriculumConfig, Row
from curriculum_env.adapters.torch import CurriculumSampler
from curriculum_env.engine import load_state, save_state
from curriculum_env.errors import RewardError

ROWS = [Row(f"{number:03}", {"number": number}) for number in range(200)]
BATCH = 4


class Prompts(Dataset[int]):
    def __len__(self) -> int:
        return len(ROWS)

    def __getitem__(self, index: int) -> int:
        number: int = ROWS[index].data["number"]
        return number


@pytest.fixture
def curriculum() -> Iterator[Curriculum]:
    with opened() as made:
        yield made


def opened() -> Curriculum:
    return Curriculum(ROWS, CurriculumConfig(group_size=2, seed=3))


def loader(sampler: CurriculumSampler, workers: int = 0, prefetch: int | None = None) -> Any:
    return DataLoader(
        Prompts(), BATCH, sampler=sampler, num_workers=workers, prefetch_factor=prefetch,
        persistent_workers=False,
    )  # fmt: skip


@pytest.mark.parametrize(("workers", "prefetch"), [(0, None), (1, 1), (1, 3), (2, 2)])
def test_a_batch_is_chosen_ahead_by_workers_times_prefetch(
    curriculum: Curriculum, workers: int, prefetch: int | None
) -> None:
    length = 64
    sampler = CurriculumSampler(curriculum, length)
    seen = []
    for batch in loader(sampler, workers, prefetch):
        for index in batch.tolist():
            sampler.tell(index, [1.0, 0.0])
            seen.append(index)
    ahead = workers * (prefetch or 0) * BATCH
    metrics = sampler.metrics()
    assert metrics["staleness_max"] == ahead + BATCH - 1
    filling = sum(range(ahead))
    full = sum(ahead + within for within in range(BATCH)) * (length - ahead) // BATCH
    assert metrics["staleness_mean"] == (filling + full) / length
    assert metrics["open_draws"] == 0
    assert len(seen) == len(sampler) == length
    assert curriculum.metrics()["groups"] == length


def test_rewards_reach_the_row_they_are_of(curriculum: Curriculum) -> None:
    sampler = CurriculumSampler(curriculum, 120)
    for batch in loader(sampler):
        for index in batch.tolist():
            sampler.tell(index, [float(index % 2)] * 2)
    table = curriculum.table()
    drawn = table["visits"] > 0
    assert (table["mean"][drawn & (table["uid"].astype(int) % 2 == 1)] > 0.5).all()
    assert (table["mean"][drawn & (table["uid"].astype(int) % 2 == 0)] < 0.5).all()


def test_a_failed_rollout_teaches_nothing(curriculum: Curriculum) -> None:
    sampler = CurriculumSampler(curriculum)
    index = next(iter(sampler))
    sampler.tell(index, [None, None])
    assert curriculum.metrics()["error"] == 2
    assert curriculum.table()["mean"][index] == pytest.approx(0.5)


def test_a_row_drawn_twice_keeps_both_draws() -> None:
    with Curriculum(ROWS[:1], CurriculumConfig(group_size=1)) as curriculum:
        sampler = CurriculumSampler(curriculum, 2)
        assert list(sampler) == [0, 0]
        sampler.tell(0, [1.0])
        sampler.tell(0, [0.0])
        assert curriculum.metrics()["groups"] == 2
        with pytest.raises(RewardError, match="row 0 has no open draw"):
            sampler.tell(0, [1.0])


def test_a_reward_that_is_no_number_leaves_the_draw_open(curriculum: Curriculum) -> None:
    sampler = CurriculumSampler(curriculum)
    index = next(iter(sampler))
    with pytest.raises(RewardError, match="has reward nan"):
        sampler.tell(index, [1.0, float("nan")])
    assert curriculum.metrics()["outcomes"] == 0
    sampler.tell(index, [1.0, 0.0])
    assert curriculum.metrics()["groups"] == 1


def test_what_was_asked_for_ahead_is_given_again_after_a_restart(tmp_path: Path) -> None:
    with opened() as curriculum:
        sampler = CurriculumSampler(curriculum, 64)
        batches = iter(loader(sampler, workers=1, prefetch=2))
        for _ in range(3):
            for index in next(batches).tolist():
                sampler.tell(index, [1.0, 0.0])
        save_state(tmp_path, sampler.state_dict())
        following = [next(batches).tolist() for _ in range(2)]
        del batches
    with opened() as curriculum:
        sampler = CurriculumSampler(curriculum, 64)
        sampler.load_state_dict(load_state(tmp_path))
        again = iter(loader(sampler))
        assert [next(again).tolist() for _ in range(2)] == following
        for index in (index for batch in following for index in batch):
            sampler.tell(index, [0.0, 1.0])
        assert curriculum.metrics()["groups"] == 20
        assert sampler.metrics()["open_draws"] == 0


def test_an_endless_sampler_has_no_length(curriculum: Curriculum) -> None:
    sampler = CurriculumSampler(curriculum)
    with pytest.raises(TypeError, match="never ends"):
        len(sampler)
    with pytest.raises(ValueError, match="length is 0"):
        CurriculumSampler(curriculum, 0)


def test_the_example_learns() -> None:
    example = Path(__file__).parents[2] / "examples" / "any_loop.py"
    done = subprocess.run([sys.executable, example], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    start, rho, end = (float(line.split()[-1]) for line in done.stdout.splitlines())
    assert end > start + 0.3
    assert 0 < rho < 1
