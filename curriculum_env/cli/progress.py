"""The bar of a run in progress, with rho and the mean reward of the latest groups."""

from __future__ import annotations

from collections import deque

from rich import progress

from curriculum_env.cli.render import console, number
from curriculum_env.report import Ledger
from curriculum_env.types import Outcome

RECENT = 100


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

    def __enter__(self) -> Progress:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def draw(self, number: int, uid: str, domain: str, level: str) -> None:
        self.ledger.draw(number, uid, domain, level)
        self._recent.append(number)

    def record(self, outcome: Outcome) -> None:
        self.ledger.record(outcome)
        self._bar.update(self._task, advance=1, description=self._description())

    def note(self, message: str) -> None:
        """Print a line above the bar."""
        self._bar.console.print(message)

    def _description(self) -> str:
        recent = list(self._recent)
        return (
            f"ρ {number(self.ledger.survival(recent))}  "
            f"reward {number(self.ledger.mean_reward(recent))}"
        )
