"""What stands around an answer: hedges, denials, second answers, and honest explanations."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from curriculum_env.rubrics.math import MathChecker

PAIRS: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("around.json").read_text(encoding="utf-8")
)


async def test_words_around_an_answer(checker: MathChecker) -> None:
    found = await asyncio.gather(*(checker.verify(p["gold"], p["pred"]) for p in PAIRS))
    wrong = [p for p, correct in zip(PAIRS, found, strict=True) if correct != p["expected"]]
    assert wrong == []
