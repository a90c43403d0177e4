"""The entry point: every error a user can cause is one sentence and exit code 2."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated, Any

import typer

from curriculum_env.cli.augment import augment
from curriculum_env.cli.envs import env_app, vf_install
from curriculum_env.cli.export import export
from curriculum_env.cli.interrupts import interrupts, leave
from curriculum_env.cli.lab import lab
from curriculum_env.cli.plot import plot
from curriculum_env.cli.pool import pool_app
from curriculum_env.cli.run import run
from curriculum_env.cli.status import status
from curriculum_env.cli.train import train
from curriculum_env.errors import CurriculumError

USER_ERROR = 2
BUG = 1

_UsageError: Any = typer.BadParameter.__base__

app = typer.Typer(
    name="curriculum-env",
    help="Verifiers environments that choose their own next task.",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command()(run)
app.command()(train)
app.command()(status)
app.command()(export)
app.command()(augment)
app.command()(plot)
app.command()(lab)
app.add_typer(env_app, name="env")
app.add_typer(pool_app, name="pool")
app.command("vf-install")(vf_install)


def _version(shown: bool) -> None:
    if shown:
        typer.echo(version("curriculum-env"))
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_version, is_eager=True),
    ] = False,
) -> None:
    """Verifiers environments that choose their own next task."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in arguments[:1]
    try:
        with interrupts:
            code = app(args=arguments, standalone_mode=False) or 0
            interrupts.heed()
        sys.exit(code)
    except CurriculumError as error:
        if debug:
            raise
        _fail(str(error), USER_ERROR)
    except _UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            typer.echo(error.format_message())
            sys.exit(0)
        _fail(error.format_message(), USER_ERROR)
    except (KeyboardInterrupt, typer.Abort):
        leave()
    except Exception as error:
        if debug:
            raise
        _fail(
            f"{type(error).__name__}: {error} (this is a bug: `curriculum-env --debug ...` shows "
            "where it happened)",
            BUG,
        )


def _fail(message: str, code: int) -> None:
    typer.echo(f"Error: {message}", err=True)
    sys.exit(code)
