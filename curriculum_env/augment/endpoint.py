"""The client of an endpoint, kept open from request to request."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from curriculum_env.augment.policy import MAXIMA, WRITING, Policy
from curriculum_env.pool.content import Prompt
from curriculum_env.pool.estimate.chat import Chat
from curriculum_env.pool.estimate.pace import Pace
from curriculum_env.pool.estimate.rollouts import HaltError, Reply, ServiceError

NO_KEY = "EMPTY"
LINES = 4


@dataclass(slots=True)
class _Line:
    """An open connection, and the requests that are on it."""

    chat: Chat
    busy: int = 0


@dataclass(slots=True)
class Endpoint:
    """Asks a policy, wherever it is at the moment; `LINES` connections at most stay open without
    being used. A try that hears nothing for `timeout` seconds has failed; a request that failed is
    tried `retries` times more. Use it in one event loop."""

    pace: Pace = field(default_factory=Pace)
    timeout: float = 120.0
    retries: int = 2
    _lines: dict[str, _Line] = field(default_factory=dict)

    async def ask(self, policy: Policy, prompt: Prompt, sampling: Mapping[str, Any]) -> Reply:
        """One reply, with `sampling` over the policy's own.

        Raises:
            ServiceError: the service failed, and may do better later.
            RefusedError: it will not take this request.
            HaltError: it will take none: a wrong key, no such model.
        """
        said = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
        line = self._line(policy.client)
        line.busy += 1
        try:
            await self._tidy()
            return await line.chat.ask(policy.model, said, _merged(policy, sampling))
        except (ServiceError, HaltError) as error:
            keyless = _keyless(policy) if isinstance(error, HaltError) else ""
            error.args = (f"{policy.model} at {policy.client['base_url']}: {error}{keyless}",)
            raise
        finally:
            line.busy -= 1

    async def close(self) -> None:
        """Close the connections; the next request opens one."""
        lines, self._lines = self._lines, {}
        for line in lines.values():
            await line.chat.client.close()

    def _line(self, client: Mapping[str, Any]) -> _Line:
        """The connection to a client, opened where there is none; the last used goes last."""
        name = json.dumps(client, sort_keys=True, default=str)
        line = self._lines.pop(name, None) or _Line(self._opened(client))
        self._lines[name] = line
        return line

    def _opened(self, client: Mapping[str, Any]) -> Chat:
        return Chat(
            client["base_url"],
            key_of(client),
            self.pace,
            retries=self.retries,
            timeout=self.timeout,
            headers=headers_of(client) or None,
        )

    async def _tidy(self) -> None:
        """Close the idle connections that were not used for longest."""
        idle = [name for name, line in self._lines.items() if not line.busy]
        for name in idle[: max(len(self._lines) - LINES, 0)]:
            await self._lines.pop(name).chat.client.close()


def _merged(policy: Policy, sampling: Mapping[str, Any]) -> dict[str, Any]:
    """The request's own settings over the policy's, only one limit of tokens, and the cache salt at
    the top level of the body, where a server reads it whichever way verifiers holds it."""
    ours = {name for name in sampling if name in MAXIMA}
    kept = (name for name in WRITING if name in policy.sampling)
    theirs = {name: policy.sampling[name] for name in kept if not (ours and name in MAXIMA)}
    salt = {} if policy.cache_salt is None else {"cache_salt": policy.cache_salt}
    return {**theirs, **sampling, **salt}


def _keyless(policy: Policy) -> str:
    """That no key was sent, where one could be."""
    variable = policy.client.get("api_key_var")
    if not variable or key_of(policy.client) != NO_KEY:
        return ""
    return f" (no key was sent: the environment variable {variable} is not set)"


def key_of(client: Mapping[str, Any]) -> str:
    """The key in the environment variable that the client names, as verifiers finds it; `EMPTY`
    where there is none."""
    variable = client.get("api_key_var") or ""
    if variable != "PRIME_API_KEY":
        return os.environ.get(variable) or NO_KEY if variable else NO_KEY
    from verifiers.v1.configs.client import resolve_api_key

    return str(resolve_api_key(_config(client)))


def headers_of(client: Mapping[str, Any]) -> dict[str, str]:
    """The headers to send; those named by `headers_from_env` come from the environment."""
    named = client.get("headers_from_env") or {}
    found = {
        name: os.environ[variable] for name, variable in named.items() if variable in os.environ
    }
    headers = {**(client.get("headers") or {}), **found}
    if client.get("api_key_var") != "PRIME_API_KEY":
        return headers
    try:
        from verifiers.v1.configs.client import resolve_headers
    except ImportError:  # verifiers 0.3 puts them into the config itself
        return {**_config(client).headers, **found}
    return dict(resolve_headers(_config(client)))


def _config(client: Mapping[str, Any]) -> Any:
    """verifiers' own configuration of the client: it knows the login of its command line."""
    from verifiers.v1.configs.client import BaseClientConfig

    known = BaseClientConfig.model_fields
    return BaseClientConfig(**{name: value for name, value in client.items() if name in known})
