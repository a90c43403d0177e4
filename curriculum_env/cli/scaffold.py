"""Writes the files of a new environment package."""

from __future__ import annotations

import keyword
import re
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path
from string import Template

from curriculum_env.errors import ConfigError

LONGEST = 64
_SUFFIX = ".tmpl"


def scaffold(name: str, parent: Path) -> Path:
    """Write PARENT/NAME (hyphens become underscores), a package that works as it is.

    Raises:
        ConfigError: `name` cannot name a package, or the folder cannot be written.
    """
    module = name.replace("-", "_")
    if not re.fullmatch(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*", name) or keyword.iskeyword(module):
        raise ConfigError(
            f"{name!r} cannot name an environment: use lower-case letters, digits and hyphens, "
            "as in word-problems."
        )
    folder = parent / module
    if len(name) > LONGEST:
        raise ConfigError(
            f"the name has {len(name)} letters; expected at most {LONGEST}: choose a shorter one."
        )
    if folder.exists():
        raise ConfigError(f"{folder} is there already: choose another name, or remove it.")
    if find_spec(module) is not None:
        raise ConfigError(
            f"this Python already has a module {module!r}, which would be loaded instead: choose "
            "another name."
        )
    title = "".join(part.capitalize() for part in module.split("_"))
    names = {"name": name.replace("_", "-"), "module": module, "title": title}
    try:
        _write(files("curriculum_env.cli") / "template", folder, names)
    except OSError as error:
        raise ConfigError(f"{folder} cannot be written: {error.strerror or error}.") from error
    return folder


def _write(template: Traversable, target: Path, names: dict[str, str]) -> None:
    if template.is_dir():
        target.mkdir(parents=True)
        for child in template.iterdir():
            name = names["module"] if child.name == "package" else child.name.removesuffix(_SUFFIX)
            _write(child, target / name, names)
    else:
        text = Template(template.read_text(encoding="utf-8")).substitute(names)
        target.write_text(text, encoding="utf-8")
