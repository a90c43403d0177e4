from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Cli, cli
from tests.local.test_policy import needs_model

__all__ = ["cli"]


@needs_model
def test_a_local_model_is_estimated_on_a_pool(cli: Cli, tmp_path: Path) -> None:
    sums = [{"prompt": f"What is {a}+{a}?", "answer": 2 * a} for a in (1, 2, 600)]
    pool = tmp_path / "sums.jsonl"
    pool.write_text("".join(json.dumps(line) + "\n" for line in sums))
    options = ["--policy=smollm2", "-k2", "--max-tokens=8", "--concurrency=2"]
    asked = "--prompt={prompt} Answer with the number only."
    done = cli("pool", "estimate", pool, *options, asked, "-o", tmp_path / "estimate")
    assert done.code == 0, done.err
    report = json.loads((tmp_path / "estimate" / "report.json").read_text())
    assert (report["model"], report["estimated"], report["spent"]["graded"]) == ("smollm2", 3, 6)
    assert 6 <= report["spent"]["completion_tokens"] <= 6 * 8
