from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import verifiers.v1 as vf

from curriculum_env import CurriculumConfig, Outcome, Row
from curriculum_env.adapters.trl import CurriculumGRPOConfig, CurriculumGRPOTrainer
from curriculum_env.adapters.trl.taskset import (
    messages_of,
    open_curriculum,
    open_taskset,
    settings_of,
    text_of,
)
from curriculum_env.errors import ConfigError, PoolError
from tests.adapters.trl.letters import Letters, LettersConfig, LetterTask, letters
from tests.adapters.trl.tiny import model, tokenizer
from tests.adapters.trl.training import trainer


def test_by_id_by_settings_by_object_and_wrapped() -> None:
    assert type(open_taskset("coins")).__name__ == "Coins"
    assert len(list(open_taskset({"id": "coins", "count": 7}).rows())) == 7
    mine = letters()
    assert open_taskset(mine) is mine
    wrapped = open_taskset({"id": "plain-coins", "count": 5})
    with open_curriculum(wrapped, CurriculumConfig(), None) as curriculum:
        assert len(curriculum.rows) == 5


def test_a_taskset_by_id_is_trained_on(tmp_path: Path) -> None:
    one = trainer(tmp_path, taskset={"id": "plain-coins", "count": 50}, max_steps=1)
    one.train()
    (_, prompt), *_ = one.seen[0]["prompts"]
    assert prompt.startswith("Toss coin-")
    assert one.curriculum.metrics()["ok"] == 16


@pytest.mark.parametrize(
    ("taskset", "message"),
    [
        ("no-such-thing", "'no-such-thing' cannot be loaded.*install its package"),
        ({"id": "coins", "count": "many"}, "taskset 'coins': count: .*integer"),
        ({"id": "coins", "cuont": 3}, "taskset 'coins': cuont: "),
        ("", "'' cannot be loaded.*install its package"),
        (3, "taskset is a int without a curriculum; expected"),
        ({"count": 3}, "expected a taskset with CurriculumMixin, its id"),
    ],
)
def test_what_is_no_taskset_is_told(taskset: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        open_taskset(taskset)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"curriculum": {"smapler": 1}}, "curriculum: smapler: Extra inputs"),
        ({"curriculum": 5}, "curriculum: Input should be a valid dictionary"),
        ({"train_dataset": []}, "train_dataset is given, .*leave it out"),
        ({"eval_dataset": []}, "eval_dataset is given, .*leave it out"),
    ],
)
def test_what_is_no_setting_is_told(tmp_path: Path, given: dict[str, Any], message: str) -> None:
    args = CurriculumGRPOConfig(str(tmp_path), max_steps=1, use_cpu=True, bf16=False)
    with pytest.raises(ConfigError, match=message):
        CurriculumGRPOTrainer(model(), letters(), args=args, **given)


def test_settings_are_those_given_or_the_tasksets_own() -> None:
    own = letters(curriculum={"seed": 3})
    assert settings_of(own, None, 4) == CurriculumConfig(seed=3, group_size=4)
    assert settings_of(own, {"seed": 5}, 4) == CurriculumConfig(seed=5, group_size=4)
    with pytest.raises(ConfigError, match="group_size is 8 and num_generations 4"):
        settings_of(own, {"group_size": 8}, 4)
    speed = CurriculumConfig.model_validate({"sampler": {"type": "speed"}})
    with pytest.raises(ConfigError, match="'speed'"):
        open_curriculum(own, speed, None)


class NeedsRuntime(LetterTask):
    @vf.reward
    async def built(self, trace: vf.Trace, runtime: vf.Runtime) -> float:
        return 1.0


