"""One life of an estimate, in a process that may be killed."""

from __future__ import annotations

import asyncio
from pathlib import Path

from curriculum_env.pool.estimate import (
    Asking,
    ChatPlayer,
    Depth,
    EstimateSession,
    Pace,
    Settings,
)
from curriculum_env.rubrics.exact import exact_match
from curriculum_env.types import Row

K = 4
IDENTITY = {"model": "scripted"}
RIGHT = "right"


def rows(count: int, tags: str = "") -> list[Row]:
    """Coins whose pass rates rise from 0 to 1."""
    rates = [i / max(count - 1, 1) for i in range(count)]
    return [
        Row(f"coin-{i}", {"prompt": f"Toss coin {i}. [p={p:.6f}]{tags}", "answer": RIGHT})
        for i, p in enumerate(rates)
    ]


async def grade(row: Row, reply: str) -> float:
    return float(exact_match(row.data["answer"], reply))


async def estimate(session: EstimateSession, url: str, retries: int = 1) -> None:
    """Play a session against the scripted policy at `url`."""
    async with ChatPlayer(Asking("scripted"), url, "none", Pace(), retries=retries) as player:
        await session.prepare(player, grade, lambda status: None).run()


def live(folder: str, url: str, count: int) -> None:
    """Begin or go on with the estimate in `folder`, and end it if nothing happens."""
    path = Path(folder)
    resume = (path / "rollouts.db").exists()
    settings = Settings(Depth(K, K), concurrency=8)
    tasks = rows(count, " [delay=0.02]")
    session = EstimateSession(tasks, path, IDENTITY, settings, resume=resume)
    asyncio.run(estimate(session, url))
    session.write(session.report(), pools=False)
    session.close()
