"""`curriculum-env env` and `vf-install`: environments of this Python, new ones, installing one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

env_app = typer.Typer(
    help="List the installed environments, or start a new one.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@env_app.command("list")
def list_(
    json_: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the installed environments whose taskset has a curriculum.

    These are the installed packages whose module of the same name exports such a taskset.
    """
    from curriculum_env.cli.installed import installed_environments
    from curriculum_env.cli.render import console, environment_table

    found = installed_environments()
    if json_:
        typer.echo(json.dumps([environment._asdict() for environment in found], indent=2))
    elif found:
        console.print(environment_table(found))
    else:
        typer.echo("No environment with a curriculum is installed: see `curriculum-env env new`.")


@env_app.command()
def new(
    name: Annotated[str, typer.Argument(help="Name of the environment, such as word-problems.")],
    parent: Annotated[
        Path, typer.Option("--parent", "-p", help="Folder that holds environments.")
    ] = Path("environments"),
) -> None:
    """Write a complete environment package: dataset, parser, rubric, taskset, tests."""
    from curriculum_env.cli.scaffold import scaffold

    folder = scaffold(name, parent)
    typer.echo(f"Wrote {folder}. Install it with `curriculum-env vf-install {name} -p {parent}`.")


def vf_install(
    name: Annotated[str, typer.Argument(help="Name of the environment's folder.")],
    parent: Annotated[
        Path, typer.Option("--parent", "-p", help="Folder that holds environments.")
    ] = Path("environments"),
) -> None:
    """Install PARENT/NAME (hyphens become underscores) into this Python, editable.

    Delegates to verifiers' own vf-install where there is one.
    """
    from curriculum_env.cli.install import install

    typer.echo(f"Installed {install(name, parent)}.")
