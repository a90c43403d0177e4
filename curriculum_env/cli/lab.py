"""`curriculum-env lab`: which rule learns fastest, on simulated policies that learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from curriculum_env.errors import ConfigError

if TYPE_CHECKING:
    from curriculum_env.sim import Entrant, Setting

T = TypeVar("T")


class Format(StrEnum):
    """What the plot is written as."""

    png = "png"
    svg = "svg"


def lab(
    settings: Annotated[
        str, typer.Option(help="Settings by name, separated by commas; unset, the seven.")
    ] = "",
    rules: Annotated[
        str,
        typer.Option(
            help="Entrants by name, separated by commas; a star after the name: as tuned; unset, "
            "all with their defaults. Uniform drawing is always one of them."
        ),
    ] = "",
    config: Annotated[
        list[Path] | None,
        typer.Option(help="TOML file with the settings of a curriculum: one more entrant."),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Simulated worlds per setting.")] = 3,
    budget: Annotated[
        int | None, typer.Option(min=4096, help="Rollouts of one run; unset, the setting's own.")
    ] = None,
    processes: Annotated[int, typer.Option(min=0, help="0: one per core.")] = 0,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for lab.json and the plot.")
    ] = Path("outputs/lab"),
    format_: Annotated[Format, typer.Option("--format", help="Format of the plot.")] = Format.png,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")] = False,
    replay: Annotated[
        str | None,
        typer.Option(
            help="Instead of all this, score every estimator on a run that was recorded in this "
            "store (URL, file or folder of a run)."
        ),
    ] = None,
) -> None:
    """Train simulated policies with every rule, and compare the rollouts that they needed.

    Every rule trains in the same worlds. The table has one line per entrant: its rollouts to the
    accuracy that uniform drawing ends with, over those uniform needs.
    """
    if replay is not None:
        _replay(replay, json_=json_)
        return
    from rich.console import Console

    from curriculum_env.cli.lab_report import (
        Report,
        as_json,
        bar,
        show_report,
        wide,
        write_json,
        write_plot,
    )
    from curriculum_env.sim import run_lab
    from curriculum_env.sim.summary import Standings

    chosen, entering = _settings(settings, budget), _entering(rules, config or [])
    with bar(len(entering) * len(chosen) * seeds, Console(stderr=True)) as done:
        plays, refused = run_lab(entering, chosen, range(seeds), processes, done)
    report = Report(Standings(plays), tuple(refused))
    written = [write_json(report, output)]
    try:
        written.append(write_plot(report, output, format_.value))
    except ConfigError as error:
        typer.echo(f"No plot: {error}.", err=True)
    if json_:
        typer.echo(as_json(report))
        return
    console = wide()
    show_report(report, console)
    console.print(f"written: {', '.join(map(str, written))}", style="dim")


def _settings(names: str, budget: int | None) -> list[Setting]:
    from curriculum_env.sim import LADDERS, SETTINGS

    chosen = _named(names, SETTINGS, {**SETTINGS, **LADDERS}, "settings").values()
    return [replace(found, budget=budget or found.budget) for found in chosen]


def _entering(rules: str, files: Sequence[Path]) -> list[Entrant]:
    from curriculum_env.cli.settings import from_file
    from curriculum_env.sim.entrants import UNIFORM, entrant, entrants, tuned

    everyone = entrants()
    named = _named(rules, everyone, {**everyone, **tuned()}, "rules")
    own = [entrant(path.stem, from_file(path)) for path in files]
    by_name = {UNIFORM: everyone[UNIFORM], **named, **{found.name: found for found in own}}
    return list(by_name.values())


def _named(
    text: str, unset: Mapping[str, T], known: Mapping[str, T], option: str
) -> Mapping[str, T]:
    """Those of `known` that are listed, or `unset` where nothing is.

    Raises:
        ConfigError: a name is unknown.
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise ConfigError(
                f"--{option} has {name!r}; expected names among {', '.join(known)}: choose of these"
            )
    return {name: known[name] for name in names} or unset


def _replay(store: str, *, json_: bool) -> None:
    import json
    from contextlib import closing
    from dataclasses import asdict

    from curriculum_env.cli.stored import store_url
    from curriculum_env.sim.replay import read_recording
    from curriculum_env.sim.replay import replay as scores_of
    from curriculum_env.store import open_store

    with closing(open_store(store_url(store))) as opened:
        scores = scores_of(read_recording(opened))
    if json_:
        typer.echo(json.dumps([asdict(score) for score in scores], indent=1))
        return
    from curriculum_env.cli.lab_report import score_table, wide

    wide().print(score_table(scores))
