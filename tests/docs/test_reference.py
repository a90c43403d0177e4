from __future__ import annotations

import re
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from inspect import get_annotations
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pydantic import BaseModel

from curriculum_env import CurriculumConfig, CurriculumTaskConfig, CurriculumTasksetConfig
from tests.docs.markdown import ROOT


def generator() -> ModuleType:
    spec = spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


docs = generator()


def test_generated_parts_are_up_to_date() -> None:
    stale = [path.name for path, text in docs.pages().items() if path.read_text() != text]
    assert not stale, f"run `make docs`: {', '.join(stale)}"


@pytest.mark.parametrize(("name", "command"), list(docs.commands()))
def test_every_command_and_option_is_documented(name: str, command: Any) -> None:
    page = (ROOT / "docs" / "cli.md").read_text()
    section = page.partition(f"### {name}\n")[2].partition("\n### ")[0]
    assert command.help
    for parameter in command.params:
        if parameter.name != "help":
            assert parameter.help, f"{name}: {parameter.name} says nothing about itself"
            assert f"`{docs.spelling(parameter)}`" in section


def configs(config: type[BaseModel]) -> set[type[BaseModel]]:
    """`config` and every configuration class of this package below it."""
    fields = [field.annotation for field in config.model_fields.values()]
    below = [inner for annotation in fields for inner in docs.configs_in(annotation)]
    ours = [inner for inner in below if inner.__module__.startswith("curriculum_env.")]
    return {config}.union(*map(configs, ours))


ALL = {CurriculumTasksetConfig, CurriculumTaskConfig} | configs(CurriculumConfig)


@pytest.mark.parametrize("config", sorted(ALL, key=str))
def test_every_setting_is_documented(config: type[BaseModel]) -> None:
    page = (ROOT / "docs" / "configuration.md").read_text()
    own = [name for name in config.model_fields if name in vars_of(config)]
    for name in own:
        text = docs.field_texts(config).get(name)
        if not docs.configs_in(config.model_fields[name].annotation):
            assert text, f"{config.__name__}.{name} says nothing about itself"
            assert text in page


def vars_of(config: type[BaseModel]) -> set[str]:
    """The fields this project's own classes declare, not those of verifiers."""
    ours = [base for base in config.__mro__ if base.__module__.startswith("curriculum_env.")]
    return {name for base in ours for name in get_annotations(base)}


@pytest.mark.parametrize("readme", sorted((ROOT / "environments").glob("*/README.md")), ids=str)
def test_every_setting_of_an_environment_is_in_its_readme(readme: Path) -> None:
    name = readme.parent.name
    for config in configs_declared(import_module(name), name):
        for setting in get_annotations(config):
            assert re.search(rf"`(\w+\.)*{setting}\b", readme.read_text()), setting


def configs_declared(module: ModuleType, package: str) -> list[type[BaseModel]]:
    """The configuration classes of an environment package's taskset module."""
    taskset = vars(import_module(f"{package}.taskset")) if hasattr(module, "taskset") else {}
    return [
        value
        for name, value in taskset.items()
        if name.endswith("Config") and value.__module__.startswith(package)
    ]
