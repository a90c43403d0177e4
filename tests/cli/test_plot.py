"""What became of a run's variants, as a picture."""

from __future__ import annotations

from pathlib import Path

import pytest

from curriculum_env import Curriculum, Outcome, Row
from curriculum_env.sim.serving import serve
from curriculum_env.store import open_store
from curriculum_env.store.queue import Augmentation
from tests.cli.conftest import Cli, cli, refused

__all__ = ["cli"]


def variant(item: Augmentation) -> Row | str:
    made = Row(f"v{item.id}", {}, parent=item.source.uid)
    return made if item.id % 3 else "unsolvable"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    file = tmp_path / "curriculum.db"
    rows = [Row(f"r{i}", {}) for i in range(8)]
    settings = {"group_size": 2, "augment": {"enabled": True}}
    with Curriculum(rows, settings, f"sqlite:///{file}") as curriculum:
        for _ in range(12):
            draw = curriculum.ask()
            for place in range(2):
                curriculum.tell(
                    Outcome(draw.number, draw.uid, f"{draw.number}-{place}", float(place))
                )
            curriculum.sync(5.0)
            serve(curriculum.store.queue, variant)
    return file


@pytest.mark.parametrize("name", ["new/plot.png", "plot.svg", "plot.pdf"])
def test_a_store_is_drawn_from_its_file_or_folder(cli: Cli, run: Path, name: str) -> None:
    out = run.parent / name
    done = cli("plot", run.parent if name == "plot.svg" else run, out)
    assert (done.code, done.err) == (0, "")
    assert done.out == f"Drew 12 draws to {out}.\n"
    assert out.stat().st_size > 10_000


def test_another_suffix_is_refused_before_the_store_is_read(cli: Cli, tmp_path: Path) -> None:
    refused(cli("plot", tmp_path / "none.db", tmp_path / "plot.jpeg"), "plot.png")


def test_what_cannot_be_drawn_or_written_is_one_sentence(cli: Cli, run: Path) -> None:
    empty = run.with_name("empty.db")
    open_store(f"sqlite:///{empty}").close()
    refused(cli("plot", empty, run.with_suffix(".png")), "holds no run yet")
    refused(cli("plot", run.with_name("no.db"), "plot.png"), "there is no store")
    refused(cli("plot", run, run / "plot.png"), "cannot be written")
