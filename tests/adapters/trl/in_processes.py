"""Run by torchrun in two processes: `python in_processes.py FOLDER`; the main one writes what was
seen to FOLDER/seen.json."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import torch
from accelerate.utils import gather_object

from tests.adapters.trl.letters import letters
from tests.adapters.trl.training import series, trainer, weights

Found = dict[str, Any]


def resumed(folder: Path, **settings: Any) -> Found:
    """A run of 4 steps, and its second half again from the checkpoint."""
    settings = {"save_strategy": "steps", "save_steps": 2, **settings}
    whole = trainer(folder, taskset=letters(dead=0.5), **settings)
    whole.train()
    again = trainer(folder / "again", taskset=letters(dead=0.5), **settings)
    again.train(resume_from_checkpoint=str(folder / "checkpoint-2"))
    own = [output["advantages"].tolist() for output in whole.trained]
    sizes = [len(output["advantages"]) for output in whole.trained]
    return {
        "equal": gather_object([torch.equal(weights(whole), weights(again))]),
        "alike": gather_object([float(weights(whole).double().sum())]),
        "draws": gather_object([[seen["draws"] for seen in whole.seen]]),
        "known": gather_object([[seen["known"] for seen in whole.seen]]),
        "again": gather_object([[seen["draws"] for seen in again.seen]]),
        "prompts": [seen["prompts"] for seen in whole.seen],
        "rewards": [seen["rewards"] for seen in whole.seen],
        "advantages": gather_object([own]),
        "sizes": gather_object([sizes]),
        "zero_std": series(whole, "frac_reward_zero_std"),
        "heldout": gather_object([whole.evaluate().get("eval_curriculum/heldout")]),
    }


def failing(folder: Path, method: str, error: Exception) -> Found:
    """What each process hears of an error in the main one."""
    one = trainer(folder, per_device_train_batch_size=8)
    if one.curriculum is not None:
        setattr(one.curriculum, method, _raising(error))
    try:
        one.train()
    except Exception as heard:
        return {"heard": gather_object([[type(heard).__name__, str(heard)]])}
    return {"heard": gather_object([None])}


def _raising(error: Exception) -> Any:
    def method(*_: Any) -> Any:
        raise error

    return method


def main(folder: Path) -> None:
    from curriculum_env.errors import OwnerError

    cases: dict[str, Found] = {
        "plain": resumed(folder / "plain", per_device_train_batch_size=8),
        "accumulated": resumed(
            folder / "accumulated",
            per_device_train_batch_size=4,
            gradient_accumulation_steps=2,
        ),
        "straddling": resumed(
            folder / "straddling", per_device_train_batch_size=6, dynamic_sampling=True
        ),
        "ask": failing(folder, "ask", OwnerError("somebody else draws")),
        "tell": failing(folder, "tell", OSError("disk full")),
    }
    if torch.distributed.get_rank() == 0:
        (folder / "seen.json").write_text(json.dumps(cases))
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
