"""A sampler from outside the package, by class path."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Literal

from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.errors import ConfigError
from curriculum_env.samplers.base import Sampler


class CustomConfig(BaseConfig):
    """Settings of `load_custom`."""

    type: Literal["custom"] = "custom"
    """A `Sampler` of your own."""
    class_path: str
    """`package.module:Class`."""
    args: dict[str, Any] = Field(default_factory=dict)
    """Keyword arguments of the class."""


def load_custom(config: CustomConfig) -> Sampler:
    """The sampler at `class_path`.

    Raises:
        ConfigError: it cannot be imported or built, or is no `Sampler`.
    """
    module, _, name = config.class_path.partition(":")
    try:
        found = getattr(import_module(module), name)(**config.args)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise ConfigError(
            f"sampler.class_path {config.class_path!r} could not be built ({error}); "
            "expected 'package.module:Class' of an installed package, with args it accepts"
        ) from error
    if not isinstance(found, Sampler):
        raise ConfigError(
            f"sampler.class_path {config.class_path!r} is a {type(found).__name__}; "
            "expected a subclass of curriculum_env.samplers.Sampler"
        )
    return found
