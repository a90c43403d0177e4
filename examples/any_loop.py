"""GRPO in plain PyTorch with a curriculum that sees each reward before it draws again.

    pip install '.[torch]'
    python examples/any_loop.py

The policy is a small network that answers `a + b` with one of the sums there are; at the start it
guesses. What any loop has to add is marked: ask for a draw where the data loader stood, and tell
what the rollouts earned.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.distributions import Categorical
from torch.nn.functional import one_hot

from curriculum_env import Curriculum, CurriculumConfig, Outcome, Row

SIDE, BATCH, GROUP, UPDATES = 10, 16, 8, 600

numbers = torch.cartesian_prod(torch.arange(SIDE), torch.arange(SIDE))
prompts = one_hot(numbers, SIDE).flatten(1).float()
answers = numbers.sum(1)


def accuracy(policy: nn.Module) -> float:
    """The mean chance of the right answer over all problems."""
    with torch.no_grad():
        right = policy(prompts).softmax(-1).gather(1, answers[:, None])
    return float(right.mean())


def train(curriculum: Curriculum, policy: nn.Module) -> None:
    optimizer = torch.optim.Adam(policy.parameters(), lr=3e-3)
    for _ in range(UPDATES):
        draws = [curriculum.ask() for _ in range(BATCH)]  # ask
        index_B = torch.tensor([curriculum.rows.index(draw.uid) for draw in draws])
        distribution = Categorical(logits=policy(prompts[index_B]))
        sampled_GB = distribution.sample((GROUP,))
        reward_GB = (sampled_GB == answers[index_B]).float()
        for draw, reward_G in zip(draws, reward_GB.T.tolist(), strict=True):  # tell
            for number, reward in enumerate(reward_G):
                rollout = f"{draw.number}-{number}"
                curriculum.tell(Outcome(draw.number, draw.uid, rollout, reward))
        advantage_GB = (reward_GB - reward_GB.mean(0)) / (reward_GB.std(0) + 1e-4)
        loss = -(advantage_GB * distribution.log_prob(sampled_GB)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main() -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    policy = nn.Sequential(nn.Linear(2 * SIDE, 128), nn.ReLU(), nn.Linear(128, 2 * SIDE - 1))
    rows = [Row(f"{a}+{b}", {"a": a, "b": b}) for a, b in numbers.tolist()]
    print(f"accuracy at the start: {accuracy(policy):.2f}")
    config = CurriculumConfig(group_size=GROUP, batch_groups=BATCH)
    with Curriculum(rows, config) as curriculum:
        train(curriculum, policy)
        print(f"groups with a gradient: {curriculum.metrics()['rho']:.2f}")
    print(f"accuracy after {UPDATES} updates: {accuracy(policy):.2f}")


if __name__ == "__main__":
    main()
