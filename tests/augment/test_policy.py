from __future__ import annotations

import json
from typing import Any

import pytest
import verifiers.v1 as vf
from pydantic import ValidationError
from verifiers.v1.configs.client import EvalClientConfig, TrainClientConfig

from curriculum_env.augment.policy import Policy
from curriculum_env.augment_config import EndpointTeacherConfig


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
            "X-Jwt": "secret",
            "X-Upstream": "Bearer secret",
            "X-Run": "a",
        },
    )
    sampling = vf.SamplingConfig.model_validate({"extra_body": {"api_key": "secret"}})
    event = Policy.of(client, "m", sampling).event()
    assert "secret" not in json.dumps(event)
    assert event["client"]["base_url"] == "http://host/v1"
    assert event["client"]["headers"] == {"X-Run": "a"}


def test_an_event_gives_the_policy_back() -> None:
    policy = Policy({"base_url": "http://host/v1"}, "m", "salt", {"top_p": 0.5})
    assert Policy.from_event({**json.loads(json.dumps(policy.event())), "time": 1.0}) == policy


@pytest.mark.parametrize(
    "wrong",
    [
        {"base_url": "https://user:hunter2@host/v1"},
        {"base_url": "https://host/v1?api_key=hunter2"},
        {"base_url": ""},
        {"base_url": "localhost:8000/v1"},
        {"base_url": "http://["},
        {"base_url": "http://host:99999/v1"},
        {"base_url": "ftp://host/v1"},
        {"sampling": {"api_key": "hunter2"}},
        {"sampling": {"extra_headers": {"Authorization": "hunter2"}}},
    ],
)
def test_a_teacher_has_an_address_and_no_secret_in_its_settings(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match=r"expected http|written down"):
        EndpointTeacherConfig(**{"base_url": "http://host:8000/v1", "model": "m", **wrong})


def test_settings_of_a_teacher_that_hold_no_secret_are_taken() -> None:
    settings = {"stop_token_ids": [1], "logprobs": False, "metadata": {"run": "a"}}
    for url in ("http://127.0.0.1:8000/v1", "https://[::1]/v1", "https://api.example.com"):
        EndpointTeacherConfig(base_url=url, model="m", sampling=settings)
