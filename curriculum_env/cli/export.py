"""`curriculum-env export`: what a run learnt about difficulty, as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def export(
    store: Annotated[str, typer.Argument(help="URL of a store, its file, or a run's folder.")],
    out: Annotated[Path, typer.Argument(help="Parquet file to write.")],
) -> None:
    """Write the difficulty of every task drawn: pass rate, its interval, rollouts, visits.

    Works from the store alone, also while a run goes on. The settings and metrics go into a JSON
    file beside OUT.
    """
    from curriculum_env.cli.stored import read_store, replayed
    from curriculum_env.snapshot import sidecar_path, write_snapshot

    stored = read_store(store)
    with replayed(stored) as curriculum:
        rows = write_snapshot(curriculum, out, store=stored.url)
    typer.echo(f"Wrote {rows} tasks to {out}, settings and metrics to {sidecar_path(out)}.")
