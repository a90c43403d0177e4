"""Where the current policy answers: what workers put down, and the proposer reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import urlsplit, urlunsplit

EVENT = "policy"
"""The kind of the store's events that hold one."""

MAXIMA = ("max_tokens", "max_completion_tokens")
WRITING = (
    "temperature", "top_p", "top_k", "min_p", "repetition_penalty", "presence_penalty",
    "frequency_penalty", "reasoning_effort", "chat_template_kwargs", *MAXIMA,
)  # fmt: skip
"""What of the rollouts' sampling settings says how a text is written. The others are a trainer's
business (a seed, log-probabilities, several samples), not every API takes them, and one may be a
key."""

_SECRET = (
    "auth", "key", "token", "secret", "cookie", "pass", "pwd", "credential", "jwt", "session",
    "signature",
)  # fmt: skip
_SCHEMES = ("bearer ", "basic ", "token ")
_CLIENT = ("base_url", "api_key_var", "headers", "headers_from_env")


@dataclass(frozen=True, slots=True)
class Policy:
    """An OpenAI-compatible endpoint and how it is asked.

    `client` has `base_url`, and may have `api_key_var` (the environment variable that holds the
    key), `headers` and `headers_from_env` (header to environment variable). It never holds a key:
    headers that look like one are left out, and so is a user in the URL. `cache_salt` keeps a
    server from answering out of a cache of older weights. `sampling` holds those of `WRITING` that
    go with a request.
    """

    client: Mapping[str, Any]
    model: str
    cache_salt: str | None = None
    sampling: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, client: Any, model: str, sampling: Any = None) -> Self:
        """The policy behind a rollout, of verifiers' client and sampling settings (pydantic
        models, of any version that `curriculum_env` works with)."""
        known = client.model_dump(mode="json", include=set(_CLIENT))
        settings = sampling.model_dump(mode="json", exclude_none=True) if sampling else {}
        settings |= settings.pop("extra_body", None) or {}
        salt = settings.pop("cache_salt", None)
        return cls(
            client={**known, **_without_secrets(known)},
            model=model,
            cache_salt=None if salt is None else str(salt),
            sampling={name: settings[name] for name in WRITING if name in settings},
        )

    @classmethod
    def from_event(cls, event: Mapping[str, Any]) -> Self:
        """The policy that an event of kind `EVENT` holds."""
        return cls(event["client"], event["model"], event["cache_salt"], event["sampling"])

    def event(self) -> dict[str, Any]:
        """The data of its event: JSON values."""
        return {
            "client": dict(self.client),
            "model": self.model,
            "cache_salt": self.cache_salt,
            "sampling": dict(self.sampling),
        }


def _without_secrets(client: Mapping[str, Any]) -> dict[str, Any]:
    headers = client.get("headers") or {}
    url = urlsplit(client["base_url"])
    return {
        "base_url": urlunsplit(url._replace(netloc=url.netloc.rpartition("@")[2], query="")),
        "headers": {
            name: value
            for name, value in headers.items()
            if not _secret(name.lower(), str(value).lower())
        },
    }


def _secret(name: str, value: str) -> bool:
    """Whether a header may hold one."""
    return any(word in name for word in _SECRET) or value.startswith(_SCHEMES)
