from __future__ import annotations

import asyncio
import math
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from curriculum_env.recorder import Recorder, recorder_for
from curriculum_env.store import Store, open_store, quick
from curriculum_env.store.sqlite import SqliteStore
from curriculum_env.testing.store import drain, make_outcomes
from curriculum_env.types import Outcome
from tests.store.processes import run

OUTCOME = Outcome(0, "uid", "rollout", 1.0)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/curriculum.db"


@pytest.fixture
def recorder(url: str) -> Iterator[Recorder]:
    recorder = Recorder(url, wait=30.0)
    yield recorder
    recorder.close()


@pytest.fixture
def lock(url: str) -> Iterator[sqlite3.Connection]:
    """Holds the store's write lock until the test gives it back."""
    open_store(url).close()
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as lock:
        lock.execute("BEGIN IMMEDIATE")
        yield lock


def recorded(url: str) -> list[Outcome]:
    with closing(open_store(url)) as store:
        return drain(store.reader())


def ids(outcomes: list[Outcome]) -> set[str]:
    return {outcome.rollout_id for outcome in outcomes}


# --- durable -------------------------------------------------------------------------------------
async def test_an_acknowledged_outcome_is_in_the_store(url: str, recorder: Recorder) -> None:
    assert await recorder.record(OUTCOME)
    assert recorded(url) == [OUTCOME]
    assert recorder.unwritten == 0


async def test_outcomes_that_come_together_share_a_transaction(
    url: str, recorder: Recorder, lock: sqlite3.Connection
) -> None:
    """Queued while the store is locked, a thousand outcomes take two transactions, not more."""
    tasks = [asyncio.create_task(recorder.record(o)) for o in make_outcomes("a", 1000)]
    await asyncio.sleep(0.1)
    assert recorder.unwritten == 1000
    lock.execute("COMMIT")
    assert all(await asyncio.gather(*tasks))
    assert len(recorded(url)) == 1000


async def test_where_the_store_can_an_outcome_is_in_it_before_the_event_loop_goes_on(
    url: str, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick, "_SLOW_SECONDS", 60.0)  # however busy the machine is
    first, second, third = make_outcomes("a", 3)
    await recorder.record(first)  # opens the store, in the thread
    with pytest.raises(StopIteration) as ended:
        recorder.record(second).send(None)
    assert ended.value.value is True
    recorder.record_nowait(third)
    assert recorded(url) == [first, second, third]
    assert recorder.unwritten == 0


async def test_somebody_elses_lock_does_not_hold_up_the_event_loop(
    url: str, lock: sqlite3.Connection
) -> None:
    with closing(Recorder(url, wait=0.05)) as recorder:
        lock.execute("COMMIT")
        first, *others = make_outcomes("a", 21)
        assert await recorder.record(first)
        lock.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        for outcome in others:
            recorder.record_nowait(outcome)
        assert time.monotonic() - began < 1.0  # 1 ms, but for what else the machine does
        assert recorder.unwritten == 20
        assert recorded(url) == [first]
        lock.execute("COMMIT")
        assert recorder.flush(30.0)
        assert ids(recorded(url)) == ids([first, *others])


