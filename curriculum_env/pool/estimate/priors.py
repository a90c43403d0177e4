"""The priors that an estimate leaves behind, given to the rows of a pool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from curriculum_env.errors import PoolError, StateError
from curriculum_env.types import Row

PRIORS = "priors.parquet"


def with_priors(rows: Iterable[Row], path: Path) -> Iterator[Row]:
    """`rows` with the priors in the `priors.parquet` at `path`; those that the estimate put into
    quarantine are left out, those that it does not know stay as they are.

    Raises:
        PoolError: it knows none of the rows.
        StateError: the file cannot be read or is another one.
    """
    priors, met = read_priors(path), False
    for row in rows:
        prior = priors.get(row.uid)
        met = met or prior is not None
        if prior is None:
            yield row
        elif prior[2] is None:
            yield replace(row, prior_passes=prior[0], prior_attempts=prior[1])
    if not met:
        raise PoolError(
            f"{path} knows none of the rows; expected an estimate of this taskset with these "
            "settings: run `curriculum-env pool estimate --taskset` again, or leave priors unset."
        )


def read_priors(path: Path) -> Mapping[str, tuple[float, float, str | None]]:
    """Of each uid in a `priors.parquet`: passes, attempts, and why it was taken out, if it was.

    Raises:
        StateError: the file cannot be read or is another one.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = ["uid", "prior_passes", "prior_attempts", "quarantine"]
    try:
        columns = pq.read_table(path, columns=names).to_pydict()
    except (OSError, pa.ArrowException, KeyError) as error:
        raise StateError(
            f"{path} cannot be read as the priors of an estimate ({error}): name the "
            f"{PRIORS} that `curriculum-env pool estimate` wrote."
        ) from error
    values = zip(*(columns[name] for name in names[1:]), strict=True)
    return dict(zip(columns["uid"], values, strict=True))
