"""`curriculum-env status`: how a run stands, from its store alone."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer


def status(
    store: Annotated[str, typer.Argument(help="URL of a store, its file, or a run's folder.")],
    json_: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the frontier, pass rates by domain and level, rho, outages and what is in flight.

    Reads the store without taking it, also while a run goes on.
    """
    from curriculum_env.cli.standing import standing
    from curriculum_env.cli.stored import read_store

    found = standing(read_store(store))
    if json_:
        typer.echo(json.dumps(asdict(found), indent=2))
        return
    from curriculum_env.cli.render import show_standing

    show_standing(found)
