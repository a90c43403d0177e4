from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import verifiers.v1 as vf

from curriculum_env import Row
from curriculum_env.errors import ConfigError, PoolError, RewardError
from tests.adapters.trl.letters import Letters, LettersConfig, LetterTask
from tests.adapters.trl.training import series, trainer


def test_evaluation_is_on_the_held_out_split_and_teaches_nothing(tmp_path: Path) -> None:
    one = trainer(
        tmp_path, max_steps=2, eval_strategy="steps", eval_steps=1, per_device_eval_batch_size=8
    )
    told: list[float] = []
    one.curriculum.tell_heldout = told.append
    one.train()
    held = series(one, "eval_curriculum/heldout")
    assert held == series(one, "eval_rewards/rubric/mean")
    assert len(held) == 2
    assert told == held
    assert one.curriculum.metrics()["outcomes"] == 32
    assert series(one, "curriculum/outcomes") == [16, 32]


def test_evaluation_by_hand(tmp_path: Path) -> None:
    one = trainer(tmp_path, num_generations_eval=1, per_device_eval_batch_size=4)
    metrics = one.evaluate()
    assert 0 <= metrics["eval_curriculum/heldout"] <= 1
    assert one.curriculum.metrics()["draws"] == 0


def test_rows_of_ones_own_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"with the columns prompt, is none of the held-out"):
        trainer(tmp_path).evaluate([{"prompt": "x"}])


class Ungraded(Letters, vf.Taskset[LetterTask, LettersConfig]):
    """The grader fails for one held-out task, or for all of them."""

    def heldout_rows(self) -> Any:
        for index in range(4):
            p = None if index == 3 or self.config.broken else 0.5
            yield Row(f"held-{index}", {"prompt": f"h{index}:", "p": p})


def test_a_heldout_task_that_cannot_be_graded_is_left_out(tmp_path: Path) -> None:
    settings: Any = {"num_generations_eval": 1, "per_device_eval_batch_size": 1}
    taskset = Ungraded(LettersConfig(id="letters"))
    metrics = trainer(tmp_path, taskset=taskset, **settings).evaluate()
    assert 0 <= metrics["eval_curriculum/heldout"] <= 1
    taskset = Ungraded(LettersConfig(id="letters", broken=1))
    with pytest.raises(RewardError, match=r"none of 4 completions could be scored.*no grader"):
        trainer(tmp_path, taskset=taskset, **settings).evaluate()


class Endless(Letters, vf.Taskset[LetterTask, LettersConfig]):
    def heldout_rows(self) -> Any:
        return super(Letters, self).heldout_rows()


class Shared(Letters, vf.Taskset[LetterTask, LettersConfig]):
    def heldout_rows(self) -> Any:
        return list(self.rows())[:2]


@pytest.mark.parametrize(
    ("kind", "error", "message"),
    [(Endless, ConfigError, "no held-out split"), (Shared, PoolError, "2 rows are both")],
)
def test_a_split_that_is_none_is_told(
    tmp_path: Path, kind: Any, error: type[Exception], message: str
) -> None:
    taskset = kind(LettersConfig(id="letters"))
    with pytest.raises(error, match=message):
        trainer(tmp_path, taskset=taskset).evaluate()
    with pytest.raises(error, match=message):
        trainer(tmp_path, taskset=taskset, eval_strategy="steps")
