from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy

from curriculum_env.errors import ConfigError, SchemaVersionError, StoreError
from curriculum_env.store import open_store, schema
from curriculum_env.testing.store import drain, make_outcomes
from tests.store.processes import run


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mysql://host/db", r"'mysql' is of no known kind: write sqlite:///path"),
        ("postgresql://host/db", r"write sqlite:///path, postgresql\+psycopg://"),
        ("curriculum.db", r"no known kind"),
        ("", r"no known kind"),
        ("sqlite://", r"names no file: write sqlite:///path"),
        ("sqlite:///:memory:", r"memory://name"),
        ("postgresql+psycopg://host:port/db", r"cannot be read .* write sqlite:///path"),
    ],
)
def test_a_wrong_url_is_a_config_error(url: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        open_store(url)


@pytest.mark.parametrize("secret", ["u:hunter2@127.0.0.1:9/db", "127.0.0.1:9/db?password=hunter2"])
def test_no_message_shows_the_password(secret: str) -> None:
    with pytest.raises(StoreError, match=r"127\.0\.0\.1:9/db") as raised:
        open_store(f"postgresql+psycopg://{secret}")
    assert "hunter2" not in str(raised.value)


def test_missing_folders_are_created(tmp_path: Path) -> None:
    open_store(f"sqlite:///{tmp_path}/a/b/curriculum.db").close()
    assert (tmp_path / "a/b/curriculum.db").exists()


def test_a_relative_path_keeps_its_meaning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(open_store("sqlite:///curriculum.db")) as store:
        monkeypatch.chdir("/")
        store.record(make_outcomes("a", 1))
    assert (tmp_path / "curriculum.db").exists()


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"cannot be created \(Not a directory\): name a path"):
        open_store(f"sqlite:///{tmp_path}/file/new/curriculum.db")


def test_a_path_that_is_a_folder(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"unable to open database file\): name a path"):
        open_store(f"sqlite:///{tmp_path}")


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a database at all\n" * 100)
    with pytest.raises(StoreError, match=r"not a curriculum store; name another path"):
        open_store(f"sqlite:///{tmp_path}/notes.txt")


def test_a_server_that_is_not_there() -> None:
    with pytest.raises(StoreError, match=r"Connection refused.*check that the server runs"):
        open_store("postgresql+psycopg://user:secret@127.0.0.1:1/db")


def test_a_database_that_is_not_there(postgres: str) -> None:
    with pytest.raises(StoreError, match=r'database "nope" does not exist.*check that'):
        open_store(postgres.replace("/postgres", "/nope"))


def test_messages_hide_the_password() -> None:
    with pytest.raises(StoreError) as caught:
        open_store("postgresql+psycopg://user:secret@127.0.0.1:1/db")
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_driver_names_the_extra(postgres: str) -> None:
    program = """
sys.modules["psycopg"] = None
try:
    open_store(url)
except Exception as error:
    print(type(error).__name__, error)
"""
    assert "ConfigError" in (said := run(program, postgres))
    assert 'pip install "curriculum-env[postgres]"' in said


def test_the_store_stays_light(sqlite_url: str) -> None:
    program = """
print([m for m in ("sqlalchemy", "numpy", "pyarrow") if m in sys.modules])
open_store(url).close()
print([m for m in ("psycopg", "numpy", "pyarrow") if m in sys.modules])
"""
    assert run(program, sqlite_url) == "[]\n[]\n"


def test_many_processes_open_a_new_store_at_once(shared_url: str) -> None:
    program = """
import multiprocessing
def work(number):
    barrier.wait()
    store = open_store(url)
    store.record([Outcome(0, "uid", str(number), 1.0)])
    store.close()
barrier = multiprocessing.Barrier(8)
processes = [multiprocessing.get_context("fork").Process(target=work, args=(n,)) for n in range(8)]
for process in processes: process.start()
for process in processes: process.join()
print([process.exitcode for process in processes])
"""
    assert run(program, shared_url) == f"{[0] * 8}\n"
    with closing(open_store(shared_url)) as store:
        assert len(drain(store.reader())) == 8


def test_another_schema_version_is_refused(shared_url: str) -> None:
    open_store(shared_url).close()
    engine = sqlalchemy.create_engine(shared_url)
    with engine.begin() as connection:
        connection.execute(sqlalchemy.update(schema.meta), {"value": "0"})
    engine.dispose()
    with pytest.raises(SchemaVersionError, match=r"has schema version 0 .* writes version 1: open"):
        open_store(shared_url)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 1 MB."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount")
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"tmpfs", bytes(tmp_path), b"tmpfs", 0, b"size=1m") != 0:
        pytest.skip("this machine does not let us mount a tmpfs")
    yield tmp_path
    assert libc.umount2(bytes(tmp_path), 2) == 0


def test_a_full_disk(small_disk: Path) -> None:
    with closing(open_store(f"sqlite:///{small_disk}/curriculum.db")) as store:
        with pytest.raises(StoreError, match=r"full\): free some disk space"):  # noqa: PT012
            for number in range(1000):
                store.record(make_outcomes(str(number), 100))
        written = drain(store.reader())
        assert len(written) == number * 100 > 0


FILE_LIMIT = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
store = open_store(url)
try:
    for number in range(100_000):
        store.record([Outcome(0, "uid", f"{number}-{n}", 1.0) for n in range(100)])
except Exception as error:
    print(type(error).__name__, error)
"""


def test_a_file_that_may_not_grow(sqlite_url: str) -> None:
    said = run(FILE_LIMIT, sqlite_url)
    assert said.startswith("StoreError The store sqlite:")
    assert said.count("\n") == 1


def test_a_read_only_file_system(small_disk: Path) -> None:
    libc = ctypes.CDLL(None)
    assert libc.mount(b"tmpfs", bytes(small_disk), b"tmpfs", 32 | 1, b"") == 0  # remount, read-only
    with pytest.raises(StoreError, match=r"name a path in a folder that can be written"):
        open_store(f"sqlite:///{small_disk}/curriculum.db")
    with pytest.raises(StoreError, match=r"Read-only file system"):
        open_store(f"sqlite:///{small_disk}/new/curriculum.db")
