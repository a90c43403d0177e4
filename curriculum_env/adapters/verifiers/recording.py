"""From a rollout's trace to its one row in the store."""

from __future__ import annotations

import asyncio
import time

import verifiers.v1 as vf

from curriculum_env.adapters.verifiers.data import Placement
from curriculum_env.adapters.verifiers.policy import tell_policy
from curriculum_env.recorder import recorder_for
from curriculum_env.types import Outcome, Status

_handed_over: dict[str, bool] = {}
"""The rollouts in flight, by trace id, and whether their row has been handed over."""


def watch(trace: vf.Trace, placement: Placement, store: str) -> None:
    """From now on this rollout leaves one row, at the latest when its asyncio task ends.

    Only a rollout that has started to boot is watched (a validation never does), and only a
    seat the trainer learns from.
    """
    task = asyncio.current_task()
    rollout = trace.timing.boot.start > 0 and trace.agent is not None and trace.agent.trainable
    if task is None or not rollout or trace.id in _handed_over:
        return
    _handed_over[trace.id] = False
    tell_policy(trace, store)

    def ended(task: asyncio.Task[object]) -> None:
        if _handed_over.pop(trace.id):
            return
        status: Status = "cancelled" if task.cancelled() or task.cancelling() else "error"
        if trace.ok and is_scored(trace):
            status = "ok"
        others = not all(_handed_over.values())
        recorder_for(store).record_nowait(outcome(trace, placement, status), gather=others)

    task.add_done_callback(ended)


async def record_scored(trace: vf.Trace, placement: Placement, store: str) -> None:
    """Record a watched rollout whose scoring has just ended; a no-op for any other trace."""
    if _handed_over.get(trace.id) is False and is_scored(trace):
        _handed_over[trace.id] = True
        others = not all(_handed_over.values())
        await recorder_for(store).record(outcome(trace, placement, "ok"), gather=others)


def is_scored(trace: vf.Trace) -> bool:
    """Whether a model took a turn and every reward came in."""
    return trace.num_turns > 0 and bool(trace.rewards) and None not in trace.rewards.values()


def outcome(trace: vf.Trace, placement: Placement, status: Status) -> Outcome:
    """The row of one rollout."""
    assert placement.draw is not None
    now = time.time()
    usage = trace.usage
    return Outcome(
        draw=placement.draw,
        uid=placement.uid,
        rollout_id=trace.id,
        reward=trace.reward if status == "ok" else None,
        status=status,
        tokens=usage.completion_tokens if usage else 0,
        turns=trace.num_turns,
        model=trace.agent.config.model or "",
        wall_time=now - trace.timing.start,
        time=now,
    )
