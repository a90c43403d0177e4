"""What a checkpoint of TRL lacks: the curriculum's state, and generations not yet trained on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from curriculum_env.errors import StateError

FOLDER = "curriculum"
_JSON = "trainer.json"
Batch = dict[str, Any]


def folder_of(checkpoint: str | Path) -> Path:
    """Where a checkpoint keeps the curriculum."""
    return Path(checkpoint) / FOLDER


def save_batches(path: Path, batches: Sequence[Batch]) -> None:
    """Write tensors (None is left out) to one file of safetensors.

    Raises:
        StateError: something is neither a tensor nor None.
    """
    tensors: dict[str, torch.Tensor] = {}
    for place, batch in enumerate(batches):
        for name, value in batch.items():
            if isinstance(value, torch.Tensor):
                tensors[f"{place}.{name}"] = value.detach().cpu().contiguous().clone()
            elif value is not None:
                raise StateError(
                    f"a generation that is not trained on yet holds {name}, a "
                    f"{type(value).__name__}; expected tensors alone: save where a generation "
                    "ends, at a multiple of its optimizer steps."
                )
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(tensors, path)


def load_batches(path: Path, device: torch.device | str) -> list[Batch]:
    """Read what `save_batches` wrote."""
    batches: dict[int, Batch] = {}
    for key, tensor in load_file(path, device=str(device)).items():
        place, _, name = key.partition(".")
        batches.setdefault(int(place), {})[name] = tensor
    return [batches[place] for place in sorted(batches)]


def save_plain(checkpoint: str | Path, values: dict[str, Any]) -> None:
    """Write JSON values into a checkpoint; they are written last, so they mark it complete."""
    (folder_of(checkpoint) / _JSON).write_text(json.dumps(values))


def load_plain(checkpoint: str | Path) -> dict[str, Any]:
    """Read what `save_plain` wrote.

    Raises:
        StateError: the checkpoint has no curriculum.
    """
    path = folder_of(checkpoint) / _JSON
    try:
        values: dict[str, Any] = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise StateError(
            f"{checkpoint} holds no whole curriculum state ({error}); expected a checkpoint that "
            "this trainer saved: resume from another one, or start a new run from its weights with "
            f"model={str(checkpoint)!r} and without resume_from_checkpoint."
        ) from error
    return values
