"""The majority of the policy's own answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from curriculum_env.augment.attempt import attempt
from curriculum_env.augment.endpoint import Endpoint
from curriculum_env.augment.hooks import AugmentHooks
from curriculum_env.augment.policy import Policy
from curriculum_env.augment.proposal import Annotation, Discard
from curriculum_env.augment.teacher.votes import Votes
from curriculum_env.pool.estimate.rollouts import RefusedError, ServiceError
from curriculum_env.types import Row

SAMPLING = {"temperature": 1.0, "max_tokens": 2048}
VOTES = Votes(8, 0.625)


@dataclass(slots=True)
class OwnTeacher:
    """Asks the current policy for the answer until enough of its answers agree (by default 5 of 8),
    or cannot any more.

    What the policy gets wrong most of the time becomes a wrong label: this is for problems at which
    it succeeds more often than it fails. `policy` gives the current one, None before the first
    rollout.
    """

    hooks: AugmentHooks
    policy: Callable[[], Policy | None]
    endpoint: Endpoint = field(default_factory=Endpoint)
    votes: Votes = VOTES
    sampling: Mapping[str, Any] = field(default_factory=lambda: SAMPLING)

    async def annotate(self, parent: Row, problem: str) -> Annotation | Discard:
        policy = self.policy()
        if policy is None:
            raise ServiceError("no rollout has told yet where the policy answers")
        return await self.votes.settle(lambda: self._opinion(policy, parent, problem))

    async def close(self) -> None:
        await self.endpoint.close()

    async def _opinion(self, policy: Policy, parent: Row, problem: str) -> Annotation | Discard:
        prompt = attempt(lambda: self.hooks.augment_question(parent, problem))
        if isinstance(prompt, Discard):
            return prompt
        try:
            reply = await self.endpoint.ask(policy, prompt, self.sampling)
        except RefusedError as error:
            return Discard("refused", str(error), policy.model)
        took = (reply.prompt_tokens or 0, reply.completion_tokens or 0)
        if reply.finish == "length":
            return Discard("no_answer", "cut off", policy.model, *took)
        answer = attempt(lambda: self.hooks.augment_answer(parent, reply.text))
        if isinstance(answer, Discard):
            return Discard(answer.reason, answer.detail, policy.model, *took)
        if answer is None:
            return Discard("no_answer", "", policy.model, *took)
        return Annotation(
            answer, model=policy.model, prompt_tokens=took[0], completion_tokens=took[1]
        )
