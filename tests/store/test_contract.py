from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from curriculum_env.testing.store import StoreContract
from tests.store.conftest import new_schema


class TestSqlite(StoreContract):
    @pytest.fixture
    def url(self, sqlite_url: str) -> str:
        return sqlite_url

    @pytest.fixture
    def other_url(self, tmp_path: Path) -> str:
        return f"sqlite:///{tmp_path}/other.db"


class TestPostgres(StoreContract):
    @pytest.fixture
    def url(self, postgres_url: str) -> str:
        return postgres_url

    @pytest.fixture
    def other_url(self, postgres: str) -> str:
        return new_schema(postgres)


class TestMemory(StoreContract):
    @pytest.fixture
    def url(self, memory_url: str) -> str:
        return memory_url

    @pytest.fixture
    def other_url(self) -> str:
        return f"memory://{uuid4().hex}"
