from __future__ import annotations

from importlib.metadata import PackageNotFoundError

import pytest

from curriculum_env.adapters.trl import versions
from curriculum_env.errors import ConfigError


def pretend(monkeypatch: pytest.MonkeyPatch, found: str | None) -> None:
    def version(name: str) -> str:
        if found is None:
            raise PackageNotFoundError(name)
        return found

    monkeypatch.setattr(versions, "version", version)


@pytest.mark.parametrize("found", ["1.9.0", "1.16.0", "1.16.3", "1.12.0rc1"])
def test_known_releases(monkeypatch: pytest.MonkeyPatch, found: str) -> None:
    pretend(monkeypatch, found)
    versions.require_trl()


@pytest.mark.parametrize("found", ["0.29.1", "1.8.2", "1.17.0.dev0", "2.0"])
def test_unknown_releases_are_refused(monkeypatch: pytest.MonkeyPatch, found: str) -> None:
    pretend(monkeypatch, found)
    with pytest.raises(ConfigError, match=f"trl {found} is installed; expected trl 1.9 to 1.16"):
        versions.require_trl()


def test_without_trl_the_first_name_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import curriculum_env.adapters.trl as adapter

    pretend(monkeypatch, None)
    with pytest.raises(ConfigError, match=r"TRL is not installed.*curriculum-env\[trl\]"):
        adapter.CurriculumGRPOTrainer  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        adapter.Nothing  # noqa: B018