async def test_outcomes_that_may_wait_share_a_transaction_though_they_come_one_by_one(
    url: str, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three come milliseconds apart, right after another was written; a fourth cannot wait. The
    store writes nothing at once, as one on a server."""
    monkeypatch.setattr(SqliteStore, "record_at_once", Store.record_at_once)
    first, *others, last = make_outcomes("a", 5)
    await recorder.record(first)
    tasks = []
    for outcome in others:
        tasks.append(asyncio.create_task(recorder.record(outcome, gather=True)))
        await asyncio.sleep(0.002)
    assert not any(task.done() for task in tasks)
    await recorder.record(last)
    assert all(await asyncio.gather(*tasks))
    assert len(recorded(url)) == 5


def test_callbacks_record_without_waiting(url: str, recorder: Recorder) -> None:
    recorder.record_nowait(OUTCOME)
    assert recorder.flush(30.0)
    assert recorded(url) == [OUTCOME]


def test_several_event_loops_share_a_recorder(url: str, recorder: Recorder) -> None:
    async def record(name: str) -> None:
        assert all(await asyncio.gather(*map(recorder.record, make_outcomes(name, 100))))

    threads = [Thread(target=asyncio.run, args=(record(str(n)),)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(recorded(url)) == 300


def test_a_loop_that_is_closed_meanwhile_does_no_harm(url: str, lock: sqlite3.Connection) -> None:
    with closing(Recorder(url, wait=0.05)) as recorder:
        assert asyncio.run(recorder.record(OUTCOME)) is False
        lock.execute("COMMIT")
        assert recorder.flush(30.0)
        recorder.record_nowait(replace(OUTCOME, rollout_id="next"))
    assert ids(recorded(url)) == {"rollout", "next"}


async def test_a_cancelled_rollout_does_no_harm(
    url: str, recorder: Recorder, lock: sqlite3.Connection
) -> None:
    task = asyncio.create_task(recorder.record(OUTCOME))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    lock.execute("COMMIT")
    assert recorder.flush(30.0)
    assert recorded(url) == [OUTCOME]


async def test_memory_is_written_at_once() -> None:
    recorder = recorder_for("memory://recorder")
    assert await recorder.record(OUTCOME)
    recorder.record_nowait(replace(OUTCOME, rollout_id="next"))
    assert ids(recorded("memory://recorder")) == {"rollout", "next"}
    assert recorder.flush()


def test_one_recorder_per_url(url: str) -> None:
    assert recorder_for(url) is recorder_for(url)
    assert recorder_for(url) is not recorder_for(f"{url}2")


# --- faults --------------------------------------------------------------------------------------
async def test_a_store_that_fails_holds_a_rollout_up_for_a_bounded_time(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "later"
    folder.touch()  # a file where the folder should be
    recorder = Recorder(f"sqlite:///{folder}/curriculum.db", wait=0.2)
    began = time.monotonic()
    assert not any(await asyncio.gather(*map(recorder.record, make_outcomes("a", 20))))
    assert time.monotonic() - began < 5.0
    recorder.record_nowait(OUTCOME)
    assert recorder.unwritten == 21
    assert not recorder.flush(0.1)
    assert caplog.text.count("Outcomes are kept and retried") == 1

    folder.unlink()
    assert recorder.flush(30.0)
    assert recorder.unwritten == 0
    recorder.close()
    assert len(recorded(recorder.url)) == 21


async def test_a_store_that_comes_back_is_written_without_a_flush(tmp_path: Path) -> None:
    folder = tmp_path / "later"
    folder.touch()
    with closing(Recorder(f"sqlite:///{folder}/curriculum.db", wait=0.01)) as recorder:
        assert not await recorder.record(OUTCOME)
        folder.unlink()
        for _ in range(600):
            if recorder.unwritten == 0:
                break
            await asyncio.sleep(0.05)
        assert recorded(recorder.url) == [OUTCOME]


def test_what_no_longer_fits_is_counted_and_warned_about(
    url: str, lock: sqlite3.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    recorder = Recorder(url, capacity=10)
    recorder.record_nowait(OUTCOME)
    while len(recorder._batch) == 0:
        time.sleep(0.01)
    for outcome in make_outcomes("a", 15):
        recorder.record_nowait(outcome)
    assert recorder.dropped == 5
    assert recorder.unwritten == 16
    assert caplog.text.count("the oldest are dropped") == 1
    lock.execute("COMMIT")
    recorder.close()
    assert ids(recorded(url)) == {"rollout", *(f"a-{n}" for n in range(5, 15))}
    assert "5 outcomes could not be written" in caplog.text


def test_closing_an_unwritable_recorder_says_how_many_are_lost(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    recorder = Recorder(f"sqlite:///{tmp_path}/file/curriculum.db")
    for outcome in make_outcomes("a", 3):
        recorder.record_nowait(outcome)
    recorder.close(timeout=0.2)
    assert "3 outcomes could not be written" in caplog.text


def test_a_closed_recorder_starts_again(url: str, recorder: Recorder) -> None:
    recorder.record_nowait(OUTCOME)
    recorder.close()
    assert recorded(url) == [OUTCOME]
    recorder.record_nowait(replace(OUTCOME, rollout_id="next"))
    recorder.close()
    assert ids(recorded(url)) == {"rollout", "next"}


# --- rewards -------------------------------------------------------------------------------------
@pytest.mark.parametrize("reward", [math.nan, math.inf, "1", None, 10**400, Decimal(1), [1.0], 1j])
def test_a_reward_that_is_no_finite_number_is_an_error(
    reward: object, caplog: pytest.LogCaptureFixture
) -> None:
    recorder = Recorder(url := f"memory://{id(reward)}-{caplog}")
    for rollout in "ab":
        recorder.record_nowait(replace(OUTCOME, rollout_id=rollout, reward=reward))  # type: ignore[arg-type]
    assert [(o.reward, o.status) for o in recorded(url)] == [(None, "error")] * 2
    assert caplog.text.count("is not a finite number: recorded as an error") == 1


@pytest.mark.parametrize("reward", [1, True, np.float32(1.0), np.int64(1), np.float64(1.0)])
def test_any_real_number_becomes_a_float(reward: float, url: str, recorder: Recorder) -> None:
    recorder.record_nowait(replace(OUTCOME, reward=reward))
    assert recorder.flush(30.0)
    assert [type(o.reward) for o in recorded(url)] == [float]


def test_an_error_has_no_reward(url: str, recorder: Recorder) -> None:
    recorder.record_nowait(replace(OUTCOME, status="error"))
    recorder.record_nowait(replace(OUTCOME, status="cancelled", rollout_id="b", reward=None))
    assert recorder.flush(30.0)
    assert [(o.status, o.reward) for o in recorded(url)] == [("error", None), ("cancelled", None)]


# --- processes -----------------------------------------------------------------------------------
def test_a_process_flushes_at_its_exit(url: str) -> None:
    program = """
from curriculum_env.recorder import recorder_for
for n in range(500):
    recorder_for(url).record_nowait(Outcome(0, "uid", str(n), 1.0))
"""
    run(program, url)
    assert len(recorded(url)) == 500


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_worker_process_flushes_at_its_exit(url: str, method: str, tmp_path: Path) -> None:
    (tmp_path / "worker.py").write_text("""
import multiprocessing, sys
from curriculum_env.recorder import recorder_for
from curriculum_env.types import Outcome
def work(url, name):
    for n in range(100):
        recorder_for(url).record_nowait(Outcome(0, "uid", f"{name}-{n}", 1.0))
if __name__ == "__main__":
    work(sys.argv[1], "parent")
    context = multiprocessing.get_context(sys.argv[2])
    process = context.Process(target=work, args=(sys.argv[1], "child"))
    process.start()
    process.join()
    assert process.exitcode == 0
""")
    run(
        f"sys.argv += ['{method}']\n" + f"import runpy; sys.path.insert(0, '{tmp_path}')\n"
        f"runpy.run_path('{tmp_path}/worker.py', run_name='__main__')",
        url,
    )
    assert len(recorded(url)) == 200


def test_a_fork_while_outcomes_are_queued(url: str) -> None:
    """The parent's queue stays the parent's; the child's own recorder works, as often as it
    takes."""
    program = """
import asyncio
from curriculum_env.recorder import recorder_for
recorder = recorder_for(url)
children = []
for c in range(10):
    for n in range(200):
        recorder.record_nowait(Outcome(0, "uid", f"parent-{c}-{n}", 1.0))
    child = os.fork()
    if child == 0:
        assert recorder.unwritten == 0
        recorder.wait = 60.0
        assert asyncio.run(recorder.record(Outcome(0, "uid", f"child-{c}", 1.0)))
        os._exit(0)
    children.append(child)
print([os.waitpid(child, 0)[1] for child in children])
"""
    assert run(program, url) == f"{[0] * 10}\n"
    assert len(recorded(url)) == 10 * 200 + 10


def test_the_recorder_stays_light(url: str) -> None:
    program = """
import curriculum_env.recorder
heavy = ("numpy", "pyarrow", "datasets", "verifiers", "sqlalchemy", "curriculum_env.samplers")
print([module for module in heavy if module in sys.modules])
"""
    assert run(program, url) == "[]\n"
