"""Fills the generated parts of the pages in this folder: `make docs`.

A part lies between `<!-- generated: NAME -->` and `<!-- end -->`. Commands are read from the
command line itself, settings from the configuration classes and the text under each field, figures
from the results that benchmarks left in `benchmarks/`.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import typer.main
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from curriculum_env import CurriculumConfig, CurriculumTaskConfig, CurriculumTasksetConfig
from curriculum_env.cli import app

DOCS = Path(__file__).parent
LAB = DOCS.parent / "benchmarks" / "lab_results.json"
TRAINING = DOCS.parent / "benchmarks" / "training_results.json"
LADDERS = DOCS.parent / "benchmarks" / "ladder_results.json"
ESTIMATORS = DOCS.parent / "benchmarks" / "estimator_results.json"
OWN = "default"
PART = re.compile(r"(<!-- generated: (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)


def fill(page: str) -> str:
    """The page with its generated parts up to date."""
    return PART.sub(lambda part: f"{part[1]}\n{made(part[2])}\n{part[3]}", page)


def made(part: str) -> str:
    """The text of a part; one of a family has its argument behind the family's name."""
    family, _, argument = part.partition(" ")
    return FAMILIES[family](argument) if family in FAMILIES else PARTS[part]()


def pages() -> dict[Path, str]:
    """Every page with a generated part, as it should read."""
    texts = {path: path.read_text() for path in sorted(DOCS.rglob("*.md"))}
    return {path: fill(text) for path, text in texts.items() if PART.search(text)}


# --- commands --------------------------------------------------------------------------------
def commands() -> Iterator[tuple[str, Any]]:
    """Every command of the command line, with its full name."""

    def walk(name: str, command: Any) -> Iterator[tuple[str, Any]]:
        yield name, command
        for child, inner in getattr(command, "commands", {}).items():
            yield from walk(f"{name} {child}", inner)

    return walk("curriculum-env", typer.main.get_command(app))


def command_reference() -> str:
    """A section for each command."""
    return "\n".join(command_section(name, command) for name, command in commands())


def command_section(name: str, command: Any) -> str:
    """What a command does, its arguments and its options."""
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    usage = " ".join([name, *map(spelling, arguments)])
    usage += " COMMAND" if hasattr(command, "commands") else ""
    rows = [
        (f"`{spelling(p)}`", one_line(p.help or "")) for p in command.params if p.name != "help"
    ]
    text = f"### {name}\n\n{inspect.cleandoc(command.help or '')}\n\n```\n{usage}\n```\n"
    return text + (f"\n{table(('', ''), rows)}\n" if rows else "")


def spelling(parameter: Any) -> str:
    """An argument's name in capitals, or the ways to write an option."""
    if parameter.param_type_name == "argument":
        return str(parameter.name).upper()
    return ", ".join((*parameter.opts, *parameter.secondary_opts))


# --- settings --------------------------------------------------------------------------------
def settings_of(config: type[BaseModel]) -> str:
    """A table of the settings of `config` that are plain values."""
    texts = field_texts(config)
    rows = [
        (f"`{name}`", default(field), f"{texts[name]}{values(field)}")
        for name, field in config.model_fields.items()
        if not configs_in(field.annotation) and name in texts and name != "type"
    ]
    return table(("setting", "default", "meaning"), rows) + "\n"


def nested_settings_of(config: type[BaseModel]) -> str:
    """The settings of `config` that have settings of their own, and those that are not a choice
    among types described elsewhere."""
    texts, parts = field_texts(config), []
    for name, field in config.model_fields.items():
        inner = configs_in(field.annotation)
        if inner:
            parts.append(f"`{name}` (default {default(field)}): {texts[name]}\n")
            parts += [settings_of(kind) for kind in inner if "type" not in kind.model_fields]
    return "\n".join(parts)


def augment_settings() -> str:
    """The settings of augmentation, then those inside each of its parts."""
    (config,) = configs_in(CurriculumConfig.model_fields["augment"].annotation)
    texts, parts = field_texts(config), [settings_of(config)]
    for name, field in config.model_fields.items():
        inner = configs_in(field.annotation)
        if inner:
            parts.append(f"`{name}`: {texts[name]}\n")
            typed = "type" in inner[0].model_fields
            parts += [choice(name, kind) if typed else settings_of(kind) for kind in inner]
    return "\n".join(parts)


def choices_of(field: str) -> str:
    """A section for each `type` that `curriculum.FIELD` may have."""
    kinds = configs_in(CurriculumConfig.model_fields[field].annotation)
    return "\n".join(choice(field, kind) for kind in kinds)


def choice(field: str, kind: type[BaseModel]) -> str:
    """What a `type` does, and its own settings."""
    name = kind.model_fields["type"].default
    text = f'`{field} = {{ type = "{name}" }}`: {field_texts(kind)["type"]}\n'
    nested = nested_settings_of(kind)
    plain = any(
        name != "type" and not configs_in(field.annotation)
        for name, field in kind.model_fields.items()
    )
    text += f"\n{settings_of(kind)}" if plain else ""
    return text + (f"\n{nested}" if nested else "")


