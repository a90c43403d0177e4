"""Batches made of draws: generated, scored and fed back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from accelerate.utils import gather_object
from torch import Tensor

from curriculum_env.adapters.trl.filling import Filling
from curriculum_env.adapters.trl.rubric import Grade, Rubric
from curriculum_env.adapters.trl.shared import Drawn, SharedCurriculum
from curriculum_env.engine.reward_scale import RewardScale
from curriculum_env.errors import RewardError

if TYPE_CHECKING:
    _Base = Any
else:
    _Base = object

FEWEST = 8
"""Groups that must fail in a row before training ends."""

Inputs = list[dict[str, Any]]


class GenerationMixin(_Base):
    """Replaces the prompts of TRL's batch by the curriculum's, and learns from their rewards."""

    taskset: Any
    rubric: Rubric
    shared: SharedCurriculum
    _scale: RewardScale
    _filling: Filling | None
    _grades: list[Grade]
    _rewards_RF: Tensor
    _unscored: int = 0

    def _generate_and_score_completions(self, inputs: Inputs) -> dict[str, Any]:
        if not self.model.training:
            return self._score(self._heldout_inputs(inputs))
        if self._filling is not None:
            filled: dict[str, Any] = self._filled(self._filling)
            return filled
        count: int = self.accelerator.num_processes
        return self._play(self.shared.draw(len(inputs) * count // self.num_generations))

    def _play(self, drawn: Sequence[Drawn]) -> dict[str, Any]:
        """Generate and score the groups of some draws; each process gets its share of rollouts."""
        mine = [drawn[place // self.num_generations] for place in self._share(len(drawn))]
        made = {one.number: self._input(one) for one in {one.number: one for one in mine}.values()}
        return self._score([dict(made[one.number]) for one in mine])

    def _share(self, groups: int) -> range:
        """The places of this process among the rollouts of so many groups."""
        share = groups * self.num_generations // self.accelerator.num_processes
        first = self.accelerator.process_index * share
        return range(first, first + share)

    def _input(self, drawn: Drawn) -> dict[str, Any]:
        task = self.taskset.placed(drawn.row, 0, None)
        return {"prompt": drawn.prompt, "task": task, "draw": drawn.number}

    def _score(self, inputs: Inputs) -> dict[str, Any]:
        output: dict[str, Any] = super()._generate_and_score_completions(inputs)
        return output

    # --- feedback ----------------------------------------------------------------------------
    def _calculate_rewards(self, inputs: Inputs, *given: Any) -> Any:
        self._rewards_RF = super()._calculate_rewards(inputs, *given)
        self._grades = gather_object(self.rubric.grades)
        self._learn(self._grades)
        return self._rewards_RF

    def _learn(self, grades: list[Grade]) -> None:
        """Feed the grades of all processes back, and note what the tasks measured."""
        self._check_scored(grades)
        values = defaultdict[str, list[float]](list)
        for grade in grades:
            for name, value in grade.metrics.items():
                values[name].append(value)
        measures = self._metrics["train" if self.model.training else "eval"]
        for name, found in values.items():
            measures[f"rubric/{name}"].append(sum(found) / len(found))
        if not self.model.training:
            self._learn_heldout(grades)
            return
        for name, value in self.shared.tell(grades).items():
            measures[f"curriculum/{name}"] = [float(value)]

    def _check_scored(self, grades: list[Grade]) -> None:
        """Raise `RewardError` where a batch of completions in a row failed, and no less than eight
        groups: a batch, or a round of dynamic sampling, may be a single group."""
        failed = all(grade.status == "error" for grade in grades)
        self._unscored = self._unscored + len(grades) if failed else 0
        if self._unscored >= max(self.args.generation_batch_size, FEWEST * self.num_generations):
            raise self._unscorable()

    def _unscorable(self) -> RewardError:
        return RewardError(
            f"none of {self._unscored} completions could be scored; the last failure was "
            f"{self.rubric.failure or 'in another process'}: check the rewards of "
            f"{type(self.taskset).__name__}."
        )

    def _success(self, grade: Grade) -> float | None:
        return None if grade.reward is None else self._scale.success(grade.reward)
