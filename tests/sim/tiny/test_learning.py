from __future__ import annotations

import copy
import math

import pytest
import torch

from curriculum_env.sim.tiny.learning import Grpo, answer_logps, group_advantages, pass_rates
from curriculum_env.sim.tiny.model import Shape, TinyPolicy
from curriculum_env.sim.tiny.sampling import MOST, Rollouts, answers, joined, roll
from curriculum_env.sim.tiny.text import END, PAD, answer_ids, prompt_ids, written

SMALL = Shape(width=16, layers=2, heads=2, hidden=24)
PROMPTS = [prompt_ids("1+2"), prompt_ids("123+45"), prompt_ids("7+9")]


@pytest.fixture
def policy() -> TinyPolicy:
    torch.manual_seed(1)
    policy = TinyPolicy(SMALL)
    for parameter in policy.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.4)
    return policy


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_answers_are_sampled_as_often_as_their_probability_says(policy: TinyPolicy) -> None:
    _, found = answers(policy, [PROMPTS[0]], 20_000, generator(), most=1)
    with torch.no_grad():
        chance = policy(torch.tensor([PROMPTS[0]]))[0, -1].softmax(0)
    share = torch.bincount(found.flatten(), minlength=14) / 20_000
    assert (share - chance).abs().max() < 4 * math.sqrt(0.25 / 20_000)


def test_the_exact_pass_rate_is_that_of_the_samples(policy: TinyPolicy) -> None:
    solutions = [3, 4, 0]
    rates = pass_rates(policy, PROMPTS, solutions)
    best = max(range(10), key=lambda n: float(pass_rates(policy, [PROMPTS[0]], [n])))
    rate = float(pass_rates(policy, [PROMPTS[0]], [best]))
    rolled = roll(policy, [PROMPTS[0]], [best], 20_000, generator())
    assert rates.shape == (3,)
    assert 0.001 < rate < 0.999
    assert abs(float(rolled.success.float().mean()) - rate) < 4 * math.sqrt(rate / 20_000)


def test_the_same_seed_samples_the_same(policy: TinyPolicy) -> None:
    one, other, third = (roll(policy, PROMPTS, [3, 168, 16], 8, generator(s)) for s in (0, 0, 1))
    assert torch.equal(one.answers, other.answers)
    assert one.answers.shape != third.answers.shape or not torch.equal(one.answers, third.answers)


def test_nothing_follows_an_end(policy: TinyPolicy) -> None:
    _, found = answers(policy, PROMPTS, 64, generator())
    for answer in found.flatten(0, 1).tolist():
        if END in answer:
            assert set(answer[answer.index(END) + 1 :]) <= {PAD}


def test_an_answer_is_right_when_it_says_the_number_and_ends(policy: TinyPolicy) -> None:
    rolled = roll(policy, PROMPTS, [3, 168, 16], 500, generator())
    for solution, group, right in zip((3, 168, 16), rolled.answers, rolled.success, strict=True):
        for ids, success in zip(group.tolist(), right.tolist(), strict=True):
            said = ids[: ids.index(END)] if END in ids else [PAD]
            assert success == (PAD not in said and written(said) == str(solution))


def test_a_solution_longer_than_any_answer_is_never_right(policy: TinyPolicy) -> None:
    assert not roll(policy, PROMPTS[:1], [10**MOST], 200, generator()).success.any()


def test_groups_can_be_split_and_joined(policy: TinyPolicy) -> None:
    rolled = roll(policy, PROMPTS, [3, 168, 16], 8, generator())
    again = joined(rolled.split())
    for name in ("prompts", "answers", "success"):
        assert torch.equal(getattr(again, name), getattr(rolled, name))
    narrow = Rollouts(rolled.prompts[:1, -4:], rolled.answers[:1, :, :2], rolled.success[:1])
    mixed = joined([narrow, *rolled.split()[1:]])
    assert mixed.prompts[0].tolist() == [0] * 3 + PROMPTS[0]
    assert mixed.tokens == narrow.tokens + joined(rolled.split()[1:]).tokens