def configs_in(annotation: Any) -> list[type[BaseModel]]:
    """The configuration classes an annotation names, outermost only."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [config for part in get_args(annotation) for config in configs_in(part)]


def field_texts(config: type[BaseModel]) -> dict[str, str]:
    """The text under each field of `config` and of its bases in this project."""
    texts: dict[str, str] = {}
    for owner in reversed(config.__mro__):
        if owner.__module__.partition(".")[0] in ("curriculum_env", "arithmetic_curriculum"):
            body = ast.parse(textwrap.dedent(inspect.getsource(owner))).body[0]
            assert isinstance(body, ast.ClassDef)
            texts |= dict(documented(body.body))
    return texts


def documented(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    """The annotated names of a class that have a text under them, and that text."""
    for line, below in pairwise(body):
        if isinstance(line, ast.AnnAssign) and isinstance(below, ast.Expr):
            assert isinstance(line.target, ast.Name)
            assert isinstance(below.value, ast.Constant)
            yield line.target.id, one_line(str(below.value.value))


def default(field: FieldInfo) -> str:
    """The default as TOML would write it."""
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if isinstance(value, BaseModel):
        return f'`{{ type = "{value.model_dump()["type"]}" }}`'
    return "unset" if value is None else f"`{json.dumps(value)}`"


def values(field: FieldInfo) -> str:
    """The values a field may have, where they are few."""
    if get_origin(field.annotation) is not Literal:
        return ""
    return f" One of {', '.join(f'`{value}`' for value in get_args(field.annotation))}."


# --- figures ---------------------------------------------------------------------------------
def measured(rules: str) -> str:
    """The rows of the lab of the rules named, as published and tuned, and of the default."""
    found = json.loads(LAB.read_text())["entrants"]
    names = [name for rule in rules.split() for name in (rule, f"{rule}*") if name in found]
    shown = dict.fromkeys([*names, OWN])
    return lab_table({name: found[name] for name in shown}) + LAB_LEGEND.format("../lab.md")


def standings(_: str) -> str:
    """Every entrant in every setting, the best on average first."""
    found = json.loads(LAB.read_text())["entrants"]

    def mean(name: str) -> float:
        ratios = [line["vs_uniform"][0] for line in found[name].values()]
        return float(sum(ratios) / len(ratios))

    return lab_table({name: found[name] for name in sorted(found, key=mean)}) + LAB_LEGEND.format(
        "lab.md"
    )


def lab_table(lines: dict[str, dict[str, Any]]) -> str:
    """One line for each entrant, one column for each setting."""
    settings = list(json.loads(LAB.read_text())["settings"])
    rows = [
        (f"`{name}`", *(ratio(found.get(setting)) for setting in settings), *extent(found))
        for name, found in lines.items()
    ]
    return table(("", *settings, "worst domain", "ρ", "tasks", "worlds"), rows) + "\n"


def ratio(line: dict[str, Any] | None) -> str:
    """Rollouts over uniform's; marked where the target was not reached in every world."""
    if line is None:
        return "-"
    return f"{'>' if line['reached'] < 1.0 else ''}{line['vs_uniform'][0]:.2f}"


def extent(found: dict[str, Any]) -> tuple[str, str, str, str]:
    """Over the settings: the lowest accuracy of the worst domain above uniform's, the mean share of
    living groups and number of tasks, and the worlds."""
    lines = list(found.values())
    worlds = sorted({line["seeds"] for line in lines})
    return (
        f"{min(line['worst_domain'] for line in lines):+.3f}",
        f"{sum(line['rho'] for line in lines) / len(lines):.2f}",
        f"{sum(line['distinct'] for line in lines) / len(lines):,.0f}",
        "-".join(map(str, dict.fromkeys([worlds[0], worlds[-1]]))),
    )


def verdicts(_: str) -> str:
    """The default against uniform and the best other rule, with 95% intervals."""
    results = json.loads(LAB.read_text())
    rows = [
        (
            setting,
            interval(found["vs_uniform"]),
            interval(found["vs_best_other"]),
            f"`{found['best_other']}`",
            interval(found["vs_best_own"]),
            f"`{found['best_own']}`",
            f"{results['entrants']['oracle'][setting]['vs_uniform'][0]:.2f}",
            "{:+.3f} [{:+.3f}, {:+.3f}]".format(*found["worst_domain_delta"]),
            f"{found['distinct']:,}",
        )
        for setting, found in results["settings"].items()
    ]
    head = (
        "",
        "over uniform",
        "over the best other",
        "which is",
        "over the best other of ours",
        "which is",
        "oracle",
        "worst domain",
        "tasks",
    )
    return table(head, rows) + "\n"


def trained(_: str) -> str:
    """What every rule needed in real training, pool by pool, the fewest rollouts first."""
    pools = json.loads(TRAINING.read_text())["pools"]
    rules = [name for name, found in next(iter(pools.values())).items() if "seeds" in found]
    rules.sort(key=lambda rule: sum(found[rule]["rollouts"] for found in pools.values()))
    head = [f"{pool}: rollouts" for pool in pools]
    columns = [name for first in head for name in (first, "steps", "final", "worst rung")]
    rows = [(f"`{r}`", *(c for found in pools.values() for c in training(found[r]))) for r in rules]
    return table(("", *columns), rows) + "\n"


