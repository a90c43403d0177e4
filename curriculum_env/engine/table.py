"""What is known of every row, as columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from curriculum_env.engine.availability import Availability
from curriculum_env.estimators import Estimator
from curriculum_env.pool import Pool


def table(pool: Pool, estimator: Estimator, availability: Availability) -> dict[str, NDArray[Any]]:
    """The columns that `Curriculum.table` documents."""
    low_N, high_N = estimator.interval()
    return {
        "uid": np.array([row.uid for row in pool]),
        "domain": np.array([row.domain for row in pool]),
        "level": np.array([row.level for row in pool]),
        "mean": estimator.mean(),
        "low": low_N,
        "high": high_N,
        "evidence": estimator.evidence(),
        "visits": availability.visits_N.copy(),
        "last_draw": availability.last_draw_N.copy(),
    }
