from __future__ import annotations

from typing import Any

import pytest

from curriculum_env.errors import ConfigError
from curriculum_env.pool.columns import Columns, pick

RECORD: dict[str, Any] = {
    "reward_model": {"ground_truth": "4", "dotted.name": 1},
    "qwen2.5_rate": 0.5,
    "prompt": [{"role": "user", "content": "Hi"}],
    "info": '{"level": [1, {"deep": 2}]}',
    "text": "no JSON",
    "nothing": None,
}


@pytest.mark.parametrize(
    ("path", "value"),
    [("reward_model.ground_truth", "4"), ("reward_model.dotted.name", 1), ("qwen2.5_rate", 0.5),
     ("prompt.0.content", "Hi"), ("prompt.1.content", None), ("info.level.1.deep", 2),
     ("text.inside", None), ("nothing.at.all", None), ("missing", None), ("prompt.x", None)],
)  # fmt: skip
def test_paths(path: str, value: Any) -> None:
    assert pick(RECORD, path) == value


def test_settings_name_parts_and_more() -> None:
    columns = Columns().with_paths(
        ["prompt=q", "answer=reward_model.ground_truth", "features.rate=r", "extra.tests=io.tests"]
    )
    assert columns.prompt == "q"
    assert columns.features == {"rate": "r"}
    assert columns.extra == {"tests": "io.tests"}
    assert columns.roots(["q", "reward_model", "io", "huge"]) == ["q", "reward_model", "io"]


@pytest.mark.parametrize("setting", ["prompt", "gold=x", "features=x", "features.=x", "=x"])
def test_other_settings_are_refused(setting: str) -> None:
    with pytest.raises(ConfigError, match="PART=PATH"):
        Columns().with_paths([setting])
