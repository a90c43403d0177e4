from __future__ import annotations

import pytest
import torch

from curriculum_env.sim.tiny.model import Shape, TinyPolicy
from curriculum_env.sim.tiny.text import left_padded, prompt_ids


@pytest.fixture(scope="module")
def policy() -> TinyPolicy:
    torch.manual_seed(0)
    policy = TinyPolicy()
    for parameter in policy.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.3)
    return policy


def test_it_has_a_third_of_a_million_parameters(policy: TinyPolicy) -> None:
    assert sum(parameter.numel() for parameter in policy.parameters()) == 335_136


def test_padding_changes_nothing(policy: TinyPolicy) -> None:
    ids = prompt_ids("12+345")
    alone = policy(torch.tensor([ids]))[0]
    padded = policy(torch.tensor([[0] * 5 + ids]))[0, 5:]
    torch.testing.assert_close(alone, padded, atol=1e-4, rtol=1e-4)


def test_reading_on_from_memory_is_reading_it_all(policy: TinyPolicy) -> None:
    tokens = torch.tensor(left_padded([prompt_ids("1+2"), prompt_ids("123+45")]))
    more = torch.tensor([[5, 1, 0], [6, 7, 1]])
    whole, _ = policy.read(torch.cat((tokens, more), 1))
    first, memory = policy.read(tokens)
    parts = [first]
    for column in (more[:, i : i + 1] for i in range(more.shape[1])):
        states, memory = policy.read(column, memory)
        parts.append(states)
    real = torch.cat((tokens, more), 1) != 0
    torch.testing.assert_close(torch.cat(parts, 1)[real], whole[real], atol=1e-4, rtol=1e-4)


def test_a_later_token_is_not_seen(policy: TinyPolicy) -> None:
    one, other = prompt_ids("12+34"), prompt_ids("12+39")
    shown = policy(torch.tensor([one, other]))
    torch.testing.assert_close(shown[0, :4], shown[1, :4])
    assert not torch.allclose(shown[0, 4], shown[1, 4])


def test_it_is_a_llama(policy: TinyPolicy) -> None:
    pytest.importorskip("transformers")
    from curriculum_env.sim.tiny.llama import from_llama, to_llama, tokenizer

    model, read = to_llama(policy), tokenizer()
    tokens = read(["12+345=", "1+1="], return_tensors="pt", padding=True)
    assert tokens.input_ids.tolist() == left_padded([prompt_ids("12+345"), prompt_ids("1+1")])
    with torch.no_grad():
        theirs = model(**tokens).logits
        ours = policy(tokens.input_ids)
    real = tokens.attention_mask.bool()
    torch.testing.assert_close(ours[real], theirs[real], atol=1e-3, rtol=1e-3)
    back = from_llama(model).state_dict()
    assert all(torch.equal(value, back[name]) for name, value in policy.state_dict().items())


def test_its_tokenizer_reads_and_writes_as_the_policy_does() -> None:
    pytest.importorskip("transformers")
    from curriculum_env.sim.tiny.llama import tokenizer

    read = tokenizer()
    ids = read("What is 12 + 34? Answer with the number only.=").input_ids
    assert ids == prompt_ids("12+34")
    assert read.decode([5, 6, 7, 1, 0], skip_special_tokens=True) == "345"


def test_a_smaller_one_can_be_had() -> None:
    small = TinyPolicy(Shape(width=16, layers=1, heads=2, hidden=24))
    assert small(torch.tensor([prompt_ids("1+1")])).shape == (1, 4, 14)
