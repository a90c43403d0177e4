"""A training run in progress: a bar with live metrics, and a line for each evaluation."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rich import progress
from transformers import TrainerCallback

from curriculum_env.cli.render import console, number
from curriculum_env.cli.train_report import Point
from curriculum_env.errors import RewardError

_HELDOUT = "eval_curriculum/heldout"


class Watch(TrainerCallback):
    """Collects a point at each evaluation; its time is that of the steps alone."""

    def __init__(self, name: str, steps: int) -> None:
        self.points: list[Point] = []
        self.outcomes: Callable[[], int] = lambda: 0
        self._name, self._seconds, self._began = name, 0.0, 0.0
        self._bar = progress.Progress(
            progress.TextColumn(f"{name}: {{task.completed}}/{{task.total}} steps"),
            progress.BarColumn(bar_width=None),
            progress.TextColumn("{task.description}", markup=False),
            progress.TimeElapsedColumn(),
            progress.TimeRemainingColumn(),
            console=console,
        )
        self._task = self._bar.add_task("", total=steps)

    def __enter__(self) -> Watch:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def on_step_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        self._began = time.perf_counter()

    def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        self._seconds += time.perf_counter() - self._began
        self._bar.update(self._task, completed=state.global_step)

    def on_log(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        logs = given["logs"]
        if "reward" in logs:
            recent = logs.get("curriculum/rho_recent")
            text = f"mean reward {number(logs['reward'])}  ρ {number(recent)}"
            self._bar.update(self._task, description=text)

    def on_evaluate(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        if (accuracy := given["metrics"].get(_HELDOUT)) is None:
            raise RewardError(
                "no held-out task gave a reward; expected some, to measure the policy by: check "
                "the rewards of the taskset."
            )
        self.points.append(Point(self.outcomes(), state.global_step, self._seconds, accuracy))
        self._bar.console.print(
            f"{self._name}: {state.global_step} steps, {self.outcomes()} rollouts, held-out "
            f"accuracy {accuracy:.3f}",
            highlight=False,
            soft_wrap=True,
        )
