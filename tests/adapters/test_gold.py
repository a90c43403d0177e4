from __future__ import annotations

from typing import Any

import pytest
import verifiers.v1 as vf

from curriculum_env.adapters.verifiers.gold import gold_accepted


class Data(vf.TaskData):
    answer: str = ""


class Plain(vf.Task[Data, vf.State, vf.TaskConfig]):
    """Brings no check."""


class Checked(Plain):
    """Says what its data says."""

    async def validate(self, runtime: Any) -> Any:
        return {"right": True, "wrong": False, "unknown": None}[self.data.answer]


class Sandboxed(Plain):
    """Needs a runtime for its check."""

    async def validate(self, runtime: Any) -> bool:
        return bool(await runtime.execute("true"))


@pytest.mark.parametrize(
    ("kind", "answer", "accepted"),
    [
        (Plain, "", None),
        (Checked, "right", True),
        (Checked, "wrong", False),
        (Checked, "unknown", None),
        (Sandboxed, "", None),
    ],
)
async def test_the_tasks_own_check_is_asked(
    kind: type[Any], answer: str, accepted: bool | None
) -> None:
    task = kind(Data(idx=0, prompt="?", answer=answer), vf.TaskConfig())
    assert await gold_accepted(task) is accepted
