from __future__ import annotations

import logging
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from curriculum_env import Curriculum, CurriculumConfig, Draw, Row
from curriculum_env.engine import load_state, save_state
from curriculum_env.engine.predict import Signals
from curriculum_env.errors import RejectedError
from curriculum_env.samplers import KINDS, Pick
from curriculum_env.store import open_store
from tests.engine.helpers import outcomes

LEVELS = 5
RATES = (1.0, 1.0, 0.5, 0.0, 0.0)
SAMPLERS = sorted({kind.model_fields["type"].default for kind in KINDS} - {"custom", "mixture"})


def made(number: int) -> Row:
    """The candidate of that number: every level in turn."""
    level = number % LEVELS
    data = {"number": number, "pair": (1, 2)}
    return Row(f"new-{number}", data, "d", str(level), {"level": level})


def seeds(count: int = 40) -> list[Row]:
    return [Row(f"old-{i}", {}, "d", str(i % LEVELS), {"level": i % LEVELS}) for i in range(count)]


def grown(store: str | None = None, generator: Any = made, **settings: Any) -> Curriculum:
    settings = {"group_size": 8, "cooldown": 4, "seed": 1, **settings}
    config = CurriculumConfig.model_validate(settings)
    return Curriculum(seeds(), config, store, generator=generator)


def play(curriculum: Curriculum, draws: int, rng: np.random.Generator | None = None) -> list[Draw]:
    rng = rng or np.random.default_rng(5)
    played = []
    for _ in range(draws):
        played.append(curriculum.ask())
        rate = RATES[int(played[-1].level or 0)]
        for outcome in outcomes(played[-1], (rng.random(8) < rate).astype(float).tolist()):
            curriculum.tell(outcome)
        curriculum.sync(5.0)
    return played


def fresh(draws: list[Draw]) -> list[str]:
    return [draw.uid for draw in draws if draw.uid.startswith("new")]


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_the_share_of_draws_goes_to_new_rows(share: float) -> None:
    with grown(generate={"share": share}, explore=0.0, novelty=1e-3) as curriculum:
        draws = play(curriculum, 40)
        first = [draw for n, draw in enumerate(draws) if int((n + 1) * share) > int(n * share)]
        assert len(first) == 40 * share
        assert all(uid.startswith("new") for uid in [draw.uid for draw in first])
        assert len({draw.uid for draw in first}) == len(first)
        metrics = curriculum.metrics()
        assert metrics["generated_rows"] == len(curriculum.rows) - 40
        assert metrics["proposed_rows"] == 8 * metrics["generated_rows"]
        assert all(0 < draw.propensity <= 1 for draw in draws)


@pytest.mark.parametrize("estimator", ["beta", "ema", "irt"])
@pytest.mark.parametrize("pick", get_args(Pick))
def test_rows_with_signal_are_the_ones_made(estimator: str, pick: Pick) -> None:
    with grown(estimator={"type": estimator}, pick=pick, generate={"share": 1.0}) as curriculum:
        play(curriculum, 200)
        made_rows = list(curriculum.rows)[40:][-64:]
        alive = sum(row.level == "2" for row in made_rows) / len(made_rows)
        assert alive > (0.6 if pick == "top" else 0.3)  # one candidate in five has signal


@pytest.mark.parametrize("estimator", ["beta", "irt"])
def test_the_prediction_is_near_the_truth(estimator: str) -> None:
    """Irt knows that most rows are settled, and cannot know which."""
    signals = Signals()
    with grown(estimator={"type": estimator}, sampler={"type": "uniform"}) as curriculum:
        for draw in play(curriculum, 200):
            signals.observe((draw.domain, draw.level), alive=draw.level == "2")
        candidates = [made(number) for number in range(10_000, 10_005)]
        before = curriculum.table()
        signal_C = signals.predict(curriculum.estimator, candidates, 8)
        assert np.argmax(signal_C) == 2
        assert signal_C[2] > 2 * max(signal_C[[0, 1, 3, 4]])
        assert all((before[name] == values).all() for name, values in curriculum.table().items())


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_every_rule_takes_rows_on_the_way(sampler: str) -> None:
    with grown(sampler={"type": sampler}) as curriculum:
        assert fresh(play(curriculum, 60))


