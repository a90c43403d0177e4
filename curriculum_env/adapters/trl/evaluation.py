"""Evaluation on the held-out split, which the curriculum never draws from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import verifiers.v1 as vf
from datasets import Dataset

from curriculum_env.adapters.trl.rubric import Grade
from curriculum_env.adapters.trl.shared import SharedCurriculum
from curriculum_env.errors import ConfigError

if TYPE_CHECKING:
    _Base = Any
else:
    _Base = object


class EvaluationMixin(_Base):
    """TRL's evaluation, with the held-out tasks and their rubric."""

    taskset: Any
    shared: SharedCurriculum
    eval_dataset: Any
    _heldout: dict[str, vf.Task]
    _heldout_successes: dict[str, list[float]]
    _unscored: int

    def heldout(self) -> Dataset:
        """The held-out split, as a dataset of uids.

        Raises:
            ConfigError: the taskset has none.
        """
        self._heldout = {task.key: task for task in self.taskset.heldout_tasks()}
        uids = list(self._heldout)
        return Dataset.from_dict({"prompt": [""] * len(uids), "uid": uids})

    def _heldout_inputs(self, inputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
        unknown = [row for row in inputs if row.get("uid") not in self._heldout]
        if unknown:
            raise ConfigError(
                f"a row to evaluate on, with the columns {', '.join(unknown[0])}, is none of the "
                "held-out split; expected rows of trainer.heldout(): evaluate on those, or without "
                "eval_dataset."
            )
        tasks = [self._heldout[row["uid"]] for row in inputs]
        return [{"prompt": self.render(task), "task": task, "draw": None} for task in tasks]

    def evaluate(self, eval_dataset: Any = None, *given: Any, **named: Any) -> dict[str, float]:
        """TRL's metrics over the held-out split, with `eval_curriculum/heldout`: the mean over its
        tasks of their mean success. The rule is told it.

        Raises:
            RewardError: no completion could be scored.
            ConfigError: `eval_dataset` is not of the held-out split.
        """
        if eval_dataset is None and self.eval_dataset is None:
            self.eval_dataset = self.heldout()
        self._heldout_successes.clear()
        self._unscored = 0
        metrics: dict[str, float] = super().evaluate(eval_dataset, *given, **named)
        success = self._heldout_success()
        if success is None and self._unscored:
            raise self._unscorable()
        self._unscored = 0
        self._heldout_successes.clear()
        if success is not None:
            self.shared.tell_heldout(success)
        return metrics

    def _learn_heldout(self, grades: Sequence[Grade]) -> None:
        for grade in grades:
            if (success := self._success(grade)) is not None:
                self._heldout_successes[grade.uid].append(success)

    def _heldout_success(self) -> float | None:
        means = [math.fsum(found) / len(found) for found in self._heldout_successes.values()]
        return math.fsum(means) / len(means) if means else None

    def log(self, logs: dict[str, float], *given: Any, **named: Any) -> None:
        """TRL's log, with the held-out success."""
        if not self.model.training and (success := self._heldout_success()) is not None:
            self._metrics["eval"]["curriculum/heldout"] = [success]
        super().log(logs, *given, **named)
