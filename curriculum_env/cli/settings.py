"""From flags, a TOML file and a saved run to one tree of settings."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from curriculum_env.errors import ConfigError

Tree = dict[str, Any]

SAVED = Path("configs") / "resolved" / "run.json"
_TABLES = (
    *("", "client", "sampling", "env", "env.taskset"),
    *("env.taskset.curriculum", "env.taskset.task", "env.taskset.inner"),
)
DEFAULTS: Tree = {"groups": 64, "group_size": 8, "concurrency": 16, "workers": 0}


def merge(*trees: Mapping[str, Any]) -> Tree:
    """One tree; where two disagree the later one wins. A table of another `type` takes the place
    of the earlier one whole, for its settings are others."""
    merged: Tree = {}
    for tree in trees:
        for key, value in tree.items():
            old = merged.get(key)
            alike = isinstance(old, Mapping) and isinstance(value, Mapping) and _alike(old, value)
            merged[key] = merge(old, value) if alike else value  # type: ignore[arg-type]
    return merged


def _alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return "type" not in one or other.get("type", one["type"]) == one["type"]


def at(path: str, value: Any) -> Tree:
    """The tree with `value` at a dotted path; an empty one for None."""
    if value is None:
        return {}
    for key in reversed(path.split(".")):
        value = {key: value}
    return dict(value)


def sized(*trees: Mapping[str, Any]) -> Tree:
    """`trees` as one, whose group size stands at the top, wherever it was written.

    Raises:
        ConfigError: it is given in both places, and not the same.
    """
    tree = merge(*trees)
    inner = tree.get("env", {}).get("taskset", {}).get("curriculum", {}).get("group_size")
    outer = tree.get("group_size", inner)
    if inner not in (None, outer):
        raise ConfigError(
            f"group_size is {outer} and env.taskset.curriculum.group_size {inner}: they are the "
            "same setting, give one of them."
        )
    return merge(tree, at("group_size", outer))


def tables(tree: Any) -> Tree:
    """`tree` itself, in which what must be a table is one.

    Raises:
        ConfigError: it is not.
    """
    for path in _TABLES:
        found = tree
        for key in filter(None, path.split(".")):
            found = found.get(key, {})
        if not isinstance(found, dict):
            raise ConfigError(
                f"{path or 'the whole'} is {json.dumps(found, default=str)}; expected a table of "
                f"settings{path and f', those of [{path}]'}."
            )
    return dict(tree)


def assignments(texts: Iterable[str]) -> Tree:
    """The tree of `--set key=value` flags under `env`; a value is TOML, else plain text.

    Raises:
        ConfigError: a flag is not of the form key=value.
    """
    trees = []
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not all(key.split(".")):
            raise ConfigError(
                f"--set {text!r} is not of the form key=value: write for example "
                "--set taskset.curriculum.explore=0.2."
            )
        trees.append(tables(at(f"env.{key}", _value(value))))
    return merge(*trees)


def pairs(texts: Iterable[str], flag: str, example: str) -> Tree:
    """The tree of flags of the form key=value, without dots; a value is TOML, else plain text.

    Raises:
        ConfigError: a flag is not of that form.
    """
    tree: Tree = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise ConfigError(
                f"{flag} {text!r} is not of the form key=value: write for example {flag} {example}."
            )
        tree[key] = _value(value)
    return tree


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def from_file(path: Path | None) -> Tree:
    """The settings of a TOML file: the tables of a run, [env] as verifiers writes it.

    Raises:
        ConfigError: the file is missing or is not TOML.
    """
    if path is None:
        return {}
    try:
        return tables(tomllib.loads(path.expanduser().read_text(encoding="utf-8")))
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror or error}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not TOML: {error}.") from error


def saved(folder: Path) -> Tree:
    """The settings a run in `folder` was started with.

    Raises:
        ConfigError: there is no run in `folder`, or its settings cannot be read.
    """
    path = folder / SAVED
    try:
        loaded = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ConfigError(
            f"{folder} holds no run to resume: name its folder with --output, or leave out "
            "--resume to start one."
        ) from error
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}.") from error
    try:
        settings = tables(loaded)
        settings["env"]["taskset"]["id"]
    except (ConfigError, KeyError) as error:
        raise ConfigError(
            f"{path} does not hold the settings of a run: start one with another --output."
        ) from error
    return settings


def save(settings: Mapping[str, Any], folder: Path) -> None:
    """Write the settings where `saved` and verifiers' own replay find them.

    Raises:
        ConfigError: they cannot be written.
    """
    path = folder / SAVED
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written ({error.strerror or error}): make room, or name another "
            "folder with --output."
        ) from error


def frozen(settings: Mapping[str, Any]) -> Tree:
    """Settings that a resumed run must share with the run it goes on with."""
    keep = merge({key: settings.get(key) for key in ("env", "model", "sampling", "group_size")})
    taskset = keep["env"]["taskset"]
    taskset["curriculum"] = {**taskset.get("curriculum", {}), "resume": "continue"}
    taskset["task"] = {**taskset.get("task", {}), "store": None}
    return keep


class Difference(NamedTuple):
    """A setting, by its dotted path, that two trees disagree on; None where one lacks it."""

    path: str
    one: Any
    other: Any


def difference(one: Any, other: Any, path: str = "") -> Difference | None:
    """Where two trees first differ, None where they do not. Of two settings of one table, the
    `id` or `type` that decides what the others mean comes first."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in sorted({*one, *other}, key=lambda key: (key not in ("id", "type"), key)):
            name = f"{path}.{key}".removeprefix(".")
            if found := difference(one.get(key), other.get(key), name):
                return found
        return None
    return None if one == other else Difference(path, one, other)
