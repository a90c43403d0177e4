"""The releases of TRL that the trainers stand on."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from curriculum_env.errors import ConfigError

LOWEST, FIRST_UNKNOWN = (1, 9), (1, 17)


def require_trl() -> None:
    """Refuse a Python without TRL, or with a release whose inner workings are not known here.

    Raises:
        ConfigError: it names what is installed and what to install.
    """
    install = "install it with pip install 'curriculum-env[trl]'"
    try:
        found = version("trl")
    except PackageNotFoundError:
        raise ConfigError(f"TRL is not installed; expected trl 1.9 to 1.16: {install}.") from None
    major, minor = (int(part) for part in found.split(".")[:2])
    if not LOWEST <= (major, minor) < FIRST_UNKNOWN:
        raise ConfigError(f"trl {found} is installed; expected trl 1.9 to 1.16: {install}.")