class SetsUp(LetterTask):
    async def setup(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        await runtime.run(["true"])


class Boxed(LetterTask):
    NEEDS_CONTAINER = True


class Tooled(LetterTask):
    @classmethod
    def toolsets(cls, config: Any) -> list[Any]:
        return [object()]


class Runtimes(Letters, vf.Taskset[NeedsRuntime, LettersConfig]):
    pass


class Setups(Letters, vf.Taskset[SetsUp, LettersConfig]):
    pass


class Boxes(Letters, vf.Taskset[Boxed, LettersConfig]):
    pass


class Tools(Letters, vf.Taskset[Tooled, LettersConfig]):
    pass


class Openless(Letters, vf.Taskset[LetterTask, LettersConfig]):
    def rows(self) -> Iterator[Row]:
        yield Row("silent", {"p": 0.5})


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (Runtimes, r"NeedsRuntime has the reward built\(\), which needs a runtime"),
        (Setups, r"SetsUp has a setup\(\), which prepares a runtime"),
        (Boxes, "Boxed runs in a container"),
        (Tools, "Tooled has tools, which take several turns"),
        (Openless, "LetterTask has no prompt"),
    ],
)
def test_tasks_of_more_than_a_turn_are_refused(tmp_path: Path, kind: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message + ".*train on it with prime-rl"):
        trainer(tmp_path, taskset=kind(LettersConfig(id="letters")))


def test_a_row_that_makes_no_task_is_told(tmp_path: Path) -> None:
    class Wrong(Letters, vf.Taskset[LetterTask, LettersConfig]):
        def rows(self) -> Iterator[Row]:
            yield Row("a", {"prompt": "a", "p": 0.5})
            yield Row("b", {"prompt": "b", "p": "half"})

    with pytest.raises(PoolError, match="'b' does not make a LetterTask"):
        trainer(tmp_path, taskset=Wrong(LettersConfig(id="letters")))


def test_prompts_as_messages_and_as_text() -> None:
    plain = vf.TaskData(prompt="two", system_prompt="one")
    assert messages_of(plain) == [
        {"role": "system", "content": "one"},
        {"role": "user", "content": "two"},
    ]
    assert text_of(plain) == "one\n\ntwo"
    talk = vf.TaskData(prompt=[vf.UserMessage(content="a"), vf.AssistantMessage(content="b")])
    assert [message["role"] for message in messages_of(talk)] == ["user", "assistant"]


def test_settings_that_an_endless_pool_cannot_follow(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="max_steps is -1"):
        trainer(tmp_path, max_steps=-1)
    with pytest.raises(ConfigError, match="save_strategy is 'epoch'"):
        trainer(tmp_path, save_strategy="epoch")
    with pytest.raises(ConfigError, match="args is a NoneType; expected a CurriculumGRPOConfig"):
        CurriculumGRPOTrainer(model(), letters(), processing_class=tokenizer())


def test_a_failed_start_gives_the_store_up(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'run.db'}"
    args = CurriculumGRPOConfig(
        str(tmp_path), max_steps=1, curriculum_store=store, use_cpu=True, bf16=False
    )
    with pytest.raises(TypeError):
        CurriculumGRPOTrainer(model(), letters(), args=args, processing_class=object())
    trainer(tmp_path, curriculum_store=store).shared.close()


def test_variants_by_a_policy_that_answers_nowhere_are_refused() -> None:
    taskset = open_taskset({"id": "arithmetic-curriculum", "size": 40})
    settings = {"augment": {"enabled": True}}
    with pytest.raises(ConfigError, match=r"at no endpoint .* set it to 'environment'"):
        open_curriculum(taskset, settings_of(taskset, settings, 4), None)


def test_an_environment_makes_variants_beside_a_trainer() -> None:
    taskset = open_taskset({"id": "arithmetic-curriculum", "size": 40})
    settings = {"augment": {"enabled": True, "proposer": "environment"}}
    until = time.monotonic() + 60.0
    with open_curriculum(taskset, settings_of(taskset, settings, 4), None) as curriculum:
        while curriculum.metrics()["variants"] < 5 and time.monotonic() < until:
            draw = curriculum.ask()
            for i, reward in enumerate((0.0, 1.0, 0.0, 1.0)):
                curriculum.tell(Outcome(draw.number, draw.uid, f"{draw.number}-{i}", reward))
            time.sleep(0.02)
        made = [row for row in curriculum.rows if row.parent]
        assert len(made) >= 5
        assert all(taskset.task(row).data.answer == row.data["answer"] for row in made)
