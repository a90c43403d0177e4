"""Two processes over gloo. Starting them is dear, so one start plays every case."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
CASES = ["plain", "accumulated", "straddling"]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("processes")
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    run = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    done = subprocess.run(
        [*run, "-m", "tests.adapters.trl.in_processes", str(folder)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads((folder / "seen.json").read_text())


@pytest.mark.parametrize("case", CASES)
def test_a_resumed_run_is_the_same_to_the_bit(seen: Any, case: str) -> None:
    assert seen[case]["equal"] == [True, True]
    assert seen[case]["again"][0] == seen[case]["draws"][0][-len(seen[case]["again"][0]) :]
    assert len(seen[case]["again"][0]) < len(seen[case]["draws"][0])


@pytest.mark.parametrize("case", CASES)
def test_the_processes_draw_and_learn_the_same(seen: Any, case: str) -> None:
    first, second = seen[case]["draws"]
    assert first == second
    assert len(set(seen[case]["alike"])) == 1
    assert len(set(seen[case]["heldout"])) == 1


@pytest.mark.parametrize("case", CASES)
def test_draws_have_seen_every_earlier_reward_of_both(seen: Any, case: str) -> None:
    sizes = [4 * len(draws) for draws in seen[case]["draws"][0]]
    assert seen[case]["known"][0] == [sum(sizes[:place]) for place in range(len(sizes))]


@pytest.mark.parametrize("case", CASES)
def test_no_group_mixes_prompts(seen: Any, case: str) -> None:
    for draws, prompts in zip(seen[case]["draws"][0], seen[case]["prompts"], strict=True):
        expected = [
            [number, f"{int(uid.removeprefix('letter-')):03d}:"]
            for number, uid in draws
            for _ in range(4)
        ]
        assert prompts == expected


@pytest.mark.parametrize("case", ["plain", "accumulated"])
def test_advantages_are_those_of_the_group(seen: Any, case: str) -> None:
    first, second = seen[case]["advantages"]
    for mine, theirs, rewards in zip(first, second, seen[case]["rewards"], strict=True):
        for place, advantage in enumerate(mine + theirs):
            group = [row[0] for row in rewards[place - place % 4 :][:4]]
            assert advantage * (rewards[place][0] - sum(group) / 4) >= 0
            assert (advantage == 0) == (len(set(group)) == 1)


def test_living_groups_fill_the_batches_of_both(seen: Any) -> None:
    case = seen["straddling"]
    assert case["sizes"] == [[6] * 4] * 2
    assert case["zero_std"] == [0.0] * 4
    assert len(case["draws"][0]) > 4
    advantages = [mine + theirs for mine, theirs in zip(*case["advantages"], strict=True)]
    for batch in advantages:
        for first in range(0, 12, 4):
            assert sum(batch[first : first + 4]) == pytest.approx(0, abs=1e-4)
            assert any(batch[first : first + 4])


def test_an_error_of_the_main_process_reaches_both(seen: Any) -> None:
    assert seen["ask"]["heard"] == [["OwnerError", "somebody else draws"]] * 2
    own, other = seen["tell"]["heard"]
    assert own == ["OSError", "disk full"]
    assert other == ["CurriculumError", "the main process failed with OSError: disk full"]
