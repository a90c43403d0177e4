"""One life of an orchestrator that will be killed, and what it leaves for the next to check."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import verifiers.v1 as vf

from curriculum_env.testing.orchestrator import Orchestrator, orchestrator
from curriculum_env.testing.serving import env_config

GROUP_SIZE, IN_FLIGHT, CHECKPOINT_EVERY = 4, 4, 5


class Diary:
    """Files that outlive the process: every draw handed out, every episode that came back, and
    the cursor of the last checkpoint."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        self.drawn, self.acknowledged = self.folder / "drawn.jsonl", self.folder / "acknowledged"
        self.cursor = self.folder / "cursor"

    def draws(self) -> dict[int, dict[str, Any]]:
        """The last draw handed out at each position."""
        lines = self.drawn.read_text().splitlines() if self.drawn.exists() else []
        entries = [json.loads(line) for line in lines if line.endswith("}")]
        return {entry["position"]: entry for entry in entries}

    def acknowledgements(self) -> set[str]:
        return set(self.acknowledged.read_text().split()) if self.acknowledged.exists() else set()

    def append(self, path: Path, line: str) -> None:
        with path.open("a") as file:
            file.write(line + "\n")

    def resume_at(self) -> int:
        return int(self.cursor.read_text()) if self.cursor.exists() else 0


def live(folder: str, address: str, policy: str, settings: dict[str, Any]) -> None:
    """Resume as prime-rl does (`next()` cursor times), then play groups until killed."""
    asyncio.run(_live(Diary(folder), address, policy, env_config("coins", **settings)))


async def _live(diary: Diary, address: str, policy: str, config: vf.EnvConfig) -> None:
    taskset = vf.load_taskset(config.taskset)
    tasks = _noted(taskset, diary)
    for _ in range(diary.resume_at()):
        next(tasks)
    async with orchestrator(address, policy, group_size=GROUP_SIZE, in_flight=IN_FLIGHT) as trainer:
        while True:
            await _step(trainer, tasks, diary)


async def _step(trainer: Orchestrator, tasks: Iterator[vf.Task], diary: Diary) -> None:
    played = await trainer.play(tasks, CHECKPOINT_EVERY)
    for group in played:
        for episode in group.episodes:
            diary.append(diary.acknowledged, episode.traces[0].id)
    position = max(group.task.data.idx for group in played) + 1
    temporary = diary.cursor.with_suffix(".new")
    temporary.write_text(str(position))
    temporary.replace(diary.cursor)


def _noted(taskset: Any, diary: Diary) -> Iterator[vf.Task]:
    """The taskset's tasks, each noted before it is handed out. A draw that the store could not
    log in time (`deferred_draws`) is noted as not durable: a kill may lose it."""
    before, deferred = diary.draws(), 0.0
    for task in taskset:
        now = taskset.curriculum.metrics()["deferred_draws"]
        durable, deferred = now == deferred, now
        seen = before.get(task.data.idx)
        entry = {
            "position": task.data.idx,
            "key": task.key,
            "hash": task.hash,
            "data": task.data.model_dump(mode="json"),
            "durable": durable,
        }
        if seen and seen["durable"] and {**seen, "durable": durable} != entry:
            diary.append(diary.folder / "mismatches", json.dumps([seen, entry]))
        diary.append(diary.drawn, json.dumps(entry))
        yield task
