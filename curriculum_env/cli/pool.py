"""`curriculum-env pool`: from raw datasets to a pool that can be trusted."""

from __future__ import annotations

import typer

from curriculum_env.cli.pool_audit import audit
from curriculum_env.cli.pool_build import build
from curriculum_env.cli.pool_estimate import estimate

pool_app = typer.Typer(
    help="Build a pool of tasks from raw datasets, check its rubric, measure its difficulty.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
pool_app.command()(build)
pool_app.command()(audit)
pool_app.command()(estimate)


@pool_app.callback()
def pool() -> None:
    """Build a pool of tasks from raw datasets, check its rubric, measure its difficulty."""
