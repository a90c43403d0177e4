"""The policy writes variants of the tasks it is being trained on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from curriculum_env.augment.attempt import attempt
from curriculum_env.augment.endpoint import Endpoint
from curriculum_env.augment.hooks import AugmentHooks
from curriculum_env.augment.policy import Policy
from curriculum_env.augment.prompts import VERSION
from curriculum_env.augment.proposal import Discard, Kind, Proposal, clamped
from curriculum_env.pool.estimate.rollouts import RefusedError, Reply
from curriculum_env.types import Row

SAMPLING = {"temperature": 1.0, "max_tokens": 1024}


@dataclass(slots=True)
class Proposer:
    """One reply, one variant. `sampling` goes over the policy's own settings."""

    hooks: AugmentHooks
    endpoint: Endpoint = field(default_factory=Endpoint)
    sampling: Mapping[str, Any] = field(default_factory=lambda: SAMPLING)

    async def propose(self, policy: Policy, parent: Row, kind: Kind) -> Proposal | Discard:
        """A variant of `parent`.

        Raises:
            ServiceError, HaltError: as `Endpoint.ask` says; nothing is known of the variant then.
        """
        prompt = attempt(lambda: self.hooks.augment_prompt(parent, kind))
        if isinstance(prompt, Discard):
            return prompt
        try:
            reply = await self.endpoint.ask(policy, prompt, self.sampling)
        except RefusedError as error:
            return Discard("refused", str(error), policy.model)
        return self._read(policy, parent, kind, reply)

    def _read(self, policy: Policy, parent: Row, kind: Kind, reply: Reply) -> Proposal | Discard:
        took = (reply.prompt_tokens or 0, reply.completion_tokens or 0)
        if reply.finish == "length":
            return Discard("cut_off", "", policy.model, *took)
        found = attempt(lambda: self.hooks.augment_parse(parent, reply.text))
        if isinstance(found, Discard):
            return Discard(found.reason, found.detail, policy.model, *took)
        factor = clamped(found.factor, kind)
        return Proposal(
            parent.uid, kind, found.problem, factor, policy.model, VERSION, *took
        )  # fmt: skip
