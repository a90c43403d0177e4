from __future__ import annotations

import importlib
import json
import sqlite3
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.adapters.trl.training import series, trainer


@pytest.mark.skipif(find_spec("trackio") is None, reason="trackio is not installed")
def test_metrics_reach_trackio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    importlib.import_module("trackio")
    folder = tmp_path / "trackio"
    for name in [name for name in sys.modules if name.partition(".")[0] == "trackio"]:
        if hasattr(sys.modules[name], "TRACKIO_DIR"):
            monkeypatch.setattr(sys.modules[name], "TRACKIO_DIR", folder)
    one = trainer(
        tmp_path, report_to="trackio", project="letters", max_steps=2, dynamic_sampling=True
    )
    one.train()
    (database,) = folder.glob("letters*.db")
    with sqlite3.connect(database) as connection:
        rows = connection.execute("select metrics from metrics order by step").fetchall()
    logged = [json.loads(row[0]) for row in rows]
    for name in ("curriculum/draws", "curriculum/rho", "curriculum/generation_rounds"):
        found = [float(line[key]) for line in logged for key in line if key.endswith(name)]
        assert found == series(one, name)
