from __future__ import annotations

from collections.abc import Iterator

import pytest

from curriculum_env.rubrics.math import MathChecker


@pytest.fixture(scope="session")
def checker() -> Iterator[MathChecker]:
    with MathChecker() as checker:
        yield checker
