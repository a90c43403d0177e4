"""The in-process chat harness and the local Env around it."""

from __future__ import annotations

from typing import Any

import pytest
import verifiers.v1 as vf
from verifiers.v1.types import AssistantMessage, UserMessage

from curriculum_env import ChatHarness, LocalEnv
from curriculum_env.adapters.verifiers import LocalEnvConfig
from curriculum_env.testing.policy import ScriptedPolicy, serve_policy
from tests.adapters.playing import drawn, env_of, play


def coin(prompt: Any, system: str | None = None) -> tuple[vf.Env[Any], vf.Task]:
    env = env_of("coins", count=1)
    task = drawn(env, "coin-0", draw=None)
    task.data = task.data.model_copy(update={"prompt": prompt, "system_prompt": system})
    return env, task


async def test_a_system_prompt_is_a_message_of_its_own(policy: str) -> None:
    env, task = coin("Toss.", system="Be brief.")
    (episode,) = await play(env, [task], policy)
    said = [(node.message.role, node.message.content) for node in episode.traces[0].nodes]
    assert said == [("system", "Be brief."), ("user", "Toss."), ("assistant", "right")]


async def test_a_prompt_may_be_a_conversation(policy: str) -> None:
    opening = [UserMessage(content="Hi."), AssistantMessage(content="Yes?"),
               UserMessage(content="Toss.")]  # fmt: skip
    env, task = coin(opening)
    (episode,) = await play(env, [task], policy)
    assert episode.ok
    assert [node.message.role for node in episode.traces[0].nodes] == [
        "user", "assistant", "user", "assistant",
    ]  # fmt: skip


async def test_a_failed_call_is_tried_again_as_often_as_set() -> None:
    with serve_policy() as policy:
        env, task = coin("Toss. [fails=2]")
        (episode,) = await play(env, [task], policy)
        assert episode.ok
    with serve_policy() as policy:
        harness = {"harness": {"id": "coins", "max_retries": 1}}
        env = env_of("coins", count=1, env={"agent": harness})
        _, task = coin("Toss. [fails=2]")
        (episode,) = await play(env, [task], policy)
        assert not episode.ok
        assert episode.traces[0].errors[0].type == "ProviderError"


async def test_a_task_with_tools_is_refused_in_a_sentence(policy: str) -> None:
    env = env_of("curriculum-wrap", inner={"id": "tooled-words"})
    task = next(iter(env.taskset))
    (episode,) = await play(env, [task], policy)
    assert "does not support MCP tools" in episode.errors[0].message
    env.taskset.close()


async def test_a_user_may_carry_the_conversation_on() -> None:
    """An Env that plays the user: the harness is launched again on the whole conversation."""

    class Asking(LocalEnv, vf.Env[LocalEnvConfig]):
        async def run(self, task: vf.Task, agents: vf.Agents) -> None:
            async with agents.agent.interaction(task) as talk:
                await talk.turn()
                await talk.turn("Again.")

    config = env_of("coins", count=1).config
    env = Asking(config)
    with serve_policy(ScriptedPolicy(answer=lambda prompt: f"heard {prompt}")) as policy:
        _, task = coin("Toss.")
        (episode,) = await play(env, [task], policy)
    said = [node.message.content for node in episode.traces[0].nodes]
    assert said == ["Toss.", "heard Toss.", "Again.", "heard Again."]


def test_the_defaults_need_nothing_but_this_machine() -> None:
    env = env_of("coins", count=1)
    assert isinstance(env, LocalEnv)
    assert env.config.agent.runtime.type == "subprocess"
    assert all(isinstance(harness, ChatHarness) for harness in env._harnesses.values())


@pytest.mark.parametrize("runtime", ["docker", "prime"])
def test_another_runtime_can_be_chosen(runtime: str) -> None:
    env = env_of("coins", count=1, env={"agent": {"runtime": {"type": runtime}}})
    assert env.config.agent.runtime.type == runtime
