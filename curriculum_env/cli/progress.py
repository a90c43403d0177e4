"""A run in progress: a bar with rho and the mean reward of the latest draws, or, where the output
is no terminal, a line of them now and then."""

from __future__ import annotations

import time
from collections import deque

from rich import progress

from curriculum_env.cli.render import console, number
from curriculum_env.report import Ledger
from curriculum_env.types import Outcome

RECENT = 100
LINE_SECONDS = 30.0


class Progress:
    """Passes a run's numbers on to `ledger` and shows them."""

    def __init__(self, ledger: Ledger, rollouts: int) -> None:
        self.ledger = ledger
        self._recent: deque[int] = deque(maxlen=RECENT)
        self._bar = progress.Progress(
            progress.TextColumn("{task.completed}/{task.total} rollouts"),
            progress.BarColumn(bar_width=None),
            progress.TextColumn("{task.description}", markup=False),
            progress.TimeElapsedColumn(),
            progress.TimeRemainingColumn(),
            console=console,
        )
        self._task = self._bar.add_task(self._description(), total=rollouts)
        self._done, self._rollouts = 0, rollouts
        self._said = time.monotonic()

    def __enter__(self) -> Progress:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def draw(self, number: int, uid: str, domain: str, level: str) -> None:
        self.ledger.draw(number, uid, domain, level)
        if (rollouts := len(self.ledger.draws) * self.ledger.group_size) > self._rollouts:
            self._rollouts = rollouts  # drawing on until enough groups are worth training on
            self._bar.update(self._task, total=rollouts)
        self._recent.append(number)

    def record(self, outcome: Outcome) -> None:
        self.ledger.record(outcome)
        self._done += 1
        self._bar.update(self._task, advance=1, description=self._description())
        if not console.is_terminal and time.monotonic() - self._said >= LINE_SECONDS:
            self._said = time.monotonic()
            self.note(f"{self._done}/{self._rollouts} rollouts  {self._description()}")

    def note(self, message: str) -> None:
        """Print a line above the bar."""
        self._bar.console.print(message, soft_wrap=True)

    def _description(self) -> str:
        recent = list(self._recent)
        return (
            f"last {RECENT} draws: ρ {number(self.ledger.survival(recent))}  "
            f"mean reward {number(self.ledger.mean_reward(recent))}"
        )
