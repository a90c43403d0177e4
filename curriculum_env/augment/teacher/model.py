"""A model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from curriculum_env.augment.endpoint import Endpoint
from curriculum_env.augment.policy import Policy
from curriculum_env.augment.prompts import teacher_prompt
from curriculum_env.augment.proposal import Annotation, Discard
from curriculum_env.augment.teacher.verdict import SCHEMA, parse_verdict
from curriculum_env.augment.teacher.votes import Votes, paid
from curriculum_env.pool.estimate.rollouts import Bound, RefusedError, Reply
from curriculum_env.types import Row

SAMPLING = {"temperature": 0.7, "max_tokens": 4096}


@dataclass(slots=True)
class ModelTeacher:
    """Asks `model` for JSON, `votes.most` times at most.

    With `schema` the endpoint is sent a JSON schema; one that refuses the request and then takes it
    without the schema is not sent it again. The model sees the problem alone, not its parent.
    """

    model: Policy
    endpoint: Endpoint = field(default_factory=Endpoint)
    votes: Votes = field(default_factory=Votes)
    sampling: Mapping[str, Any] = field(default_factory=lambda: SAMPLING)
    schema: bool = True

    async def annotate(self, parent: Row, problem: str) -> Annotation | Discard:
        return await self.votes.settle(lambda: self._opinion(problem))

    async def close(self) -> None:
        await self.endpoint.close()

    async def _opinion(self, problem: str) -> Annotation | Discard:
        try:
            reply = await self._asked(teacher_prompt(problem))
        except RefusedError as error:
            return Discard("refused", str(error), self.model.model)
        took = Bound(reply.prompt_tokens or 0, reply.completion_tokens or 0)
        verdict = None if reply.finish == "length" else parse_verdict(reply.text, problem)
        if verdict is None:
            return paid(Discard("bad_reply", reply.text, self.model.model), took)
        return paid(replace(verdict, model=self.model.model), took)

    async def _asked(self, prompt: str) -> Reply:
        if self.schema:
            try:
                return await self.endpoint.ask(
                    self.model, prompt, {**self.sampling, "response_format": SCHEMA}
                )
            except RefusedError:
                reply = await self.endpoint.ask(self.model, prompt, self.sampling)
                self.schema = False
                return reply
        return await self.endpoint.ask(self.model, prompt, self.sampling)
