"""What a checkpoint of TRL lacks: saved and restored with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from curriculum_env.adapters.trl.filling import Filling, PlayedGroup
from curriculum_env.adapters.trl.rank_zero import from_rank_zero
from curriculum_env.adapters.trl.replay import Replay
from curriculum_env.adapters.trl.shared import SharedCurriculum
from curriculum_env.adapters.trl.sidecar import (
    folder_of,
    load_batches,
    load_plain,
    save_batches,
    save_plain,
)
from curriculum_env.engine.state import load_state, save_state
from curriculum_env.errors import StateError

if TYPE_CHECKING:
    _Base = Any
else:
    _Base = object

_CARRIED = "carried.safetensors"


class CheckpointMixin(_Base):
    """Saves the curriculum, what a generation has left to train on, and carried groups. A run that
    is resumed goes on as if it had not been interrupted, even within a generation."""

    shared: SharedCurriculum
    replay: Replay | None
    _filling: Filling | None

    def _save_rng_state(self, output_dir: str) -> None:
        super()._save_rng_state(output_dir)
        path = folder_of(output_dir) / f"buffer-{self.accelerator.process_index}.safetensors"
        save_batches(path, self._unused())
        from_rank_zero(lambda: self._save_shared(output_dir))

    def _unused(self) -> list[dict[str, Any]]:
        """The batches of a generation that has not been trained on to its end."""
        every = self.args.steps_per_generation * self.num_iterations
        return list(self._buffered_inputs or []) if self._step % every else []

    def _save_shared(self, checkpoint: str) -> None:
        state = self.shared.state()
        assert state is not None
        save_state(folder_of(checkpoint), state)
        plain: dict[str, Any] = {
            "step": self._step,
            "layout": self._layout(),
            "midway": bool(self._unused()),
            "metrics": dict(self._metrics["train"]),
        }
        if self._filling is not None:
            refill = self._filling.refill
            plain["refill"] = refill.state_dict()
            plain["carried"] = [[g.uid, g.prompt, g.success_G] for g in refill.carried]
            rollouts = [rollout for group in refill.carried for rollout in group.rollouts]
            save_batches(folder_of(checkpoint) / _CARRIED, rollouts)
        if self._rate is not None:
            plain["rate_ratio"] = self._rate.ratio
        if self.replay is not None:
            self.replay.save(folder_of(checkpoint))
        save_plain(checkpoint, plain)

    def _layout(self) -> dict[str, int]:
        """What must not change while a generation is being trained on."""
        args = self.args
        return {
            "processes": self.accelerator.num_processes,
            "generation_batch_size": args.generation_batch_size,
            "steps_per_generation": args.steps_per_generation,
            "num_iterations": self.num_iterations,
            "num_generations": self.num_generations,
        }

    def _load_optimizer_and_scheduler(self, checkpoint: str | None) -> None:
        super()._load_optimizer_and_scheduler(checkpoint)
        if checkpoint is not None:
            self._load_curriculum(checkpoint)

    def _load_curriculum(self, checkpoint: str) -> None:
        plain = from_rank_zero(lambda: load_plain(checkpoint))
        changed = [name for name, value in self._layout().items() if plain["layout"][name] != value]
        if changed and (plain["midway"] or plain.get("carried")):
            raise StateError(
                f"{checkpoint} was saved with rollouts yet to be trained on, and {changed[0]} is "
                f"{self._layout()[changed[0]]} now; expected {plain['layout'][changed[0]]} as then."
            )
        self.shared.load(lambda: load_state(folder_of(checkpoint)))
        self._metrics["train"].update(plain["metrics"])
        self._step = 0 if changed else plain["step"]
        path = folder_of(checkpoint) / f"buffer-{self.accelerator.process_index}.safetensors"
        device = self.accelerator.device
        self._buffered_inputs = load_batches(path, device) if plain["midway"] else None
        if self._filling is not None and "refill" in plain:
            groups = from_rank_zero(lambda: self._carried(checkpoint, plain["carried"]))
            self._filling.refill.load_state_dict(plain["refill"], groups)
        if self._rate is not None:
            self._rate.ratio = plain.get("rate_ratio", 1.0)
        if self.replay is not None:
            self.replay.load(folder_of(checkpoint))

    def _carried(self, checkpoint: str, groups: list[Any]) -> list[PlayedGroup]:
        size, rollouts = self.num_generations, load_batches(folder_of(checkpoint) / _CARRIED, "cpu")
        return [
            PlayedGroup(uid, prompt, rollouts[place * size :][:size], success_G, stale=True)
            for place, (uid, prompt, success_G) in enumerate(groups)
        ]
