"""A sampler of one's own: tasks the policy is likely, but not certain, to fail.

    python examples/custom_sampler.py

The pool's pass rates are spread evenly over [0, 1], mean .50; drawn are those around the target.
`novelty = 1` lets the rule alone decide: with the default of .8 a row's score is multiplied by .8
for each group it was given, which in a pool as small as this spreads the draws over all of it.

In an environment's settings it would be
`sampler = { type = "custom", class_path = "custom_sampler:Hard", args = { target = 0.25 } }`.
"""

from __future__ import annotations

import random

from curriculum_env import Curriculum, CurriculumConfig, Outcome, Row
from curriculum_env.samplers import ScoreSampler, View
from curriculum_env.types import FloatArray

TARGET = 0.25


class Hard(ScoreSampler):
    """Scores rows by how near their mean pass rate lies to a low target."""

    def __init__(self, target: float = TARGET) -> None:
        self.target = target

    def score(self, view: View) -> FloatArray:
        distance_N = abs(view.estimator.mean() - self.target)
        return 1.0 / (0.05 + distance_N)


def main() -> None:
    """Draw from a simulated policy, and print the pass rate of what was drawn."""
    random.seed(0)
    pass_rate = {f"task-{i}": random.random() for i in range(500)}
    config = CurriculumConfig.model_validate(
        {
            "group_size": 8,
            "pick": "top",
            "novelty": 1.0,
            "sampler": {
                "type": "custom",
                "class_path": f"{__name__}:Hard",
                "args": {"target": TARGET},
            },
        }
    )
    drawn = []
    with Curriculum([Row(uid, {}) for uid in pass_rate], config) as curriculum:
        for _ in range(3000):
            draw = curriculum.ask()
            drawn.append(pass_rate[draw.uid])
            for i in range(8):
                reward = float(random.random() < pass_rate[draw.uid])
                curriculum.tell(Outcome(draw.number, draw.uid, f"{draw.number}-{i}", reward))
    late = drawn[1500:]
    print(f"mean pass rate of the tasks drawn: {sum(late) / len(late):.2f} (target {TARGET})")


if __name__ == "__main__":
    main()
