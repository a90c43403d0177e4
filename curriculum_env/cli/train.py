"""`curriculum-env train`: real gradient steps on tasks that the curriculum draws."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from curriculum_env.cli import settings
from curriculum_env.cli.settings import at


def train(
    taskset: Annotated[
        str | None, typer.Argument(help="Id of an installed single-turn taskset.")
    ] = None,
    policy: Annotated[
        str,
        typer.Option(
            "--policy",
            "-p",
            help="tiny (a character transformer that adds), smollm2, or the path or id of a model "
            "that transformers can load.",
        ),
    ] = "tiny",
    sampler: Annotated[
        str | None, typer.Option(help="Rule that picks tasks.  [default: gain]")
    ] = None,
    compare: Annotated[
        str | None,
        typer.Option(
            help="Train once more with this entrant of the lab (uniform, mopps, ...), and compare."
        ),
    ] = None,
    steps: Annotated[int, typer.Option(min=1, help="Optimizer steps of each run.")] = 300,
    groups: Annotated[
        int | None,
        typer.Option(min=1, help="Groups of one step.  [default: 16 for tiny, else 4]"),
    ] = None,
    group_size: Annotated[
        int, typer.Option("--group-size", "-G", min=2, help="Rollouts of a group.")
    ] = 8,
    rate: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Learning rate.  [default: 2e-4 for tiny, else 1e-6]",
        ),
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option(min=1, help="Most tokens of one reply.  [default: 7 for tiny, else 32]"),
    ] = None,
    dynamic_sampling: Annotated[
        bool, typer.Option("--dynamic-sampling", help="Draw on until all groups of a step live.")
    ] = False,
    scale_learning_rate: Annotated[
        bool,
        typer.Option(
            "--scale-learning-rate",
            help="With --dynamic-sampling: the more groups a step took, the larger it is.",
        ),
    ] = False,
    evaluations: Annotated[
        int, typer.Option(min=1, help="How often to evaluate on the held-out split.")
    ] = 12,
    heldout: Annotated[
        int | None, typer.Option(min=1, help="Held-out tasks to evaluate on; unset, all.")
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=2**32 - 1, help="Seed of curriculum and sampling.")
    ] = 0,
    config: Annotated[
        Path | None,
        typer.Option(help="TOML file with [env.taskset] as verifiers writes it."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="A setting under [env], as key=value; may be given more than once."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Folder of the run, which must be new.  [default: outputs/train/TASKSET--POLICY]",
        ),
    ] = None,
) -> None:
    """Train a policy with TRL's GRPO on tasks that the curriculum draws.

    It ends with the accuracy on the held-out split by rollouts, as a table and a picture. Needs the
    extra trl.
    """
    tree = settings.merge(
        settings.from_file(config),
        settings.assignments(set_ or []),
        at("env.taskset.id", taskset),
        at("env.taskset.curriculum.sampler.type", sampler),
        at("env.taskset.curriculum.seed", seed or None),
    )
    from curriculum_env.cli.train_plan import Plan
    from curriculum_env.cli.train_session import carry_out

    plan = Plan(
        policy=policy,
        taskset=tree.get("env", {}).get("taskset", {}),
        compare=compare,
        steps=steps,
        groups=groups or (16 if policy == "tiny" else 4),
        group_size=group_size,
        rate=rate,
        max_tokens=max_tokens,
        dynamic_sampling=dynamic_sampling,
        scale_learning_rate=scale_learning_rate,
        evaluations=evaluations,
        heldout=heldout,
        seed=seed,
        output=output,
    )
    carry_out(plan)
