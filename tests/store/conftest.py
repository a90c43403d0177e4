from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from curriculum_env.testing.postgres import PostgresMissing, postgres_server


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a server that lives as long as the session."""
    with ExitStack() as stack:
        try:
            url = stack.enter_context(postgres_server())
        except PostgresMissing as error:
            if os.environ.get("CI"):
                raise
            pytest.skip(str(error))
        yield url


@pytest.fixture
def postgres_url(postgres: str) -> str:
    return new_schema(postgres)


def new_schema(postgres: str) -> str:
    """The URL of a new, empty store on the server."""
    name = f"test_{uuid4().hex}"
    with psycopg.connect(postgres.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(f'CREATE SCHEMA "{name}"'.encode())
    return f"{postgres}?options=-csearch_path%3D{name}"


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/curriculum.db"


@pytest.fixture
def memory_url() -> str:
    return f"memory://{uuid4().hex}"


@pytest.fixture(params=["sqlite", "postgres"])
def shared_url(request: pytest.FixtureRequest) -> str:
    """A new, empty store that several processes can share."""
    return str(request.getfixturevalue(f"{request.param}_url"))
