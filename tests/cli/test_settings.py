from __future__ import annotations

from pathlib import Path

import pytest

from curriculum_env.cli import settings
from curriculum_env.errors import ConfigError


def test_later_trees_win_branch_by_branch() -> None:
    one, other = {"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"c": 4}, "d": {"e": 5}}
    assert settings.merge(one, other) == {"a": {"b": 1, "c": 4}, "d": {"e": 5}}
    assert one == {"a": {"b": 1, "c": 2}, "d": 3}


def test_a_table_of_another_type_takes_the_place_of_the_earlier_one() -> None:
    one = {"sampler": {"type": "gain", "balance": 0.5}}
    assert settings.merge(one, {"sampler": {"type": "band"}}) == {"sampler": {"type": "band"}}
    assert settings.merge(one, {"sampler": {"type": "gain"}}) == one
    finer = settings.merge(one, {"sampler": {"by": "level"}})
    assert finer == {"sampler": {"type": "gain", "balance": 0.5, "by": "level"}}


def test_a_dotted_path_is_a_branch() -> None:
    assert settings.at("a.b.c", 1) == {"a": {"b": {"c": 1}}}
    assert settings.at("a.b", None) == {}
    assert settings.at("a", False) == {"a": False}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.2", 0.2),
        ("3", 3),
        ("true", True),
        ("[1, 2]", [1, 2]),
        ('"3"', "3"),
        ("heldout", "heldout"),
        ("sqlite:///a=b.db", "sqlite:///a=b.db"),
        ('{ type = "uniform" }', {"type": "uniform"}),
        ("", ""),
    ],
)
def test_a_value_is_toml_or_plain_text(text: str, value: object) -> None:
    assert settings.assignments([f"x.y={text}"]) == {"env": {"x": {"y": value}}}


@pytest.mark.parametrize("text", ["x", "=1", "x..y=1", ".x=1"])
def test_an_assignment_needs_a_key(text: str) -> None:
    with pytest.raises(ConfigError, match="key=value"):
        settings.assignments([text])


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    tree = {"model": "m", "env": {"taskset": {"id": "t", "split": None}}}
    settings.save(tree, tmp_path)
    assert settings.saved(tmp_path) == tree
    (tmp_path / settings.SAVED).write_text("{")
    with pytest.raises(ConfigError, match="cannot be read"):
        settings.saved(tmp_path)


def test_the_first_difference_is_named_by_its_path() -> None:
    one = {"a": {"b": 1, "c": [1]}, "d": None}
    assert settings.difference(one, {"a": {"b": 1, "c": [1]}}) is None
    assert settings.difference(one, {"a": {"b": 1, "c": [2]}, "d": 1}) == ("a.c", [1], [2])
    assert settings.difference(one, {"a": {"b": {"x": 1}, "c": [1]}}) == ("a.b", 1, {"x": 1})


def test_a_difference_of_type_comes_before_those_it_makes() -> None:
    greedy, thompson = {"type": "greedy"}, {"type": "thompson", "shortlist": 3}
    assert settings.difference(greedy, thompson) == ("type", "greedy", "thompson")


def inside(size: int) -> settings.Tree:
    return settings.at("env.taskset.curriculum.group_size", size)


def test_the_group_size_counts_wherever_it_is_written() -> None:
    assert settings.sized({}) == {}
    assert settings.sized(inside(4))["group_size"] == 4
    assert settings.sized({"group_size": 4}, inside(4))["group_size"] == 4
    with pytest.raises(ConfigError, match=r"group_size is 8 .*curriculum\.group_size 4"):
        settings.sized({"group_size": 8}, inside(4))


@pytest.mark.parametrize("text", ["taskset=5", "taskset.curriculum=5", "taskset.task=x"])
def test_an_assignment_does_not_replace_a_table(text: str) -> None:
    with pytest.raises(ConfigError, match=f"env.{text.partition('=')[0]} is .*expected a table"):
        settings.assignments([text])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("env = 5", "env is 5"),
        ('[env]\ntaskset = "coins"', 'env.taskset is "coins"'),
        ('client = "x"', 'client is "x"'),
        ("sampling = 2026-01-01", 'sampling is "2026-01-01"'),
    ],
)
def test_a_file_has_tables_where_they_belong(tmp_path: Path, text: str, name: str) -> None:
    (tmp_path / "run.toml").write_text(text)
    with pytest.raises(ConfigError, match=f"{name}; expected a table"):
        settings.from_file(tmp_path / "run.toml")


@pytest.mark.parametrize("text", ["[]", "{}", '{"env": {"taskset": {}}}', '{"env": []}'])
def test_what_was_saved_by_something_else(tmp_path: Path, text: str) -> None:
    settings.save({}, tmp_path)
    (tmp_path / settings.SAVED).write_text(text)
    with pytest.raises(ConfigError, match="does not hold the settings of a run"):
        settings.saved(tmp_path)


def test_settings_that_cannot_be_saved(tmp_path: Path) -> None:
    (tmp_path / "configs").write_text("")
    with pytest.raises(ConfigError, match="cannot be written"):
        settings.save({}, tmp_path)
