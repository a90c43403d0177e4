from __future__ import annotations

import json

import verifiers.v1 as vf
from verifiers.v1.configs.client import EvalClientConfig, TrainClientConfig

from curriculum_env.augment.policy import Policy


def test_verifiers_settings_become_a_policy() -> None:
    client = EvalClientConfig(base_url="http://host:8000/v1", api_key_var="VLLM_KEY")
    sampling = vf.SamplingConfig(temperature=0.7, max_tokens=99, top_k=5)
    policy = Policy.of(client, "lora-3", sampling)
    assert (policy.client["base_url"], policy.client["api_key_var"]) == (
        "http://host:8000/v1", "VLLM_KEY",
    )  # fmt: skip
    assert policy.sampling == {"temperature": 0.7, "max_tokens": 99, "top_k": 5}
    assert (policy.model, policy.cache_salt) == ("lora-3", None)


def test_the_cache_salt_is_found_wherever_verifiers_keeps_it() -> None:
    client = TrainClientConfig(base_url="http://host:8000/v1", api_key_var="VLLM_KEY")
    inside = vf.SamplingConfig.model_validate({"extra_body": {"cache_salt": "7", "min_p": 0.1}})
    beside = vf.SamplingConfig.model_validate({"cache_salt": "7", "min_p": 0.1})
    for sampling in (inside, beside):
        policy = Policy.of(client, "m", sampling)
        assert (policy.cache_salt, policy.sampling) == ("7", {"min_p": 0.1})


def test_no_secret_is_put_down() -> None:
    client = EvalClientConfig(
        base_url="http://user:secret@host/v1?key=secret",
        api_key_var="VLLM_KEY",
        headers={
            "Authorization": "secret",
            "X-Api-Key": "secret",
            "Cookie": "secret",
            "X-Run": "a",
        },
    )
    event = Policy.of(client, "m").event()
    assert "secret" not in json.dumps(event)
    assert event["client"]["base_url"] == "http://host/v1"
    assert event["client"]["headers"] == {"X-Run": "a"}


def test_an_event_gives_the_policy_back() -> None:
    policy = Policy({"base_url": "http://host/v1"}, "m", "salt", {"top_p": 0.5})
    assert Policy.from_event({**json.loads(json.dumps(policy.event())), "time": 1.0}) == policy
