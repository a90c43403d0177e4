"""Offline rollouts that are whole episodes of a taskset's Env."""

from __future__ import annotations

from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any, Self

from verifiers.v1.clients import ClientConfig, ModelContext
from verifiers.v1.types import SamplingConfig

from curriculum_env.adapters.verifiers.offline.tasks import OfflineTasks
from curriculum_env.engine.reward_scale import RewardScale
from curriculum_env.pool.estimate import (
    Bound,
    HaltError,
    Pace,
    RefusedError,
    Reply,
    ServiceError,
)
from curriculum_env.types import Row

_REFUSED = (400, 413, 422)
_HALTED = (401, 402, 403, 404)


class EpisodePlayer:
    """Plays one episode for each rollout, scored by the task itself. Use it as an async context
    manager. An episode waits for its turn at `pace`; its model calls are the harness's own.

    The success of an episode is the mean over the traces of its trainable agents.
    """

    def __init__(
        self,
        tasks: OfflineTasks,
        model: str,
        client: ClientConfig,
        sampling: SamplingConfig,
        pace: Pace,
    ) -> None:
        self._tasks, self._pace = tasks, pace
        self._context = ModelContext(model=model, client=client, sampling=sampling)
        self._scale = RewardScale(tasks.curriculum)
        self._most = Bound(0, sampling.max_tokens or 0)
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self._stack.enter_async_context(self._tasks.env.serving())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        await self._stack.__aexit__(kind, error, at)

    def bound(self, row: Row) -> Bound:
        """The most that an episode has taken so far: its turns are not known before."""
        prompt = self._tasks.task(row).data.prompt_text
        return Bound(max(self._most.prompt, len(prompt.encode())), self._most.completion)

    async def play(self, row: Row) -> Reply:
        """Play one episode.

        Raises:
            ServiceError, RefusedError, HaltError: as `Player.play` says.
        """
        await self._pace.before()
        (slot,) = self._tasks.env.slots(self._tasks.task(row))
        episode = await self._tasks.env.run_slot(slot, self._context)
        traces = [trace for trace in episode.traces if trace.agent is None or trace.agent.trainable]
        paid = self._paid(episode.traces)
        if not (episode.ok and traces and all(trace.ok for trace in traces)):
            raise self._failure(episode, paid)
        self._pace.answered(200, {})
        if not all(trace.rewards and None not in trace.rewards.values() for trace in traces):
            raise ServiceError("an episode without a reward", paid)
        successes = [self._scale.success(trace.reward) for trace in traces]
        if None in successes:
            raise ServiceError("a reward that is no finite number", paid)
        return Reply(
            text="\n\n".join(trace.last_reply for trace in traces),
            prompt_tokens=paid.prompt,
            completion_tokens=paid.completion,
            finish="length" if any(trace.is_truncated for trace in traces) else "stop",
            success=sum(filter(None, successes)) / len(successes),
        )

    def _paid(self, traces: list[Any]) -> Bound:
        usages = [usage for trace in traces if (usage := trace.usage) is not None]
        paid = Bound(
            sum(usage.input_tokens for usage in usages),
            sum(usage.completion_tokens for usage in usages),
        )
        self._most = Bound(*map(max, self._most, paid))
        return paid

    def _failure(self, episode: Any, paid: Bound) -> Exception:
        """The kind of failure that an episode's last error tells of."""
        errors = [error for trace in episode.traces for error in trace.errors]
        errors += getattr(episode, "errors", None) or []
        if not errors:
            return ServiceError("an episode without a result", paid)
        last = errors[-1]
        reason = f"{last.type}: {' '.join(last.message.split())[:200]}"
        status = getattr(last, "status_code", None)
        if last.type == "ProviderError" and status:
            self._pace.answered(status, {})
            if status in _HALTED:
                return HaltError(reason)
            if status in _REFUSED:
                return RefusedError(reason)
        return ServiceError(reason, paid)
