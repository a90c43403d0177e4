"""A verifiers runtime for the code under test, on this machine."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import verifiers.v1 as vf
from verifiers.v1.runtimes import provision_runtime


@pytest.fixture
async def runtime() -> AsyncIterator[Any]:
    async with provision_runtime(vf.SubprocessConfig()) as running:
        yield running
