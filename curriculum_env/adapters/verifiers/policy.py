"""Where the policy answers: put down by the workers, so that nobody has to say it twice."""

from __future__ import annotations

from typing import Any

import verifiers.v1 as vf

from curriculum_env.recorder import recorder_for

_told: dict[str, Any] = {}
"""The client, model and sampling last told of, by the URL of the store."""


def tell_policy(trace: vf.Trace, store: str) -> None:
    """Leave word in the store of who plays this rollout: once in each process, and whenever it
    changes. Keys are never written."""
    agent = trace.agent.config
    played_by = (agent.client, agent.model, agent.sampling)
    if agent.client is None or agent.model is None or _told.get(store) == played_by:
        return
    _told[store] = played_by
    from curriculum_env.augment.policy import EVENT, Policy

    recorder_for(store).note(EVENT, Policy.of(*played_by).event())
