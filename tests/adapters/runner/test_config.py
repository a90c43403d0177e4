from __future__ import annotations

from typing import Any

import pytest

from curriculum_env.adapters.verifiers.runner import resolve
from curriculum_env.errors import ConfigError


def settings(taskset: str = "coins", **more: Any) -> dict[str, Any]:
    run = {"model": "scripted", "groups": 1, "group_size": 2, "concurrency": 4, "workers": 0}
    return {**run, "env": {"taskset": {"id": taskset}}, **more}


def test_the_environment_is_narrowed_to_its_own_settings() -> None:
    config = resolve(settings(env={"taskset": {"id": "coins", "count": 7}}))
    assert config.env.taskset.count == 7
    assert resolve(config.model_dump(mode="json")) == config


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (settings("no-such-taskset"), "no taskset 'no-such-taskset' is installed"),
        (settings("no such"), "no taskset 'no such' is installed"),
        (settings("json"), "'json' cannot be loaded as a taskset"),
        (settings("plain-coins"), "curriculum-wrap --set taskset.inner.id=plain-coins"),
        (settings(groups=0), "groups: input should be greater than or equal to 1, found 0"),
        (settings(model=""), "model: string should have at least 1 character, found ''"),
        (settings(colour="red"), "there is no setting colour"),
        (
            settings(env={"taskset": {"id": "coins", "curriculum": {"explore": 2}}}),
            "env.taskset.curriculum.explore: input should be less than or equal to 1, found 2",
        ),
        (
            settings(env={"taskset": {"id": "coins", "curriculum": {"explor": 0.2}}}),
            "there is no setting env.taskset.curriculum.explor",
        ),
        (
            settings(groups=0, group_size=0),
            "groups: input should be greater than or equal to 1, found 0; group_size: input",
        ),
        (settings(workers=2), "2 worker processes cannot share the store 'memory://'"),
        (
            settings(env={"taskset": {"id": "curriculum-wrap", "inner": {"id": "nowhere"}}}),
            "nowhere",
        ),
        (settings("exploding"), "'exploding' cannot be loaded as a taskset (RuntimeError: boom)"),
        (
            settings(env={"taskset": {"id": "curriculum-wrap", "inner": {"id": "exploding"}}}),
            "'curriculum-wrap' cannot be loaded (RuntimeError: boom)",
        ),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_sentence(raw: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as refused:
        resolve(raw)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
