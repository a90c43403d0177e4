"""`curriculum-env pool audit`: whether the rubric of a pool can be trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def audit(
    source: Annotated[
        str | None,
        typer.Argument(
            help="Pool to audit: what `pool build` wrote, or any source it reads, "
            "[PRESET=]PLACE[@SPLIT]."
        ),
    ] = None,
    taskset: Annotated[
        str | None,
        typer.Option(help="Audit an installed taskset instead, by its tasks' own scoring."),
    ] = None,
    rubric: Annotated[
        str, typer.Option(help="What grades the tasks of a pool: math or exact.")
    ] = "math",
    gold: Annotated[
        str | None,
        typer.Option(
            help="With --taskset: path of the right answer in a task's data; unset, one of "
            "answer, gold, ground_truth, target, solution."
        ),
    ] = None,
    reply: Annotated[
        list[str] | None,
        typer.Option(
            help="A way to give an answer, with {answer} in it; unset, those that suit the rubric."
        ),
    ] = None,
    threshold: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Success from which a reply is accepted.")
    ] = 0.5,
    sample: Annotated[
        int, typer.Option(min=0, help="Tasks to probe, picked at random; 0: all of them.")
    ] = 1000,
    worst: Annotated[int, typer.Option(min=0, help="Tasks to show, worst first.")] = 10,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="With --taskset: a setting under [env], as key=value."),
    ] = None,
    concurrency: Annotated[
        int, typer.Option("--concurrency", "-c", min=1, help="Verdicts asked for at a time.")
    ] = 16,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the report.")] = Path(
        "outputs/audit"
    ),
) -> None:
    """Put replies known to be right and wrong to a rubric, and report its wrong verdicts.

    Right: the gold as it is, in many spellings, in many sentences. Wrong: golds changed a little,
    golds of other tasks, nothing, refusals, the prompt itself, every option at once, two answers
    at once, the gold inside a wrong sentence. OUTPUT has the tables in report.md, and every wrong
    verdict in report.json. No model is asked.
    """
    from curriculum_env.cli.auditing import Order, carry_out

    order = Order(
        source=source,
        taskset=taskset,
        rubric=rubric,
        gold=gold,
        replies=tuple(reply or ()),
        threshold=threshold,
        sample=sample,
        worst=worst,
        settings=tuple(set_ or ()),
        concurrency=concurrency,
    )
    carry_out(order, output.expanduser())
