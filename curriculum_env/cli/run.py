"""`curriculum-env run`: real rollouts, each task drawn from the rewards of those before it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from curriculum_env.cli import settings
from curriculum_env.cli.settings import Tree, at
from curriculum_env.errors import ConfigError


def run(
    taskset: Annotated[
        str | None, typer.Argument(help="Id of an installed taskset with a curriculum.")
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
    groups: Annotated[int | None, typer.Option(help="Draws in all.  [default: 64]")] = None,
    group_size: Annotated[
        int | None,
        typer.Option("--group-size", "-G", help="Rollouts of each draw.  [default: 8]"),
    ] = None,
    refill: Annotated[
        bool,
        typer.Option(
            "--refill",
            help="Draw on until --groups groups are worth training on, at most ten times as many; "
            "[refill] in the file of settings has the cap.",
        ),
    ] = False,
    concurrency: Annotated[
        int | None,
        typer.Option("--concurrency", "-c", help="Rollouts in flight at most.  [default: 16]"),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            "-w",
            help="Worker processes; 0 runs the episodes in this one.  [default: 0]",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Folder of the run.  [default: outputs/TASKSET--MODEL, with the inner taskset "
            "between them where one is wrapped]",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in the output folder.")
    ] = False,
    store: Annotated[
        str | None,
        typer.Option(help="URL of the store.  [default: sqlite in the output folder]"),
    ] = None,
    sampler: Annotated[
        str | None, typer.Option(help="Rule that picks tasks.  [default: gain]")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the curriculum.  [default: 0]")] = None,
    temperature: Annotated[
        float | None, typer.Option(min=0.0, help="Sampling temperature.")
    ] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Most tokens of one reply.")] = None,
    api_key_var: Annotated[
        str | None,
        typer.Option(help="Environment variable of the API key.  [default: OPENAI_API_KEY]"),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="A setting under [env], as key=value; may be given more than once."
        ),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="TOML file of settings; flags win over it.")
    ] = None,
) -> int:
    """Run a taskset against a model and let the rewards choose the next task.

    Writes each episode to OUTPUT/traces.jsonl as it ends, and the summary to
    OUTPUT/report.json. Ctrl-C finishes the rollouts in flight and sums up; a second one cancels
    them. The exit code is 3 where rollouts failed: --resume runs them again.
    """
    if policy and base_url:
        raise ConfigError("--policy serves a model of its own: leave out --base-url, or --policy.")
    flags = settings.sized(
        at("env.taskset.id", taskset),
        at("env.taskset.task.store", store),
        at("env.taskset.curriculum.sampler.type", sampler),
        at("env.taskset.curriculum.seed", seed),
        at("model", model or (policy and Path(policy).stem)),
        at("policy", policy),
        at("client.base_url", base_url),
        at("client.api_key_var", api_key_var),
        at("sampling.temperature", temperature),
        at("sampling.max_tokens", max_tokens),
        at("groups", groups),
        at("group_size", group_size),
        at("refill", {} if refill else None),
        at("concurrency", concurrency),
        at("workers", workers),
        settings.assignments(set_ or ()),
    )
    given = settings.merge(settings.sized(settings.from_file(config)), flags)
    folder = (output or _folder(given, resume=resume)).expanduser()
    return _start(_complete(given, folder, resume=resume), folder, resume=resume)


def _start(tree: Tree, folder: Path, *, resume: bool) -> int:
    from curriculum_env.cli.runner import start

    return start(tree, folder, resume=resume)


def _folder(given: Tree, *, resume: bool) -> Path:
    taskset = given.get("env", {}).get("taskset", {})
    if not taskset.get("id") and resume:
        raise ConfigError("--resume needs to know what to resume: give --output or the taskset.")
    inner = taskset.get("inner", {}).get("id")
    names = (taskset.get("id"), *([inner] if inner else []), given.get("model"))
    name = "--".join(map(str, names)).lower()
    return Path("outputs") / re.sub(r"[^a-z0-9._@-]+", "-", name)


def _complete(given: Tree, folder: Path, *, resume: bool) -> Tree:
    """All settings of the run: the defaults, those of the resumed run, those given."""
    old = settings.saved(folder) if resume else {}
    tree = settings.merge(settings.DEFAULTS, old, given)
    taskset = tree.get("env", {}).get("taskset", {})
    if not taskset.get("id"):
        raise _missing("no taskset was named: write `curriculum-env run TASKSET ...`.", given)
    if not tree.get("policy") and not tree.get("client", {}).get("base_url"):
        raise _missing(
            "no model to run against: give --base-url and --model, or --policy smollm2.", given
        )
    if not tree.get("model"):
        raise _missing("no model was named: give --model as the endpoint calls it.", given)
    choice = {"resume": "continue"} if resume else {}
    return settings.merge(
        {"client": {"type": "eval", "api_key_var": "OPENAI_API_KEY"}},
        {"env": {"taskset": {"curriculum": {"resume": "never"}}}},
        at("env.taskset.task.store", f"sqlite:///{folder / 'curriculum.db'}"),
        tree,
        at("env.taskset.curriculum", {**choice, "group_size": tree["group_size"]}),
    )


def _missing(what: str, given: Tree) -> ConfigError:
    """The error of a setting that was not given, or was given under a name there is not."""
    from curriculum_env.adapters.verifiers.runner import RunConfig

    known = RunConfig.model_fields
    unknown = [key for key in given if key not in known]
    if not unknown:
        return ConfigError(what)
    return ConfigError(
        f"there is no setting {', '.join(unknown)}; expected {', '.join(known)} (a "
        f"taskset's settings are [env.taskset]), and {what}"
    )
