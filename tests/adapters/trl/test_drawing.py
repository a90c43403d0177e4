from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
import torch
import verifiers.v1 as vf

from curriculum_env import Row
from curriculum_env.errors import RewardError
from tests.adapters.trl.letters import Letters, LettersConfig, LetterTask, letters
from tests.adapters.trl.training import series, trainer

REFILLED = {"dynamic_sampling": True, "trajectory_replay": 0.5}


def test_each_group_is_one_draw_and_its_prompt_that_of_the_task(tmp_path: Path) -> None:
    one = trainer(tmp_path, max_steps=3)
    one.train()
    assert [len(seen["draws"]) for seen in one.seen] == [4, 4, 4]
    numbers = [number for seen in one.seen for number, _ in seen["draws"]]
    assert numbers == list(range(12))
    for seen in one.seen:
        expected = [
            (number, f"{int(uid.removeprefix('letter-')):03d}:")
            for number, uid in seen["draws"]
            for _ in range(4)
        ]
        assert seen["prompts"] == expected


@pytest.mark.parametrize("kind", ["grpo", "rloo"])
def test_a_draw_has_seen_every_earlier_reward(tmp_path: Path, kind: str) -> None:
    one = trainer(tmp_path, kind, max_steps=3)
    one.train()
    assert [seen["known"] for seen in one.seen] == [0, 16, 32]
    told = sum(sum(row) for seen in one.seen for row in seen["rewards"])
    metrics = one.curriculum.metrics()
    assert metrics["outcomes"] == 48
    assert metrics["success_mean"] * 48 == pytest.approx(told)
    assert metrics["in_flight"] == 0


def test_a_draw_has_seen_every_earlier_reward_through_a_store(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'run.db'}"
    one = trainer(tmp_path, max_steps=3, curriculum_store=url)
    one.train()
    assert [seen["known"] for seen in one.seen] == [0, 16, 32]
    one.shared.close()


def test_metrics_are_logged_each_step(tmp_path: Path) -> None:
    one = trainer(tmp_path, max_steps=2)
    one.train()
    assert series(one, "curriculum/draws") == [4, 8]
    assert series(one, "curriculum/outcomes") == [16, 32]
    assert len(series(one, "rewards/rubric/mean")) == 2


def test_a_chat_template_makes_prompts_messages(tmp_path: Path) -> None:
    one = trainer(tmp_path, max_steps=1, chat=True)
    one.train()
    (_, prompt), *_ = one.seen[0]["prompts"]
    assert [message["role"] for message in prompt] == ["user"]
    assert one.curriculum.metrics()["ok"] == 16


def test_other_rewards_move_the_policy_and_not_the_curriculum(tmp_path: Path) -> None:
    def length(completions: list[str], **_: Any) -> list[float]:
        return [100.0 + len(text) for text in completions]

    one = trainer(tmp_path, max_steps=1, taskset=letters(dead=1.0), reward_funcs=[length])
    one.train()
    assert series(one, "rewards/length/mean")[0] > 100
    assert series(one, "reward_std")[0] > 0
    assert one.curriculum.metrics()["success_mean"] == 0
    assert one.curriculum.metrics()["out_of_range"] == 0


def test_what_cannot_be_scored_teaches_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    counting: Any = {"outage": {"enabled": False}, "estimator": {"type": "beta"}}
    taskset = letters(broken=2, curriculum=counting)
    one = trainer(tmp_path, max_steps=2, taskset=taskset)
    with caplog.at_level(logging.WARNING):
        one.train()
    assert "could not score a completion" in caplog.text
    table = one.curriculum.table()
    drawn = [uid for seen in one.seen for _, uid in seen["draws"]]
    broken = {uid for uid in drawn if int(uid.removeprefix("letter-")) % 2 == 0}
    assert 0 < len(broken) < len(set(drawn))
    evidence = dict(zip(table["uid"], table["evidence"], strict=True))
    assert all((evidence[uid] == 0) == (uid in broken) for uid in drawn)
    assert one.curriculum.metrics()["error"] == 4 * sum(uid in broken for uid in drawn)
    for seen, output in zip(one.seen, one.trained, strict=True):
        failed = torch.tensor(seen["rewards"]).isnan()[:, 0]
        assert failed.any()
        assert not output["advantages"][failed].any()


class Growing(Letters, vf.Taskset[LetterTask, LettersConfig]):
    """Letters that never run out, and the held-out ones among the candidates."""

    def generator(self) -> Any:
        held_out = list(self.heldout_rows())
        return lambda number: (
            held_out[number % 4]
            if number % 2
            else Row(f"letter-{number + 100}", {"prompt": f"{number + 100:03d}:", "p": 0.5})
        )


def test_rows_that_the_taskset_makes_are_trained_on(tmp_path: Path) -> None:
    generate: Any = {"generate": {"share": 1.0}}
    one = trainer(tmp_path, taskset=Growing(LettersConfig(id="letters", curriculum=generate)))
    one.train()
    drawn = {uid for seen in one.seen for _, uid in seen["draws"]}
    made = {uid for uid in drawn if int(uid.removeprefix("letter-")) >= 100}
    assert len(made) > len(drawn) / 2
    assert one.curriculum.metrics()["generated_rows"] >= len(made)


@pytest.mark.parametrize("settings", [{"per_device_train_batch_size": 4}, REFILLED])
def test_a_group_that_fails_does_not_end_the_run(tmp_path: Path, settings: dict[str, Any]) -> None:
    """A batch, or a round of dynamic sampling, may be one group, whose grader fails today."""
    one = trainer(tmp_path, taskset=letters(broken=2), max_steps=8, **settings)
    one.train()
    assert any(torch.tensor(seen["rewards"]).isnan().all() for seen in one.seen)
    assert one.state.global_step == 8


def test_a_rubric_that_always_fails_ends_the_run(tmp_path: Path) -> None:
    one = trainer(tmp_path, taskset=letters(broken=1))
    with pytest.raises(RewardError, match=r"none of 32 completions could be scored.*no grader"):
        one.train()
