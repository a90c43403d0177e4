"""`curriculum-env pool estimate`: how often a policy solves each task, before training."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Pruned(StrEnum):
    """What leaves the pool, as `curriculum_env.pool.estimate.Prune` has it."""

    both = "both"
    unsolved = "unsolved"
    solved = "solved"
    none = "none"


def estimate(
    source: Annotated[
        str | None,
        typer.Argument(
            help="Pool to estimate: what `pool build` wrote, or any source it reads, "
            "[PRESET=]PLACE[@SPLIT]."
        ),
    ] = None,
    taskset: Annotated[
        str | None,
        typer.Option(help="Estimate the tasks of an installed taskset instead, by its episodes."),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="The model's name at the endpoint.")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="OpenAI-compatible endpoint, usually ending in /v1.")
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            help="Serve a model on this machine instead: smollm2, or the path of a GGUF file."
        ),
    ] = None,
    api_key_var: Annotated[
        str, typer.Option(help="Environment variable of the API key.")
    ] = "OPENAI_API_KEY",
    k: Annotated[int, typer.Option("-k", min=1, help="Rollouts of each task.")] = 8,
    max_k: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Rollouts of a task whose pass rate stays unclear; unset, k of every task.",
        ),
    ] = None,
    width: Annotated[
        float,
        typer.Option(
            min=0.0, max=1.0, help="A 95% interval wider than this is unclear, up to --max-k."
        ),
    ] = 0.4,
    rubric: Annotated[str, typer.Option(help="What grades a reply: math or exact.")] = "math",
    prompt: Annotated[
        str, typer.Option(help="What is asked, with {prompt} where the task goes.")
    ] = "{prompt}",
    system: Annotated[str, typer.Option(help="System message that goes first.")] = "",
    temperature: Annotated[
        float | None, typer.Option(min=0.0, help="Sampling temperature.")
    ] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Most tokens of one reply.")] = None,
    sampling: Annotated[
        list[str] | None,
        typer.Option(help="A further parameter of each request, as key=value, such as top_p=0.9."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="With --taskset: a setting under [env], as key=value."),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Take so many tasks at most.")] = None,
    concurrency: Annotated[
        int, typer.Option("--concurrency", "-c", min=1, help="Rollouts in flight at most.")
    ] = 16,
    per_minute: Annotated[
        float | None,
        typer.Option(
            min=0.001, help="Requests a minute at most, repeated ones too; of a taskset, episodes."
        ),
    ] = None,
    budget_tokens: Annotated[
        float | None, typer.Option(min=0.0, help="Prompt and completion tokens at most, in all.")
    ] = None,
    budget_money: Annotated[
        float | None, typer.Option(min=0.0, help="Money at most, in all, by the prices given.")
    ] = None,
    price_prompt: Annotated[
        float, typer.Option(min=0.0, help="Price of a million prompt tokens.")
    ] = 0.0,
    price_completion: Annotated[
        float, typer.Option(min=0.0, help="Price of a million completion tokens.")
    ] = 0.0,
    retries: Annotated[
        int, typer.Option(min=0, help="How often the openai SDK repeats a request that failed.")
    ] = 4,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds that a request may take.")] = 300,
    patience: Annotated[
        float,
        typer.Option(min=0.0, help="Seconds of nothing but failures before the estimate stops."),
    ] = 120,
    prune: Annotated[
        Pruned, typer.Option(help="Tasks that go to quarantine: never solved, always solved, both.")
    ] = Pruned.both,
    group_size: Annotated[
        int, typer.Option("--group-size", "-G", min=1, help="Group size that ρ is reported for.")
    ] = 8,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the estimate.")] = Path(
        "outputs/estimate"
    ),
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the estimate in the output folder.")
    ] = False,
) -> int:
    """Measure how often a policy solves each task, and write that into the pool as its prior.

    OUTPUT has each rollout in rollouts.db as it ends; at the end the pool with its priors in
    pool.parquet, tasks never or always solved in quarantine.parquet, the priors alone in
    priors.parquet, and the report in report.md and report.json. A rollout that is in rollouts.db
    is never paid for again: --resume goes on after Ctrl-C, a failing service or kill -9. The exit
    code is 3 where rollouts are owed.
    """
    from curriculum_env.cli.estimating import Order, carry_out
    from curriculum_env.pool.estimate import Depth, Prices, Prune, Settings

    settings = Settings(
        depth=Depth(k, max_k or k, width),
        concurrency=concurrency,
        tokens=budget_tokens,
        money=budget_money,
        prices=Prices(price_prompt, price_completion),
        patience=patience,
        silence=patience + 2 * timeout,
        prune=Prune(prune),
        group_size=group_size,
    )
    order = Order(
        source=source,
        taskset=taskset,
        model=model,
        base_url=base_url,
        policy=policy,
        api_key_var=api_key_var,
        rubric=rubric,
        prompt=prompt,
        system=system,
        sampling=_sampling(temperature, max_tokens, sampling or []),
        settings=tuple(set_ or ()),
        limit=limit,
        per_minute=per_minute,
        retries=retries,
        timeout=timeout,
    )
    return carry_out(order, settings, output.expanduser(), resume=resume)


def _sampling(
    temperature: float | None, max_tokens: int | None, more: list[str]
) -> dict[str, object]:
    from curriculum_env.cli.settings import pairs

    named = {"temperature": temperature, "max_tokens": max_tokens}
    given = {name: value for name, value in named.items() if value is not None}
    return {**given, **pairs(more, "--sampling", "top_p=0.9")}
