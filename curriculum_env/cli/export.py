"""`curriculum-env export`: what a run learnt about difficulty, as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from curriculum_env.errors import ConfigError

_SQLITE = b"SQLite format 3\0"


def export(
    store: Annotated[str, typer.Argument(help="URL of a store, its file, or a run's folder.")],
    out: Annotated[
        Path, typer.Argument(help="Parquet file to write: a name that ends in .parquet.")
    ],
    variants: Annotated[
        bool,
        typer.Option(
            "--variants", help="Write the tasks that were made of others, with their lineage."
        ),
    ] = False,
) -> None:
    """Write the difficulty of every task drawn: pass rate, its interval, rollouts, visits.

    Works from the store alone, also while a run goes on. The settings and metrics go into a JSON
    file beside OUT.
    """
    if out.suffix != ".parquet":
        raise ConfigError(
            f"{out} does not end in .parquet, and only Parquet is written: name it "
            f"{out.with_suffix('.parquet')}."
        )
    out = out.expanduser()
    _spare(out)
    if variants:
        _export_variants(store, out)
        return
    from curriculum_env.cli.render import WITHOUT_PRIORS
    from curriculum_env.cli.stored import graded_rollouts, read_store, replayed
    from curriculum_env.snapshot import sidecar_path, write_snapshot

    stored = read_store(store)
    with replayed(stored) as curriculum:
        rows = write_snapshot(curriculum, out, graded_rollouts(stored), store=stored.url)
    if stored.priors:
        typer.echo(f"Warning: {WITHOUT_PRIORS}.", err=True)
    typer.echo(f"Wrote {rows} tasks to {out}, settings and metrics to {sidecar_path(out)}.")


def _export_variants(store: str, out: Path) -> None:
    from curriculum_env.augment.export import write_variants
    from curriculum_env.cli.stored import reading

    with reading(store) as opened:
        count = write_variants(opened, out)
    typer.echo(f"Wrote {count} tasks to {out}.")


def _spare(out: Path) -> None:
    """Refuse to replace a store by the table, or what is no sidecar by the sidecar."""
    from curriculum_env.snapshot import is_sidecar, sidecar_path

    if out.is_file():
        with out.open("rb") as file:
            if file.read(len(_SQLITE)) == _SQLITE:
                raise ConfigError(f"{out} is a store, which the table would replace: name another.")
    sidecar = sidecar_path(out)
    if sidecar.exists() and not is_sidecar(sidecar):
        raise ConfigError(
            f"{sidecar}, where the settings and metrics would go, holds something else: give "
            f"{out.name} another name."
        )
