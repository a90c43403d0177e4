"""An estimate in progress: a bar, or, where the output is no terminal, a line now and then."""

from __future__ import annotations

import time
from collections import Counter

import numpy as np
from rich import progress

from curriculum_env.cli.progress import LINE_SECONDS
from curriculum_env.cli.render import console
from curriculum_env.pool.estimate import EstimateSession


class EstimateProgress:
    """Counts the rollouts of a session, those that were there at its beginning included."""

    def __init__(self, session: EstimateSession) -> None:
        found = session.found
        self._counts: Counter[str] = Counter(graded=int(found.attempts_N.sum()))
        self._total = int(np.maximum(found.attempts_N, found.k).sum())
        self._bar = progress.Progress(
            progress.TextColumn("{task.completed}/{task.total} rollouts"),
            progress.BarColumn(bar_width=None),
            progress.TextColumn("{task.description}", markup=False),
            progress.TimeElapsedColumn(),
            progress.TimeRemainingColumn(),
            console=console,
        )
        done = self._counts["graded"]
        self._task = self._bar.add_task(self._failures(), total=self._total, completed=done)
        self._said = time.monotonic()

    def __enter__(self) -> EstimateProgress:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def told(self, status: str) -> None:
        """A rollout ended."""
        self._counts[status] += 1
        done = self._counts["graded"]
        self._total = max(self._total, done)
        self._bar.update(
            self._task, completed=done, total=self._total, description=self._failures()
        )
        if not console.is_terminal and time.monotonic() - self._said >= LINE_SECONDS:
            self._said = time.monotonic()
            self.note(f"{done}/{self._total} rollouts  {self._failures()}")

    def note(self, message: str) -> None:
        """Print a line above the bar."""
        self._bar.console.print(message, soft_wrap=True)

    def _failures(self) -> str:
        return f"{self._counts['failed']} failed, {self._counts['ungraded']} not graded"
