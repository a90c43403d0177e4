"""Where in a record the parts of a task are: paths such as `reward_model.ground_truth`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from curriculum_env.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Columns:
    """The path of each part of a task; empty: the records have none.

    A path names a column, and after each dot a key or a position inside it. `prompt` may be text
    or chat messages, `answer` a text, a number or a list of accepted answers. `features` and
    `extra` map names to paths: features are what estimators read, extra goes into the task's data.
    """

    prompt: str = "prompt"
    answer: str = "answer"
    domain: str = ""
    level: str = ""
    source: str = ""
    licence: str = ""
    features: Mapping[str, str] = field(default_factory=dict)
    extra: Mapping[str, str] = field(default_factory=dict)

    def paths(self) -> list[str]:
        """Every path in use."""
        plain = (self.prompt, self.answer, self.domain, self.level, self.source, self.licence)
        return [path for path in (*plain, *self.features.values(), *self.extra.values()) if path]

    def roots(self, names: Iterable[str]) -> list[str]:
        """Those of the columns `names` that some path begins with."""
        paths = self.paths()
        return [name for name in names if any(_begins(path, name) for path in paths)]

    def with_paths(self, settings: Iterable[str]) -> Columns:
        """These columns with `settings` of the form `PART=PATH`; `features.NAME=PATH` and
        `extra.NAME=PATH` add a feature and a further part of the task's data.

        Raises:
            ConfigError: a setting is of another form or names no part of a task.
        """
        columns = self
        for setting in settings:
            part, equals, path = setting.partition("=")
            group, _, name = part.partition(".")
            if not equals or (part not in PARTS and not (group in GROUPS and name)):
                raise ConfigError(
                    f"column {setting!r} is not of the form PART=PATH; expected a part among "
                    f"{', '.join(PARTS)}, features.NAME and extra.NAME, such as "
                    "answer=reward_model.ground_truth"
                )
            changed: Any = (
                {group: {**getattr(columns, group), name: path}} if name else {part: path}
            )
            columns = replace(columns, **changed)
        return columns


GROUPS = ("features", "extra")
PARTS = tuple(part.name for part in fields(Columns) if part.name not in GROUPS)


def _begins(path: str, name: str) -> bool:
    return path == name or path.startswith(f"{name}.")


def pick(record: Any, path: str) -> Any:
    """The value at `path` in `record`, None where there is none.

    A name may itself hold dots, and a value on the way may be JSON in a text.
    """
    if not path:
        return record
    if isinstance(record, str):
        record = _parsed(record)
    if isinstance(record, Mapping):
        names = (name for name in _heads(path) if name in record)
        name = next(names, None)
        return None if name is None else pick(record[name], path[len(name) + 1 :])
    if isinstance(record, Sequence) and not isinstance(record, str):
        head, _, rest = path.partition(".")
        inside = head.isdecimal() and int(head) < len(record)
        return pick(record[int(head)], rest) if inside else None
    return None


def _heads(path: str) -> Iterable[str]:
    """The beginnings of a path that may be a name, longest first."""
    parts = path.split(".")
    return (".".join(parts[:end]) for end in range(len(parts), 0, -1))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
