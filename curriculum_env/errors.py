"""The error tree. Each message says what was found, what was expected and what to do."""

from __future__ import annotations


class CurriculumError(Exception):
    """Base of every error this package raises on purpose."""


class ConfigError(CurriculumError, ValueError):
    """A setting, a flag or a URL cannot be used as given."""


class PoolError(CurriculumError, ValueError):
    """The rows cannot be trained on: empty, duplicated, or of the wrong shape."""


class RewardError(CurriculumError, ValueError):
    """A reward is not a finite number, or lies outside `reward_range`."""


class StateError(CurriculumError, ValueError):
    """A saved state or snapshot cannot be read back."""


class StoreError(CurriculumError, RuntimeError):
    """The store cannot be opened, read or written."""


class RejectedError(StoreError):
    """The database takes none of the values it was given; trying again will not help."""


class SchemaVersionError(StoreError):
    """The store was written by another version of the schema."""


class OwnerError(StoreError):
    """Another living curriculum owns the store."""


class RefillError(CurriculumError, RuntimeError):
    """Drawing on until a batch was full reached its cap."""


class ReplayError(CurriculumError, ValueError):
    """A trajectory cannot be kept or used again."""


class CheckerError(CurriculumError, RuntimeError):
    """A rubric's checker is closed, or its workers cannot be started."""


class SandboxError(CurriculumError, RuntimeError):
    """The place that runs untrusted code could not be made, or is gone."""


class IsolationError(SandboxError):
    """This machine gives no walls to run untrusted code in, and the settings require them."""
