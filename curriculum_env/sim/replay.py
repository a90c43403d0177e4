"""How well estimators would have predicted a recorded run: each group before they learn it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from curriculum_env.config import CurriculumConfig
from curriculum_env.engine.reward_scale import RewardScale
from curriculum_env.errors import StoreError
from curriculum_env.estimators import (
    AnchorsConfig,
    BetaConfig,
    EmaConfig,
    Estimator,
    EstimatorConfig,
    IrtConfig,
    build_estimator,
)
from curriculum_env.pool import Pool
from curriculum_env.store import Store
from curriculum_env.types import FloatArray, Group, Outcome, Row

_LEAST, _MOST = 0.001, 0.999
_DECILES = 10
BUCKET_ALPHAS = (0.02, 0.05, 0.1, 0.2, 0.3)


@dataclass(frozen=True, slots=True)
class Recording:
    """Graded groups of `rows` in the order in which their last rollouts came back; a policy
    update is `batch_groups` of them."""

    rows: Sequence[Row]
    groups: Sequence[Group]
    batch_groups: int = 64


@dataclass(frozen=True, slots=True)
class Decile:
    """The rollouts predicted to pass with a chance from `low` to `high`: their number, the mean
    prediction and the mean success (both None where there is no rollout)."""

    low: float
    high: float
    rollouts: int
    predicted: float | None
    observed: float | None

    @property
    def error(self) -> float:
        """The distance of the two means, 0 where there is no rollout."""
        if self.predicted is None or self.observed is None:
            return 0.0
        return abs(self.predicted - self.observed)


@dataclass(frozen=True, slots=True)
class Score:
    """How well one estimator predicted, per rollout. `log_loss` is in nats, of predictions
    clipped to [.001, .999]; a success between 0 and 1 counts as a pass in part."""

    name: str
    groups: int
    rollouts: int
    log_loss: float
    brier: float
    deciles: tuple[Decile, ...]

    def calibration_error(self, share: float = 0.01) -> float:
        """The largest error of the deciles that hold at least `share` of the rollouts."""
        counted = [d.error for d in self.deciles if d.rollouts >= share * self.rollouts]
        return max(counted, default=0.0)


class Predictor(Protocol):
    """Anything that predicts a row's pass rate and learns its groups."""

    def predict(self, row: int) -> float: ...

    def learn(self, row: int, success_G: Sequence[float], updates: float) -> None: ...


MakePredictor: TypeAlias = Callable[[Sequence[Row]], Predictor]


class Believing:
    """An estimator as the engine would run it."""

    def __init__(self, estimator: Estimator, rows: Sequence[Row]) -> None:
        self.estimator = estimator
        estimator.add(rows)

    def predict(self, row: int) -> float:
        return float(self.estimator.mean(np.array([row]))[0])

    def learn(self, row: int, success_G: Sequence[float], updates: float) -> None:
        self.estimator.update(row, success_G)
        self.estimator.now = updates


class BucketEma:
    """A moving average of the group means of each key, from .5: what a belief about single rows
    has to beat."""

    def __init__(self, keys: Sequence[object], alpha: float) -> None:
        self._keys, self._alpha = keys, alpha
        self._rate: dict[object, float] = {}

    def predict(self, row: int) -> float:
        return self._rate.get(self._keys[row], 0.5)

    def learn(self, row: int, success_G: Sequence[float], updates: float) -> None:
        before = self.predict(row)
        after = before + self._alpha * (sum(success_G) / len(success_G) - before)
        self._rate[self._keys[row]] = after


def believing(config: EstimatorConfig) -> MakePredictor:
    """The estimator that `config` describes."""
    return lambda rows: Believing(build_estimator(config), rows)


def bucket_ema(alpha: float) -> MakePredictor:
    """One moving average per domain and level."""
    return lambda rows: BucketEma([row.bucket for row in rows], alpha)


def global_ema(alpha: float) -> MakePredictor:
    """One moving average of all rows."""
    return lambda rows: BucketEma([None] * len(rows), alpha)


def default_candidates() -> dict[str, MakePredictor]:
    """Every estimator with its defaults, and averages over all rows and over buckets."""
    configs: list[EstimatorConfig] = [EmaConfig(), BetaConfig(), AnchorsConfig(), IrtConfig()]
    return {
        **{config.type: believing(config) for config in configs},
        "global-ema": global_ema(0.02),
        **{f"bucket-ema-{alpha:g}": bucket_ema(alpha) for alpha in BUCKET_ALPHAS},
    }


