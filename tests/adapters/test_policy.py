"""The scripted policy does what its tags say, the same in every run of one seed."""

from __future__ import annotations

import json

import pytest

from curriculum_env.testing.policy import Outage, ScriptedPolicy


def said(policy: ScriptedPolicy, prompt: str) -> str:
    reply = policy.reply(prompt)
    if reply.status != 200:
        return str(reply.status)
    return str(json.loads(reply.body)["choices"][0]["message"]["content"])


@pytest.mark.parametrize("rate", [0.0, 0.2, 0.7, 1.0])
def test_the_pass_rate_is_the_tagged_one(rate: float) -> None:
    policy = ScriptedPolicy(seed=1)
    right = sum(said(policy, f"Toss. [p={rate}]") == "right" for _ in range(4000)) / 4000
    assert right == pytest.approx(rate, abs=4 * (rate * (1 - rate) / 4000) ** 0.5)


def test_a_prompt_fares_alike_whatever_else_is_asked() -> None:
    alone, among = ScriptedPolicy(seed=2), ScriptedPolicy(seed=2)
    first = [said(alone, "[p=0.5] a") for _ in range(50)]
    second = []
    for _ in range(50):
        said(among, "[p=0.5] b")
        second.append(said(among, "[p=0.5] a"))
    assert first == second
    assert [said(ScriptedPolicy(seed=3), "[p=0.5] a") for _ in range(50)] != first


def test_the_first_calls_may_fail_or_garble() -> None:
    policy = ScriptedPolicy()
    assert [said(policy, "[fails=2]") for _ in range(3)] == ["500", "500", "right"]
    assert not policy.reply("[malformed=1]").body.startswith("{")
    assert said(policy, "[malformed=1]") == "right"
    assert policy.reply("[delay=0.5]").delay == 0.5


def test_an_outage_is_errors_then_misses_then_over() -> None:
    policy = ScriptedPolicy(outage=Outage(start=2, errors=2, wrong=2))
    heard = [said(policy, "Go.") for _ in range(7)]
    assert heard == ["right", "right", "500", "500", "wrong", "wrong", "right"]


def test_an_answer_may_depend_on_the_prompt() -> None:
    policy = ScriptedPolicy(answer=lambda prompt: prompt.upper())
    assert said(policy, "yes") == "YES"
