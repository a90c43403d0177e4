"""The clipped policy ratio of PPO, and the share of tokens it silences."""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

import numpy as np

from curriculum_env.types import BoolArray, FloatArray

CLIP = 0.2
_MOST = 60.0


class Clipped(NamedTuple):
    """Arrays over tokens: the ratio pi / pi_old, the objective to be raised, its gradient by
    log pi, and whether clipping made that gradient 0."""

    ratio_T: FloatArray
    objective_T: FloatArray
    gradient_T: FloatArray
    clipped_T: BoolArray


def clipped_surrogate(
    logprob_T: FloatArray, old_logprob_T: FloatArray, advantage: float, clip: float = CLIP
) -> Clipped:
    """min(r A, clamp(r, 1 - clip, 1 + clip) A) for each token, r = exp(log pi - log pi_old), at
    most e^60 (Schulman and others, arXiv 1707.06347, equation 7).

    pi_old = .1, pi = .6 and A > 0 give r = 6, an objective of 1.2 A, and no gradient.
    """
    ratio_T = np.exp(np.minimum(np.asarray(logprob_T) - np.asarray(old_logprob_T), _MOST))
    clamped_T = np.clip(ratio_T, 1.0 - clip, 1.0 + clip)
    objective_T = np.minimum(ratio_T * advantage, clamped_T * advantage)
    clipped_T = (ratio_T > 1.0 + clip) if advantage > 0 else (ratio_T < 1.0 - clip)
    clipped_T = clipped_T & (advantage != 0.0)
    gradient_T = np.where(clipped_T, 0.0, ratio_T * advantage)
    return Clipped(ratio_T, objective_T, gradient_T, clipped_T)


class ClipShare:
    """The share of replayed tokens that clipping silenced, over the last `window` updates: high
    where the trajectories are too old for the policy."""

    def __init__(self, window: int = 64) -> None:
        self._recent: deque[tuple[int, int]] = deque(maxlen=window)

    def observe(self, clipped: int, tokens: int) -> None:
        """One update trained on `tokens` replayed tokens, `clipped` of them silenced."""
        if tokens:
            self._recent.append((int(clipped), int(tokens)))

    @property
    def share(self) -> float:
        """In [0, 1]; 0 before anything was replayed."""
        tokens = sum(tokens for _, tokens in self._recent)
        return sum(clipped for clipped, _ in self._recent) / tokens if tokens else 0.0

    def state_dict(self) -> list[Any]:
        return [list(pair) for pair in self._recent]

    def load_state_dict(self, state: list[Any]) -> None:
        self._recent.clear()
        self._recent.extend((clipped, tokens) for clipped, tokens in state)