def read_recording(store: Store, rows: Iterable[Row] | None = None) -> Recording:
    """The graded groups of a store, as its last run's settings grade them.

    Without `rows` every row drawn is known by its domain and level alone; with them, by all they
    hold, and draws of other rows are left out.

    Raises:
        StoreError: the store cannot be read, or holds no graded rollout of these rows.
    """
    draws = {draw.number: draw for draw in store.draws()}
    if rows is None:
        rows = {d.uid: Row(d.uid, {}, d.domain, d.level) for d in draws.values()}.values()
    pool, run = Pool(rows), store.last_run()
    known = CurriculumConfig.model_fields
    settings = {key: value for key, value in (run.config if run else {}).items() if key in known}
    config = CurriculumConfig(**settings)
    groups = tuple(_groups(_outcomes(store), pool, RewardScale(config)))
    if not groups:
        raise StoreError(
            f"{store.url} holds no graded rollout of the {len(pool)} rows to replay; expected the "
            "store of a run that has trained, and the pool it drew from"
        )
    return Recording(pool, groups, config.batch_groups)


def predictions(recording: Recording, make: MakePredictor) -> FloatArray:
    """The pass rate predicted of each group just before it is learned, shape (B,)."""
    predictor, predicted = make(recording.rows), []
    for number, group in enumerate(recording.groups, start=1):
        predicted.append(predictor.predict(group.row))
        predictor.learn(group.row, group.success_G, number / recording.batch_groups)
    return np.array(predicted)


def score(name: str, recording: Recording, predicted_B: FloatArray) -> Score:
    """Judge predictions of the groups of a recording."""
    size_B = np.array([len(group.success_G) for group in recording.groups])
    success_R = np.concatenate([group.success_G for group in recording.groups])
    p_R = np.repeat(predicted_B, size_B)
    return Score(
        name,
        len(size_B),
        len(p_R),
        float(log_loss(p_R, success_R).mean()),
        float(np.mean((p_R - success_R) ** 2)),
        tuple(_deciles(p_R, success_R)),
    )


def replay(
    recording: Recording, candidates: Mapping[str, MakePredictor] | None = None
) -> list[Score]:
    """Score every candidate (unset, the default ones), the best log-loss first."""
    candidates = candidates or default_candidates()
    scores = [
        score(name, recording, predictions(recording, make)) for name, make in candidates.items()
    ]
    return sorted(scores, key=lambda found: found.log_loss)


def log_loss(p_R: FloatArray, success_R: FloatArray) -> FloatArray:
    """-s log p - (1-s) log (1-p) in nats, p clipped to [.001, .999]."""
    p_R = np.clip(p_R, _LEAST, _MOST)
    return np.asarray(-success_R * np.log(p_R) - (1.0 - success_R) * np.log1p(-p_R))


def _deciles(p_R: FloatArray, success_R: FloatArray) -> Iterator[Decile]:
    decile_R = np.minimum((p_R * _DECILES).astype(np.int64), _DECILES - 1)
    for i in range(_DECILES):
        inside = decile_R == i
        count = int(inside.sum())
        means = (float(p_R[inside].mean()), float(success_R[inside].mean())) if count else None
        predicted, observed = means or (None, None)
        yield Decile(i / _DECILES, (i + 1) / _DECILES, count, predicted, observed)


def _outcomes(store: Store) -> Iterator[Outcome]:
    reader = store.reader()
    while outcomes := reader.read():
        yield from outcomes


def _groups(outcomes: Iterable[Outcome], pool: Pool, scale: RewardScale) -> Iterator[Group]:
    """The graded groups, ordered by the arrival of the last outcome of each."""
    last: dict[int, int] = {}
    graded: dict[int, list[float]] = {}
    row_of: dict[int, int] = {}
    for position, outcome in enumerate(outcomes):
        row = pool.find(outcome.uid)
        if row is None:
            continue
        last[outcome.draw], row_of[outcome.draw] = position, row
        success = None if outcome.reward is None else scale.success(outcome.reward)
        if success is not None:
            graded.setdefault(outcome.draw, []).append(success)
    for draw in sorted(graded, key=last.__getitem__):
        yield Group(draw, row_of[draw], tuple(graded[draw]))
