"""From a finished episode to the numbers a report needs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from curriculum_env.adapters.verifiers.data import Placement
from curriculum_env.types import Outcome


class Place(NamedTuple):
    """The draw a task comes from; a held-out task is numbered by its position."""

    number: int
    uid: str
    domain: str
    level: str


def place(data: Any) -> Place:
    """The place of a task's data, live or read back from a trace file."""
    at = Placement.model_validate(data.curriculum, from_attributes=True)
    return Place(data.idx if at.draw is None else at.draw, at.uid, at.domain, at.level)


def outcomes(task: Any, episode: Any) -> Iterator[Outcome]:
    """One outcome for each trace of a trainable agent; one error where there is no trace."""
    at = place(task.data)
    traces = [trace for trace in episode.traces if trace.agent is None or trace.agent.trainable]
    for trace in traces:
        good = episode.ok and trace.ok and math.isfinite(trace.reward)
        yield Outcome(
            draw=at.number,
            uid=at.uid,
            rollout_id=trace.id,
            reward=trace.reward if good else None,
            status="ok" if good else "error",
            tokens=trace.num_output_tokens,
            turns=trace.num_turns,
        )
    if not traces:
        yield failure(at, episode.id)


def failure(at: Place, rollout: str) -> Outcome:
    """The outcome of a rollout that left no trace."""
    return Outcome(at.number, at.uid, rollout, reward=None, status="error")
