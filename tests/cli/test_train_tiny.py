from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.skipif(not find_spec("trl"), reason="needs the extra trl"),
    pytest.mark.filterwarnings("ignore"),  # deprecations inside TRL and transformers
]


def test_trl_and_the_own_loop_train_alike(tmp_path: Path) -> None:
    from arithmetic_curriculum.sums import sum_rows

    from curriculum_env.cli import train_tiny
    from curriculum_env.config import CurriculumConfig
    from curriculum_env.sim.tiny.run import Exam, Loop, train
    from curriculum_env.sim.tiny.warm import schooled
    from tests.sim.tiny.schools import QUICK

    taskset = {"id": "arithmetic-curriculum", "size": 80, "sums": [1.0], "seed": 0}
    rows = list(sum_rows(80, [1.0], 0))
    config, exam, start = CurriculumConfig(), Exam(rows), schooled(QUICK, tmp_path)
    loop = Loop(budget=128, groups=4, rate=1e-3, evaluate_every=64)
    by_trl = train_tiny.train("default", config, "one", taskset, exam, start, loop, tmp_path)
    own = train("default", config, "one", rows, exam, start, loop)
    assert [point[:2] for point in by_trl.curve] == [(0, 0), (64, 2), (128, 4)]
    assert by_trl.curve[0].accuracy == pytest.approx(own.curve[0].accuracy, abs=1e-5)
    assert len({point.accuracy for point in by_trl.curve}) == 3
    assert by_trl.rho == pytest.approx(own.rho, abs=0.3)
    found = train_tiny.agreement(own, by_trl)
    assert found["rollouts"] == [0, 64, 128]
    assert found["largest_difference"] < 0.1
    worse = replace(by_trl, curve=tuple(p._replace(accuracy=0.0) for p in by_trl.curve))
    assert train_tiny.agreement(own, worse)["mean_difference"] < -0.1
