from __future__ import annotations

import pytest

from curriculum_env.testing.store import StoreContract


class TestSqlite(StoreContract):
    @pytest.fixture
    def url(self, sqlite_url: str) -> str:
        return sqlite_url


class TestPostgres(StoreContract):
    @pytest.fixture
    def url(self, postgres_url: str) -> str:
        return postgres_url


class TestMemory(StoreContract):
    @pytest.fixture
    def url(self, memory_url: str) -> str:
        return memory_url
