"""Installed tasksets before training: their rows, their episodes, what they make of a reply."""

from __future__ import annotations

from curriculum_env.adapters.verifiers.offline.episodes import EpisodePlayer
from curriculum_env.adapters.verifiers.offline.scoring import Scorer
from curriculum_env.adapters.verifiers.offline.tasks import OfflineTasks

__all__ = ["EpisodePlayer", "OfflineTasks", "Scorer"]