def training(found: dict[str, Any]) -> tuple[str, str, str, str]:
    """Rollouts and steps, marked where a seed never got there; final accuracy; the worst rung."""
    mark = ">" if found["reached"] < 1.0 else ""
    rollouts, steps = (f"{mark}{found[axis]:.2f}" for axis in ("rollouts", "steps"))
    return rollouts, steps, f"{found['final']:.3f}", f"{found['worst_rung']:+.2f}"


def ladders(_: str) -> str:
    """Real training beside the lab, pool by pool."""
    pools, results = json.loads(TRAINING.read_text())["pools"], json.loads(LADDERS.read_text())
    lab, calibrated = results["lab"], results["calibrated"]
    rules = sorted(lab["even"], key=lambda rule: sum(pools[p][rule]["rollouts_mean"] for p in lab))
    head = [f"{pool}: {title}" for pool in lab for title in ("rollouts", "accuracy")]
    rows = [
        (
            f"`{rule}`",
            *(cell for pool in lab for cell in both(pools[pool][rule], lab[pool][rule])),
            "yes" if rule in calibrated else "no",
        )
        for rule in rules
        if rule != "uniform"
    ]
    ranks = [
        f"{results['agreement'][pool][f'{axis}_rank']:.2f}"
        for pool in lab
        for axis in ("rollouts", "gained")
    ]
    rows.append(("rank correlation", *ranks, ""))
    return table(("real / lab", *head, "calibrated on"), rows) + "\n"


def both(real: dict[str, Any], lab: dict[str, Any]) -> tuple[str, str]:
    """Rollouts, and final accuracy above uniform's, each measured and in the lab."""
    rollouts = f"{real['rollouts_mean']:.2f} / {lab['needed']:.2f}"
    return rollouts, f"{real['gained'][0]:+.3f} / {lab['gained']:+.3f}"


def interval(values: Sequence[float]) -> str:
    """A mean and its interval."""
    return "{:.2f} [{:.2f}, {:.2f}]".format(*values)


def predicted(names: str) -> str:
    """Log-losses of beliefs on recorded runs, and the figures of `irt` where it comes first."""
    results = json.loads(ESTIMATORS.read_text())
    chosen = names.split()
    rows = []
    for run, found in results.items():
        losses = found["log_loss"]
        best = min(value for name, value in losses.items() if name.startswith("bucket-ema"))
        known = {"bucket": best, "informed": losses.get("informed"), "truth": losses.get("truth")}
        cells = [losses.get(name, known.get(name)) for name in chosen]
        row = [run, *("-" if cell is None else f"{cell:.3f}" for cell in cells)]
        if chosen[0] == "irt":
            error, doubt = found["calibration"], found["calibration_se"]
            row += [f"{found['vs_beta']:.1%}", f"{found['vs_bucket']:.1%}"]
            row.append(f"{error:.3f} ± {doubt:.3f}")
        rows.append(tuple(row))
    more = ("irt below beta", "irt below bucket", "calibration") if chosen[0] == "irt" else ()
    return table(("runs", *chosen, *more), rows) + "\n"


LAB_LEGEND = """
Rollouts to the accuracy that uniform drawing ends with, over those uniform needs (`>`: not reached
in every world, where the whole budget counts); the accuracy of the worst domain above uniform's, in
the worst setting; the share of living groups and the different tasks drawn, means over the
settings. A star: with the settings that a search found best. [The lab]({}) explains.
"""


# --- Markdown --------------------------------------------------------------------------------
def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A Markdown table."""
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines
    )


def one_line(text: str) -> str:
    """The text without its line breaks."""
    return " ".join(text.split())


FAMILIES: dict[str, Callable[[str], str]] = {
    "measured": measured,
    "predicted": predicted,
    "standings": standings,
    "trained": trained,
    "ladders": ladders,
    "verdicts": verdicts,
}
PARTS: dict[str, Callable[[], str]] = {
    "commands": command_reference,
    "curriculum": lambda: settings_of(CurriculumConfig),
    "taskset": lambda: settings_of(CurriculumTasksetConfig),
    "task": lambda: settings_of(CurriculumTaskConfig),
    "sampler": lambda: choices_of("sampler"),
    "estimator": lambda: choices_of("estimator"),
    "gate": lambda: choices_of("gate"),
    "generate": lambda: settings_of(
        configs_in(CurriculumConfig.model_fields["generate"].annotation)[0]
    ),
    "augment": lambda: augment_settings(),
    "outage": lambda: settings_of(
        configs_in(CurriculumConfig.model_fields["outage"].annotation)[0]
    ),
}


if __name__ == "__main__":
    for path, text in pages().items():
        if path.read_text() != text:
            path.write_text(text)
            sys.stdout.write(f"{path.name}: updated\n")
