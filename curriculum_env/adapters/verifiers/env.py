"""A single-agent Env whose defaults need no login, no tunnel, no sandbox and no download."""

from __future__ import annotations

import verifiers.v1 as vf


class LocalEnvConfig(vf.SingleAgentEnvConfig):
    """`SingleAgentEnvConfig` with the agent's box on this machine."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    """Pair it with an in-process harness such as `ChatHarness`: nothing is spawned then."""


class LocalEnv(vf.SingleAgentEnv, vf.Env[LocalEnvConfig]):
    """Export it from an environment package to make local runs the default."""
