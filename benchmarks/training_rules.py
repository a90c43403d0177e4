"""The rules that `training.py` compares, by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from curriculum_env.config import CurriculumConfig
from curriculum_env.sim.entrants import PLAIN, entrant, entrants, tuned

LIMIT = Path(__file__).with_name("training_limit.json")
BATCH = 16


def known_rules(pool: str) -> dict[str, CurriculumConfig]:
    """Our default, every rule as published (which chooses anew for each batch), those tuned in
    the lab, and rules over rungs; `limit` needs the shares that a search found for the pool."""
    found = {name: one.config for name, one in {**entrants(), **tuned()}.items()}
    del found["oracle"], found["uniform-live"]
    for name, one in entrants().items():
        if one.kind == "rule":
            found[name] = one.config.model_copy(update={"refresh": BATCH})
    found["rung-thompson"] = _custom("RungThompson", {})
    if LIMIT.exists() and pool in (shares := json.loads(LIMIT.read_text())["shares"]):
        found["limit"] = fixed(shares[pool])
    return found


def fixed(shares: dict[str, float]) -> CurriculumConfig:
    """Rungs by fixed shares, and evenly inside."""
    return _custom("FixedShares", {"shares": shares})


def _custom(name: str, args: dict[str, Any]) -> CurriculumConfig:
    sampler = {"type": "custom", "class_path": f"rung_rules:{name}", "args": args}
    return entrant(name, {**PLAIN, "refresh": BATCH, "sampler": sampler}).config
