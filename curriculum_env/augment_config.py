"""Settings of augmentation: new tasks made from those at the edge of what the policy can do."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import Field, field_validator
from pydantic_config import BaseConfig

AugmentKind: TypeAlias = Literal["numbers", "paraphrase", "harder", "easier"]

_SECRET = re.compile("(?i)api.?key|auth|password|secret|credential|headers")


class SymbolicTeacherConfig(BaseConfig):
    """The environment computes the answer itself."""

    type: Literal["symbolic"] = "symbolic"
    """The environment computes the answer itself."""


class SelfTeacherConfig(BaseConfig):
    """The policy's own answers, where enough of them agree."""

    type: Literal["self"] = "self"
    """The policy's own answers, where enough of them agree."""
    votes: int = Field(default=8, ge=2)
    """Answers asked for."""
    agreement: float = Field(default=0.625, ge=0.5, le=1)
    """Share of them that must agree; more than half must in any case."""
    max_tokens: int = Field(default=2048, ge=1)
    """Tokens of one answer at most."""


class EndpointTeacherConfig(BaseConfig):
    """A model behind an OpenAI-compatible endpoint."""

    type: Literal["endpoint"] = "endpoint"
    """A model behind an OpenAI-compatible endpoint."""
    base_url: str
    """Where it answers, such as `https://api.example.com/v1`: without a password or a key, for the
    settings are written down with the run."""
    model: str = Field(min_length=1)
    """Its name there."""
    api_key_var: str = "OPENAI_API_KEY"
    """The environment variable that holds the key."""
    votes: int = Field(default=3, ge=1)
    """Verdicts asked for on each problem; fewer where they agree early."""
    agreement: float = Field(default=0.5, ge=0.5, le=1)
    """Share of them that must be the same; more than half must in any case."""
    sampling: dict[str, Any] = Field(default={"temperature": 0.7})
    """What is sent with each request besides."""
    max_tokens: int = Field(default=4096, ge=1)
    """Tokens of one verdict at most."""
    json_schema: bool = True
    """Ask for a reply that follows a JSON schema; a server that knows no such thing is asked
    without."""

    @field_validator("base_url")
    @classmethod
    def _address(cls, url: str) -> str:
        if not _usable(url):
            raise ValueError(
                "base_url is no address; expected http:// or https://, a host and a path, and no "
                "user, password or query: the key goes into the variable that api_key_var names"
            )
        return url

    @field_validator("sampling")
    @classmethod
    def _open(cls, sampling: dict[str, Any]) -> dict[str, Any]:
        secret = [name for name in sampling if _SECRET.search(name)]
        if secret:
            raise ValueError(
                f"sampling holds {', '.join(secret)}, and is written down with the run: the key "
                "goes into the variable that api_key_var names"
            )
        return sampling


def _usable(url: str) -> bool:
    """Whether a URL can be asked, and holds nothing that is to be kept secret."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return False
    named = parts.scheme in ("http", "https") and bool(parts.hostname)
    return named and "@" not in parts.netloc and not parts.query


TeacherConfig: TypeAlias = Annotated[
    SymbolicTeacherConfig | SelfTeacherConfig | EndpointTeacherConfig, Field(discriminator="type")
]


class AugmentWatchConfig(BaseConfig):
    """When the answer of a new task is doubted: the policy never finds it, but solves the task it
    was made of."""

    enabled: bool = True
    """Whether to doubt at all."""
    rollouts: int = Field(default=16, ge=1)
    """Rollouts without a success after which the answer is asked for again; as many after that, and
    the task is drawn no more."""
    parent: float = Field(default=0.5, ge=0, le=1)
    """Pass rate from which on the task it was made of counts as easy."""


class AugmentBudgetConfig(BaseConfig):
    """What may be spent in all on one store; unset, there is no limit."""

    requests: int | None = Field(default=None, ge=0)
    """Requests to the policy and the teacher."""
    tokens: int | None = Field(default=None, ge=0)
    """Tokens, of prompts and replies together."""
    money: float | None = Field(default=None, ge=0)
    """Money, by the prices below."""
    policy_prices: tuple[float, float] = (0.0, 0.0)
    """What a million tokens of the policy's prompts and of its replies cost."""
    teacher_prices: tuple[float, float] = (0.0, 0.0)
    """The same of the teacher."""
    per_minute: float | None = Field(default=None, gt=0)
    """Requests a minute, to the policy and to the teacher each."""


class AugmentConfig(BaseConfig):
    """New tasks made from those that the policy sometimes solves."""

    enabled: bool = False
    """Whether tasks are made at all."""
    parents: Literal["frontier", "living", "sampled"] = "frontier"
    """Which rows tasks are made of: those whose group was not all alike; these and, once, each that
    nobody solved, for the policy may come within its reach; or all that were drawn."""
    proposer: Literal["policy", "environment"] = "policy"
    """Who makes them: the current policy, or the environment itself where it can, with the answer
    and without a model."""
    per_parent: int = Field(default=1, ge=1)
    """Tasks asked for each time."""
    kinds: list[AugmentKind] = Field(default=["numbers"], min_length=1)
    """How they differ from their parent, in turn: in its numbers, in its words, harder, easier."""
    capacity: int | None = Field(default=None, ge=0)
    """New tasks in the pool at most; unset, as many as `pool_share` allows."""
    pool_share: float = Field(default=0.95, gt=0, lt=1)
    """Share of the pool that may be new tasks."""
    draw_share: float = Field(default=0.95, ge=0, le=1)
    """Share of any 128 draws in a row that may be of new tasks."""
    generations: int = Field(default=16, ge=1)
    """How many times removed from a row of the pool a task may be."""
    fan_out: int = Field(default=8, ge=1)
    """Tasks asked for of one row in all."""
    family: int = Field(default=128, ge=1)
    """Tasks at most that stem from one row of the pool."""
    relatives: int = Field(default=1, ge=1)
    """Rows of one family at most among the draws that are chosen together."""
    entry: Literal["cold", "estimate"] = "cold"
    """What is believed of a new task: what is of any unknown row, or what follows from its parent
    and its relative difficulty, weighed as `entry_rollouts` rollouts."""
    entry_rollouts: float = Field(default=4.0, gt=0)
    """Weight of `entry = "estimate"`, in rollouts."""
    backlog: int = Field(default=64, ge=1)
    """Tasks being made, or waiting to be taken into the pool, beyond which none is asked for."""
    watch: AugmentWatchConfig = AugmentWatchConfig()
    """When the answer of a new task is doubted."""
    teacher: TeacherConfig = SymbolicTeacherConfig()
    """Who answers the new tasks."""
    service: Literal["thread", "process"] = "thread"
    """Where they are made: in a thread of the process that draws, or by `curriculum-env augment
    STORE`, which is started by hand."""
    concurrency: int = Field(default=4, ge=1)
    """Tasks being made at a time."""
    timeout: float = Field(default=120.0, gt=0)
    """Seconds of one request to the policy or the teacher at most."""
    temperature: float = Field(default=1.0, ge=0)
    """At which the policy writes."""
    proposal_tokens: int = Field(default=1024, ge=1)
    """Tokens at most of what it writes."""
    tries: int = Field(default=3, ge=1)
    """Times that a task is begun before it is given up, where a service fails."""
    budget: AugmentBudgetConfig = AugmentBudgetConfig()
    """What may be spent."""

    @field_validator("kinds")
    @classmethod
    def _distinct(cls, kinds: list[AugmentKind]) -> list[AugmentKind]:
        if len(set(kinds)) < len(kinds):
            raise ValueError(f"kinds is {kinds}; expected each kind once")
        return kinds
