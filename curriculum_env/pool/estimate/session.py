"""One estimate in its folder, from its first rollout, or where it was left, to its report."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from curriculum_env.errors import ConfigError
from curriculum_env.pool.estimate.budget import Budget, Prices
from curriculum_env.pool.estimate.describe import sections
from curriculum_env.pool.estimate.estimation import Estimation
from curriculum_env.pool.estimate.journal import Journal, Known
from curriculum_env.pool.estimate.pace import Pace
from curriculum_env.pool.estimate.patience import Patience
from curriculum_env.pool.estimate.plan import Depth, Plan
from curriculum_env.pool.estimate.results import Prune, write_pools, write_priors, write_report
from curriculum_env.pool.estimate.rollouts import Grade, Player
from curriculum_env.pool.estimate.summary import EstimateReport, Found, Spent, summarise
from curriculum_env.pool.sections import Section
from curriculum_env.types import BoolArray, Row

ROLLOUTS = "rollouts.db"


@dataclass(frozen=True, slots=True)
class Settings:
    """How an estimate goes about it; all of it may change from one resumption to the next.

    `tokens` and `money` limit what all its rollouts together take, those of earlier processes
    included. `patience` and `silence` are seconds, as in `Patience`. `group_size` is that of the
    training to come.
    """

    depth: Depth
    concurrency: int = 16
    tokens: float | None = None
    money: float | None = None
    prices: Prices = field(default_factory=Prices)
    patience: float = 120.0
    silence: float = 900.0
    prune: Prune = Prune.both
    group_size: int = 8


class EstimateSession:
    """The estimate of `rows` in `folder`, which holds its rollouts and everything to go on with.

    `identity` is what its rollouts depend on (model, prompt, sampling, rubric): a folder takes
    rollouts of one identity only.

    Raises:
        ConfigError: the folder holds an estimate and `resume` is not set, holds none and it is, or
            holds one of another identity.
        OwnerError, SchemaVersionError, StateError: as `Journal` says.
    """

    def __init__(
        self,
        rows: Sequence[Row],
        folder: Path,
        identity: Mapping[str, Any],
        settings: Settings,
        *,
        resume: bool,
    ) -> None:
        self.rows, self.folder, self.settings = rows, folder, settings
        self.model = str(identity.get("model", ""))
        _require_folder(folder, resume=resume)
        self.journal = Journal(folder / ROLLOUTS)
        try:
            self._begin(dict(identity))
        except BaseException:
            self.journal.close()
            raise
        known, nothing = self.journal.known(), Known(0.0, 0)
        counts = [known.get(row.uid, nothing) for row in rows]
        self.found = Found(
            rows,
            np.array([count.passes for count in counts], np.float64),
            np.array([count.attempts for count in counts], np.int64),
            settings.depth.k,
        )
        self.estimation: Estimation | None = None

    def prepare(
        self, player: Player, grade: Grade, told: Callable[[str], None], pace: Pace | None = None
    ) -> Estimation:
        """Get ready to play `player`, whose requests go out at `pace`, and to grade by `grade`."""
        found, settings = self.found, self.settings
        budget = Budget(settings.tokens, settings.money, settings.prices)
        budget.spend(*self.journal.paid())
        plan = Plan(settings.depth, found.passes_N, found.attempts_N, shuffled(self.rows))
        patience = Patience(settings.patience, settings.silence)
        if pace is not None:
            pace.told = patience.failed
        self.estimation = Estimation(
            rows=self.rows,
            player=player,
            grade=grade,
            journal=self.journal,
            plan=plan,
            budget=budget,
            patience=patience,
            concurrency=settings.concurrency,
            told=told,
        )
        return self.estimation

    def pruned_N(self) -> BoolArray:
        """Marks the rows that go to quarantine."""
        return self.settings.prune.of(self.found)

    def report(self, *, interrupted: bool = False) -> EstimateReport:
        """The estimate as it stands."""
        return summarise(
            self.found,
            self._spent(),
            self.pruned_N(),
            model=self.model,
            max_k=self.settings.depth.max_k,
            owed=self._owed(),
            ended="interrupted" if interrupted else self._ended(),
            group_size=self.settings.group_size,
        )

    def sections(self, report: EstimateReport) -> list[Section]:
        """The report in tables."""
        return sections(report, priced=self.settings.prices != Prices())

    def write(self, report: EstimateReport, *, pools: bool) -> None:
        """Write the priors and the report and, where the rows are those of a pool file, the pools.

        Raises:
            StateError: a file cannot be written.
        """
        pruned_N = self.pruned_N()
        write_priors(self.found, pruned_N, self.folder)
        if pools:
            write_pools(self.found, pruned_N, self.folder)
        write_report(report, self.sections(report), self.folder)

    def close(self) -> None:
        """Give the folder up."""
        self.journal.close()

    def _begin(self, identity: dict[str, Any]) -> None:
        identity = json.loads(json.dumps(identity))
        begun = self.journal.settings()
        if begun is None:
            self.journal.begin(identity)
            return
        for name in sorted({*begun, *identity}):
            if begun.get(name) != identity.get(name):
                raise ConfigError(
                    f"{self.folder} was begun with {name} = {json.dumps(begun.get(name))}, now it "
                    f"is {json.dumps(identity.get(name))}: their rollouts could not be compared; "
                    "resume with the same, or name another folder with --output."
                )

    def _owed(self) -> int:
        """Graded rollouts missing to k of each row that the service takes."""
        missing_N = np.maximum(self.settings.depth.k - self.found.attempts_N, 0)
        refused = self.estimation.refused if self.estimation else {}
        taken_N = [row.uid not in refused for row in self.rows] if refused else True
        return int((missing_N * taken_N).sum())

    def _ended(self) -> str:
        estimation = self.estimation
        if estimation is None:
            return ""
        if estimation.unwritten is not None:
            return str(estimation.unwritten).rstrip(".")
        if self._owed():
            estimation.patience.end()
        if estimation.patience.verdict:
            return estimation.patience.verdict
        return "the budget is used up" if estimation.out_of_budget else ""

    def _spent(self) -> Spent:
        counts, paid = self.journal.counts(), self.journal.paid()
        return Spent(
            graded=counts.get("graded", 0),
            failed=counts.get("failed", 0),
            lost=counts.get("lost", 0),
            ungraded=counts.get("ungraded", 0) + counts.get("replied", 0),
            cut_off=self.journal.cut_off(),
            refused=len(self.estimation.refused) if self.estimation else 0,
            prompt_tokens=paid.prompt,
            completion_tokens=paid.completion,
            money=self.settings.prices.of(*paid),
            errors=tuple(self.journal.errors()),
        )


def shuffled(rows: Sequence[Row]) -> list[int]:
    """The positions in an order that depends on the uids alone: where the budget ends early, the
    rows that were estimated are a fair sample."""

    def key(position: int) -> bytes:
        return hashlib.sha256(uids[position].encode()).digest()[:8]

    uids = [row.uid for row in rows]
    return sorted(range(len(uids)), key=key)


def _require_folder(folder: Path, *, resume: bool) -> None:
    begun = (folder / ROLLOUTS).exists()
    if begun and not resume:
        raise ConfigError(
            f"{folder} already holds an estimate: go on with it by --resume, or name another "
            "folder with --output."
        )
    if resume and not begun:
        raise ConfigError(
            f"{folder} holds no estimate to resume: name its folder with --output, or leave out "
            "--resume to start one."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f"the folder {folder} cannot be made ({error.strerror or error}): name another with "
            "--output."
        ) from error
