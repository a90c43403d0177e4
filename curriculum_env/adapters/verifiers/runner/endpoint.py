"""Asks an endpoint whether it can serve the run, before any rollout is paid for."""

from __future__ import annotations

from urllib.parse import urlsplit

from openai import (
    APIConnectionError,
    APIStatusError,
    AuthenticationError,
    NotFoundError,
    OpenAI,
    PermissionDeniedError,
)
from verifiers.v1.configs.client import BaseClientConfig, resolve_api_key

from curriculum_env.errors import ConfigError

_SECONDS = 15.0


def require_endpoint(client: BaseClientConfig, model: str) -> None:
    """Refuse an endpoint that cannot be reached, rejects the key or does not serve `model`.

    Asks for the list of models; where the list does not name `model`, or there is none, one
    completion of a single token decides.

    Raises:
        ConfigError: the endpoint cannot serve the run.
    """
    url = client.base_url
    _require_url(url)
    try:
        api = OpenAI(
            base_url=url,
            api_key=resolve_api_key(client),
            default_headers=client.headers,
            timeout=_SECONDS,
            max_retries=1,
        )
        with api:
            if not _listed(api, model):
                _complete(api, url, model)
    except APIConnectionError as error:
        raise ConfigError(
            f"no server answers at {url} ({_cause(error)}): check --base-url and that the server "
            "is running."
        ) from error
    except (AuthenticationError, PermissionDeniedError) as error:
        raise ConfigError(
            f"{url} refuses the API key (HTTP {error.status_code}): put a valid one in the "
            f"environment variable {client.api_key_var}, or name another with --api-key-var."
        ) from error


def _require_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        reachable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        reachable = False
    if not reachable:
        raise ConfigError(
            f"{url!r} is no URL of an endpoint: expected one such as http://127.0.0.1:8000/v1."
        )


def _listed(api: OpenAI, model: str) -> bool:
    try:
        return any(served.id == model for served in api.models.list())
    except (AuthenticationError, PermissionDeniedError, APIConnectionError):
        raise
    except Exception:
        return False


def _complete(api: OpenAI, url: str, model: str) -> None:
    """A busy or picky server (any status but 404) gets the benefit of the doubt."""
    try:
        api.chat.completions.create(
            model=model, messages=[{"role": "user", "content": "1"}], max_tokens=1
        )
    except NotFoundError as error:
        raise ConfigError(
            f"{url} serves no chat completions for the model {model!r} (HTTP 404): check "
            "--base-url, which usually ends in /v1, and --model."
        ) from error
    except (AuthenticationError, PermissionDeniedError, APIConnectionError):
        raise
    except APIStatusError:
        return


def _cause(error: BaseException) -> str:
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error).strip().rstrip(".") or type(error).__name__