def test_advantages_are_those_of_the_paper() -> None:
    success = torch.tensor([[1, 0, 0, 0], [1, 1, 1, 1]], dtype=torch.bool)
    found = group_advantages(success)
    deviation = math.sqrt(3 * (0.25**2) / 3 + 0.75**2 / 3)
    assert found[0, 0] == pytest.approx(0.75 / (deviation + 1e-4), rel=1e-5)
    assert found[0, 1] == pytest.approx(-0.25 / (deviation + 1e-4), rel=1e-5)
    assert found[1].tolist() == [0.0] * 4


def test_the_step_follows_the_gradient_of_the_whole_batch(policy: TinyPolicy) -> None:
    rolled = roll(policy, PROMPTS, [3, 168, 16], 8, generator())
    success = rolled.success.clone()
    success[0, ::2], success[0, 1::2], success[1], success[2] = True, False, True, False
    batch = Rollouts(rolled.prompts, rolled.answers, success)
    advantages, loss = group_advantages(success), torch.zeros(())
    for b in range(3):
        for g in range(8):
            ids = [t for t in batch.answers[b, g].tolist() if t != PAD]
            prompt = PROMPTS[b]
            logps = policy(torch.tensor([prompt + ids]))[0].log_softmax(-1)
            for place, token in enumerate(ids):
                loss = loss - advantages[b, g] * logps[len(prompt) - 1 + place, token]
    loss = loss / batch.tokens
    wanted = torch.autograd.grad(loss, list(policy.parameters()))
    learner = Grpo(policy, clip=1e9)
    learner.step(batch)
    for parameter, gradient in zip(policy.parameters(), wanted, strict=True):
        torch.testing.assert_close(parameter.grad, gradient, atol=1e-5, rtol=1e-3)


def test_a_batch_all_alike_moves_nothing(policy: TinyPolicy) -> None:
    rolled = roll(policy, PROMPTS, [3, 168, 16], 8, generator())
    dead = Rollouts(rolled.prompts, rolled.answers, torch.zeros_like(rolled.success))
    before = [parameter.clone() for parameter in policy.parameters()]
    Grpo(policy).step(dead)
    assert all(torch.equal(a, b) for a, b in zip(before, policy.parameters(), strict=True))


def test_a_scale_multiplies_one_step_alone(policy: TinyPolicy) -> None:
    rolled = roll(policy, PROMPTS, [3, 168, 16], 8, generator())
    success = rolled.success.clone()
    success[0, ::2], success[0, 1::2] = True, False
    batch, moved = Rollouts(rolled.prompts, rolled.answers, success), []
    for scale in (1.0, 3.0):
        learner, trained = Grpo(copy.deepcopy(policy)), policy.head.weight
        learner.step(batch, scale)
        moved.append(learner.policy.head.weight - trained)
        learner.step(batch)
        assert learner.optimizer.param_groups[0]["lr"] == 2e-4
    torch.testing.assert_close(moved[1], 3.0 * moved[0], atol=1e-6, rtol=1e-3)


def test_what_was_rewarded_becomes_likelier(policy: TinyPolicy) -> None:
    learner, solution = Grpo(policy, rate=3e-3), 5
    before = float(pass_rates(policy, PROMPTS[:1], [solution]))
    right = torch.tensor(answer_ids(solution))
    for seed in range(30):
        rolled = roll(policy, PROMPTS[:1], [solution], 8, generator(seed))
        found = rolled.answers.clone()
        found[0, 0] = PAD
        found[0, 0, : len(right)] = right
        success = rolled.success.clone()
        success[0, 0] = True
        learner.step(Rollouts(rolled.prompts, found, success))
    assert float(pass_rates(policy, PROMPTS[:1], [solution])) > 2 * before


def test_padded_tokens_have_no_probability(policy: TinyPolicy) -> None:
    logps = answer_logps(policy, torch.tensor([PROMPTS[0]]), torch.tensor([[[5, END, PAD, PAD]]]))
    assert logps[0, 0, 2:].tolist() == [0.0, 0.0]
    assert (logps[0, 0, :2] < 0).all()