def test_a_run_goes_on_from_its_log_with_the_same_rows(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/c.db"
    with grown(store) as curriculum:
        first = play(curriculum, 60)
        rows = list(curriculum.rows)
    with grown(store) as curriculum:
        assert list(curriculum.rows) == rows
        again = [curriculum.ask() for _ in range(60)]
        assert [(draw.number, draw.uid) for draw in again] == [(d.number, d.uid) for d in first]
        assert curriculum.row(fresh(first)[0]).data["pair"] == [1, 2]
        more = play(curriculum, 40)
        assert not set(fresh(more[1::2])) & set(fresh(first))
        assert curriculum.metrics()["proposed_rows"] > 60 // 2 * 8


def test_what_was_chosen_before_the_end_is_drawn_after_it(tmp_path: Path) -> None:
    """Sixteen rows are made at once; those not yet drawn are not made anew."""
    store = f"sqlite:///{tmp_path}/c.db"
    with grown(store, generate={"share": 1.0}) as whole:
        play(whole, 5)
        chosen = [row.uid for row in list(whole.rows)[40:56]]
    with grown(store, generate={"share": 1.0}) as curriculum:
        draws = [curriculum.ask() for _ in range(16)]
        assert [draw.uid for draw in draws] == chosen
        assert curriculum.metrics()["proposed_rows"] == 128


@pytest.mark.parametrize("other", [None, lambda number: Row(f"other-{number}", {})])
def test_the_log_needs_no_generator(tmp_path: Path, other: Any) -> None:
    store = f"sqlite:///{tmp_path}/c.db"
    with grown(store) as curriculum:
        first = play(curriculum, 30)
    with grown(store, generator=other) as curriculum:
        assert [curriculum.ask().uid for _ in range(30)] == [draw.uid for draw in first]
        play(curriculum, 10)


@pytest.mark.parametrize("store", ["memory", "sqlite"])
def test_a_checkpoint_goes_on_exactly(tmp_path: Path, store: str) -> None:
    url = f"sqlite:///{tmp_path}/c.db" if store == "sqlite" else None
    with grown(url) as curriculum:
        play(curriculum, 50)
        save_state(tmp_path, curriculum.state_dict())
        following = play(curriculum, 50, np.random.default_rng(9))
        rows = list(curriculum.rows)
    with grown(url) as curriculum:
        curriculum.load_state_dict(load_state(tmp_path))
        if store == "sqlite":
            again = [curriculum.ask() for _ in range(50)]
        else:
            again = play(curriculum, 50, np.random.default_rng(9))
        assert [draw.uid for draw in again] == [draw.uid for draw in following]
        assert [draw.propensity for draw in again] == [draw.propensity for draw in following]
        assert list(curriculum.rows) == rows


def test_a_warm_start_keeps_the_rows(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/c.db"
    with grown(store) as curriculum:
        play(curriculum, 40)
        rows = list(curriculum.rows)
    with grown(store, resume="warm") as curriculum:
        assert list(curriculum.rows) == rows
        assert curriculum.ask().number == 40


@pytest.mark.parametrize(
    "wrong",
    [
        lambda number: 1 / 0,
        lambda number: {"uid": "x"},
        lambda number: Row("", {}),
        lambda number: Row(f"new-{number}", {"value": float("nan")}),
        lambda number: Row(f"new-{number}", {"value": object()}),
        lambda number: Row(f"new-{number}", {"value": "\0"}),
        lambda number: Row(f"new-{number}", {"value": "\ud800"}),
        lambda number: Row(f"new-{number}", {}, prior_passes=3, prior_attempts=1),
    ],
)
def test_a_generator_that_fails_ends_nothing(wrong: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING), grown(generator=wrong) as curriculum:
        assert not fresh(play(curriculum, 40))
        assert len(curriculum.rows) == 40
    assert [record.getMessage()[:30] for record in caplog.records].count(
        "the generator failed at candid"
    ) == 1


@pytest.mark.parametrize(
    "empty", [lambda number: None, lambda number: seeds()[0], lambda number: made(0)]
)
def test_a_source_that_has_nothing_new_rests(empty: Any) -> None:
    asked: list[int] = []

    def source(number: int) -> Row | None:
        asked.append(number)
        row: Row | None = empty(number)
        return row

    with grown(generator=source) as curriculum:
        play(curriculum, 100)
        assert len(asked) <= 2 * 128
        assert asked == list(range(len(asked)))


CHILD = """
import sys
from tests.engine.test_growth import grown, outcomes
with grown(sys.argv[1]) as curriculum:
    print("open", flush=True)
    while True:
        draw = curriculum.ask()
        for outcome in outcomes(draw, [0.0, 1.0] * 4):
            curriculum.tell(outcome)
"""


def test_a_killed_run_lacks_no_row(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/c.db"
    for _ in range(3):
        child = subprocess.Popen([sys.executable, "-c", CHILD, store], stdout=subprocess.PIPE)
        assert child.stdout is not None
        assert child.stdout.readline()
        time.sleep(0.7)
        child.kill()
        child.wait()
        child.stdout.close()
    with grown(store) as curriculum:
        logged = [draw.uid for draw in curriculum.store.draws()]
        assert fresh([curriculum.ask() for _ in logged])
        assert len(curriculum.rows) > 40


def test_an_event_that_the_database_refuses_holds_up_no_draw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with grown(f"sqlite:///{tmp_path}/c.db") as curriculum:

        def refuse(kind: str, data: Any) -> None:
            raise RejectedError("scripted")

        monkeypatch.setattr(curriculum.store, "log_event", refuse)
        with caplog.at_level(logging.WARNING):
            drawn = [curriculum.ask().number for _ in range(6)]
        curriculum.sync(5.0)
    with closing(open_store(f"sqlite:///{tmp_path}/c.db")) as store:
        assert [draw.number for draw in store.draws()] == drawn
    assert "an event (rows) is not logged: scripted" in caplog.text
