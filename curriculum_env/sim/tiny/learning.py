"""What a policy learns from: given answers, or the rewards of its own."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from curriculum_env.sim.tiny.model import TinyPolicy
from curriculum_env.sim.tiny.sampling import Rollouts
from curriculum_env.sim.tiny.text import PAD, answer_ids, left_padded

_EPSILON = 1e-4


def answer_logps(policy: TinyPolicy, prompts: Tensor, answers: Tensor) -> Tensor:
    """Log-probabilities of the tokens of answers (B, G, A) to prompts (B, P), each of which is
    read once; 0 where an answer is padded."""
    groups, size, width = answers.shape
    states, memory = policy.read(prompts)
    states = states[:, -1:].repeat_interleave(size, 0)
    if width > 1:
        later, _ = policy.read(answers[..., :-1].flatten(0, 1), memory.repeat(size))
        states = torch.cat((states, later), 1)
    logits: Tensor = policy.head(states)
    logps = logits.log_softmax(-1).view(groups, size, width, -1)
    found = logps.gather(-1, answers[..., None])[..., 0]
    return found.masked_fill(answers == PAD, 0.0)


def padded_answers(solutions: Sequence[int]) -> Tensor:
    """The right answers as right-padded tokens, (rows, 1, A)."""
    ids = [answer_ids(solution) for solution in solutions]
    width = max(map(len, ids))
    return torch.tensor([[answer + [PAD] * (width - len(answer))] for answer in ids])


@torch.no_grad()
def pass_rates(
    policy: TinyPolicy, prompts: Sequence[Sequence[int]], solutions: Sequence[int]
) -> Tensor:
    """The chance of each solution to be sampled at temperature 1, (rows,): exact, no sample."""
    logps = answer_logps(policy, torch.tensor(left_padded(prompts)), padded_answers(solutions))
    return logps.sum((1, 2)).exp()


def supervised_loss(
    policy: TinyPolicy, prompts: Sequence[Sequence[int]], solutions: Sequence[int]
) -> Tensor:
    """Cross entropy of the right answers per token."""
    answers = padded_answers(solutions)
    logps = answer_logps(policy, torch.tensor(left_padded(prompts)), answers)
    return -logps.sum() / (answers != PAD).sum()


def group_advantages(success: Tensor) -> Tensor:
    """(r - mean) / (std + 1e-4) within each group, (B, G); the unbiased deviation, as in TRL
    (GRPO, arXiv 2402.03300, section 4.1)."""
    reward = success.float()
    return (reward - reward.mean(1, keepdim=True)) / (reward.std(1, keepdim=True) + _EPSILON)


class Grpo:
    """GRPO with one gradient step per batch: the ratio is 1, so nothing is clipped and no earlier
    log-probabilities are needed. The loss is averaged over all tokens of the batch (DAPO, arXiv
    2503.14476, section 3.3). Groups all alike have no advantage: their tokens count, but no pass
    is spent on them."""

    def __init__(self, policy: TinyPolicy, rate: float = 2e-4, clip: float = 1.0) -> None:
        self.policy, self._rate, self._clip = policy, rate, clip
        self.optimizer = torch.optim.AdamW(policy.parameters(), rate, weight_decay=0.0)

    def step(self, rollouts: Rollouts, scale: float = 1.0) -> None:
        """One step of AdamW on a batch, with the rate times `scale`."""
        advantages = group_advantages(rollouts.success)
        living = (advantages != 0).any(1)
        self.optimizer.zero_grad(set_to_none=False)
        if living.any():
            logps = answer_logps(self.policy, rollouts.prompts[living], rollouts.answers[living])
            loss = -(logps.sum(2) * advantages[living]).sum() / rollouts.tokens
            torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self._clip)
        for group in self.optimizer.param_groups:
            group["lr"] = self._rate * scale
        self.optimizer.step()
