"""`curriculum-env pool build`: one clean pool of raw datasets, and what was taken out of them."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from curriculum_env.errors import PoolError


class Engine(StrEnum):
    """What runs the steps."""

    local = "local"
    datatrove = "datatrove"


class Executor(StrEnum):
    """Where datatrove runs its tasks."""

    local = "local"
    slurm = "slurm"
    ray = "ray"


def build(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="Presets, files (parquet, JSONL, JSON, CSV; patterns too), folders or hub names: "
            "[PRESET=]PLACE[@SPLIT]."
        ),
    ],
    against: Annotated[
        list[str] | None,
        typer.Option(help="Evaluation set to keep out of the pool, written like a source."),
    ] = None,
    preset: Annotated[
        str,
        typer.Option(help="Preset whose columns the sources have, but for those that name one."),
    ] = "",
    column: Annotated[
        list[str] | None,
        typer.Option(help="PART=PATH, such as answer=reward_model.ground_truth."),
    ] = None,
    against_column: Annotated[
        list[str] | None,
        typer.Option(help="PART=PATH of the evaluation sets; unset, as the sources."),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for the pool, quarantine and report.")
    ] = Path("outputs/pool"),
    near: Annotated[
        bool, typer.Option(help="Whether near duplicates are taken out, not exact ones alone.")
    ] = True,
    templates: Annotated[
        bool,
        typer.Option(help="Whether a task of an evaluation set with other numbers counts as it."),
    ] = True,
    language: Annotated[
        list[str] | None,
        typer.Option(help="Language to keep, such as en or zh; unset, every language."),
    ] = None,
    min_chars: Annotated[int, typer.Option(min=1, help="Shortest prompt to keep.")] = 10,
    max_chars: Annotated[int, typer.Option(min=1, help="Longest prompt to keep.")] = 20_000,
    embedding: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Also compare with the evaluation sets by embeddings: a cosine from here on "
            "counts; .9 is careful.",
        ),
    ] = None,
    embedder: Annotated[
        str, typer.Option(help="Model for --embedding: a folder or a hub name, of model2vec.")
    ] = "minishlab/potion-base-8M",
    engine: Annotated[
        Engine, typer.Option(help="What runs the steps; datatrove needs no room in memory.")
    ] = Engine.local,
    executor: Annotated[Executor, typer.Option(help="Executor of datatrove.")] = Executor.local,
    executor_option: Annotated[
        list[str] | None,
        typer.Option(help="NAME=VALUE for datatrove's executor, such as partition=cpu."),
    ] = None,
    tasks: Annotated[
        int, typer.Option(min=0, help="Tasks of datatrove's executor; 0: one per process.")
    ] = 0,
    processes: Annotated[int, typer.Option(min=0, help="0: one per core.")] = 0,
    streaming: Annotated[
        bool, typer.Option(help="Read hub datasets as a stream, without keeping them on disk.")
    ] = False,
    resume: Annotated[
        bool, typer.Option(help="Go on with a build of the same settings that was cut short.")
    ] = True,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")] = False,
) -> None:
    """Validate, remove duplicates and contradictions, keep evaluation sets out, filter.

    Nothing is deleted: OUTPUT has the pool in pool.parquet, what was taken out in
    quarantine.parquet with the reason and its match, and the report in report.md and report.json.
    """
    from curriculum_env.cli.pool_report import Bars, show_report
    from curriculum_env.pool.cleaning import BuildSettings, build_pool

    settings = BuildSettings(
        sources=tuple(sources),
        against=tuple(against or ()),
        preset=preset,
        columns=tuple(column or ()),
        against_columns=tuple(against_column or ()),
        near=near,
        templates=templates,
        languages=tuple(language or ()),
        min_chars=min_chars,
        max_chars=max_chars,
        embedding=embedding,
        embedder=embedder,
        streaming=streaming,
    )
    if engine is Engine.datatrove:
        from curriculum_env.pool.cleaning.trove import build_with_datatrove, options_of

        report = build_with_datatrove(
            settings,
            output,
            executor=executor.value,
            options=options_of(executor_option or []),
            tasks=tasks,
            processes=processes,
            resume=resume,
        )
        if report is None:
            typer.echo(f"Handed to {executor.value}: {output} has the pool when its jobs are done.")
            return
    else:
        with Bars() as bars:
            report = build_pool(settings, output, processes=processes, resume=resume, watch=bars)
    if json_:
        typer.echo((output / "report.json").read_text(encoding="utf-8").rstrip())
    else:
        show_report(report, output)
    if not report.kept:
        raise PoolError(
            f"none of the {report.records} records read is a task that could be kept: look in "
            f"{output / 'report.md'} for the reasons, and name the columns with --column "
            "(prompt=NAME, answer=NAME) where they have other names."
        )
