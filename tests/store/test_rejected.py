"""Values that a database refuses, among others that it takes."""

from __future__ import annotations

from contextlib import closing, suppress
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy

from curriculum_env.errors import RejectedError, StoreError
from curriculum_env.recorder import Recorder
from curriculum_env.store import open_store, schema
from curriculum_env.testing.store import drain, make_draws, make_outcomes
from curriculum_env.types import Outcome

REFUSED: dict[str, dict[str, Any]] = {
    "surrogate": {"uid": "\ud800"},
    "huge": {"draw": 1 << 80},
    "missing": {"uid": None},
    "list": {"uid": ["a", "b"]},
    "object": {"draw": object()},
}

BAD_DRAWS: list[dict[str, Any]] = [
    {"level": None}, {"level": "\ud800"}, {"number": 1 << 80}, {"uid": {}},
]  # fmt: skip


def poisoned(outcome: Outcome, kind: str) -> Outcome:
    return replace(outcome, rollout_id="bad", **REFUSED[kind])


@pytest.mark.parametrize("kind", REFUSED)
def test_one_bad_outcome_holds_up_no_other(
    kind: str, shared_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    good = make_outcomes("good", 20)
    recorder = Recorder(shared_url)
    for outcome in (*good[:9], poisoned(good[0], kind), *good[9:]):
        recorder.record_nowait(outcome)
    assert recorder.flush(10.0)
    assert recorder.unwritten == recorder.dropped == 1
    recorder.close()
    with closing(open_store(shared_url)) as store:
        assert {o.rollout_id for o in drain(store.reader())} == {o.rollout_id for o in good}
        assert [event["count"] for event in store.events("unwritten")] == [1]
    assert "The outcome of rollout bad is dropped" in caplog.text


@pytest.mark.parametrize("column", ["wall_time", "model", "tokens"])
@pytest.mark.parametrize("value", [None, float("nan"), [1, 2], {"a": 1}], ids=repr)
def test_a_bad_value_is_taken_or_refused_and_no_trouble(
    column: str, value: Any, shared_url: str
) -> None:
    bad = replace(make_outcomes("bad", 1)[0], **{column: value})
    with closing(open_store(shared_url)) as store:
        with suppress(RejectedError):
            store.record([bad])
        store.record(make_outcomes("good", 1))
        assert "good-0" in {outcome.rollout_id for outcome in drain(store.reader())}


def test_a_draw_that_is_refused(shared_url: str) -> None:
    with closing(open_store(shared_url)) as store:
        store.acquire()
        run, (draw, *_) = store.start_run({}), make_draws(0, 1)
        for bad in BAD_DRAWS:
            with pytest.raises(RejectedError, match="cannot hold a value"):
                store.append_draws(run, [replace(draw, **bad)])
        store.append_draws(run, [draw])
        assert list(store.draws()) == [draw]


def test_an_event_that_is_no_json_is_refused(shared_url: str) -> None:
    with closing(open_store(shared_url)) as store:
        with pytest.raises(RejectedError, match="not JSON serializable"):
            store.log_event("warning", {"a": object()})
        store.log_event("warning", {"a": 1})


def test_missing_tables_are_trouble_and_no_refusal(shared_url: str) -> None:
    with closing(open_store(shared_url)) as store:
        engine = sqlalchemy.create_engine(shared_url)
        schema.outcomes.drop(engine)
        engine.dispose()
        with pytest.raises(StoreError) as caught:
            store.record(make_outcomes("a", 1))
        assert not isinstance(caught.value, RejectedError)


def test_postgres_refuses_a_nul(postgres_url: str, caplog: pytest.LogCaptureFixture) -> None:
    recorder = Recorder(postgres_url)
    for outcome in (Outcome(0, "\0", "bad", 1.0), Outcome(0, "u", "good", 1.0)):
        recorder.record_nowait(outcome)
    assert recorder.flush(10.0)
    recorder.close()
    with closing(open_store(postgres_url)) as store:
        assert [o.rollout_id for o in drain(store.reader())] == ["good"]
