"""What the environment keeps between runs goes into a folder of the tests' own."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True, scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder, for this process."""
    folder = str(tmp_path_factory.mktemp("cache"))
    pytest.MonkeyPatch().setenv("XDG_CACHE_HOME", folder)
    return folder
