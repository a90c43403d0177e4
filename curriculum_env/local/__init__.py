"""Serves a small language model on this machine over an OpenAI-compatible API."""

from __future__ import annotations

from curriculum_env.local.gguf import SMOLLM2, find_gguf
from curriculum_env.local.process import LocalPolicy, serve_policy

__all__ = ["SMOLLM2", "LocalPolicy", "find_gguf", "serve_policy"]
