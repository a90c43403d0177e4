from __future__ import annotations

import asyncio
import json
from typing import Any

from curriculum_env.rubrics.math import MathChecker
from tests.docs.markdown import ROOT

PAIRS: list[dict[str, Any]] = json.loads((ROOT / "benchmarks" / "math_pairs.json").read_text())


async def test_the_labelled_pairs(checker: MathChecker) -> None:
    found = await asyncio.gather(*(checker.verify(p["gold"], p["pred"]) for p in PAIRS))
    wrong = [
        pair for pair, correct in zip(PAIRS, found, strict=True) if correct != pair["expected"]
    ]
    assert [pair for pair in wrong if not pair["expected"]] == []
    assert len(wrong) <= 0.005 * sum(pair["expected"] for pair in PAIRS), wrong


def test_they_are_many_and_balanced() -> None:
    right = sum(pair["expected"] for pair in PAIRS)
    assert len(PAIRS) >= 300
    assert 0.3 < right / len(PAIRS) < 0.7
    assert len({(pair["gold"], pair["pred"]) for pair in PAIRS}) == len(PAIRS)
