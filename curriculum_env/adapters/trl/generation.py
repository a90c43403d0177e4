"""Batches made of draws: generated, scored, fed back, and filled up with living groups."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from accelerate.utils import gather_object
from torch import Tensor

from curriculum_env.adapters.trl.advantages import by_group, over_batch
from curriculum_env.adapters.trl.filling import Filling, PlayedGroup
from curriculum_env.adapters.trl.measures import Measures, joined, of_rewards
from curriculum_env.adapters.trl.old_logps import OLD, with_old_logps
from curriculum_env.adapters.trl.rollouts import Rollout, apart, together, trained_tokens
from curriculum_env.adapters.trl.rubric import Grade, Rubric
from curriculum_env.adapters.trl.shared import Drawn, SharedCurriculum
from curriculum_env.engine.reward_scale import RewardScale
from curriculum_env.errors import RewardError

if TYPE_CHECKING:
    _Base = Any
else:
    _Base = object

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

    def _generate_and_score_completions(self, inputs: Inputs) -> dict[str, Any]:
        if not self.model.training:
            return self._score(self._heldout_inputs(inputs))
        if self._filling is not None:
            return self._filled(self._filling)
        count: int = self.accelerator.num_processes
        return self._play(self.shared.draw(len(inputs) * count // self.num_generations))

    def _play(self, drawn: Sequence[Drawn]) -> dict[str, Any]:
        """Generate and score the groups of some draws; each process gets its share of rollouts."""
        mine = [drawn[place // self.num_generations] for place in self._share(drawn)]
        made = {one.number: self._input(one) for one in {one.number: one for one in mine}.values()}
        return self._score([dict(made[one.number]) for one in mine])

    def _share(self, groups: Sequence[Any]) -> range:
        """The places of this process among the rollouts of all groups."""
        share = len(groups) * self.num_generations // self.accelerator.num_processes
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
        if all(grade.status == "error" for grade in grades):
            raise RewardError(
                f"none of {len(grades)} completions could be scored; the last failure was "
                f"{self.rubric.failure or 'in another process'}: check the rewards of "
                f"{type(self.taskset).__name__}."
            )
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

    def _success(self, grade: Grade) -> float | None:
        return None if grade.reward is None else self._scale.success(grade.reward)

    # --- dynamic sampling --------------------------------------------------------------------
    def _filled(self, filling: Filling) -> dict[str, Any]:
        """A batch of living groups, from as many generations as it takes."""
        rounds: list[tuple[int, Measures]] = []
        rewards: list[Tensor] = []
        while wanted := filling.wanted():
            with self._measured_apart() as measures, by_group(self):
                output = self._play(self.shared.draw(wanted))
            filling.offer(self._groups(output))
            rounds.append((wanted, measures))
            rewards.append(self._rewards_RF)
        groups, taken = filling.take()
        found = joined(rounds) | {f"curriculum/{name}": value for name, value in taken.items()}
        found |= of_rewards(self, torch.cat(rewards), _rewards(groups), self.num_generations)
        for name, value in found.items():
            self._note(name, value)
        batch = self._batch(groups, filling)
        if "num_items_in_batch" in output:
            rollouts = [rollout for group in groups for rollout in group.rollouts]
            batch["num_items_in_batch"] = torch.tensor(trained_tokens(rollouts))
        return {name: value.to(self.accelerator.device) for name, value in batch.items()}

    @contextmanager
    def _measured_apart(self) -> Iterator[Measures]:
        """In the block TRL's metrics go to what this gives."""
        before, apart_ = self._metrics["train"], defaultdict[str, list[float]](list)
        self._metrics["train"] = apart_
        try:
            yield apart_
        finally:
            self._metrics["train"] = before

    def _note(self, name: str, value: float) -> None:
        last = name == "num_tokens" or name.startswith("curriculum/")
        measures = self._metrics["train"]
        measures[name] = [value] if last else [*measures[name], value]

    def _groups(self, output: dict[str, Any]) -> list[PlayedGroup]:
        """What was just played by all processes, group by group."""
        rollouts: list[Rollout] = gather_object(apart(output))
        size: int = self.num_generations
        for rollout, rewards_F in zip(rollouts, self._rewards_RF.cpu(), strict=True):
            rollout["rewards"] = rewards_F
        groups = []
        for first in range(0, len(rollouts), size):
            grades = self._grades[first : first + size]
            graded = [success for one in grades if (success := self._success(one)) is not None]
            groups.append(PlayedGroup(grades[0].uid, rollouts[first : first + size], graded))
        return groups

    def _batch(self, groups: list[PlayedGroup], filling: Filling) -> dict[str, Tensor]:
        """The rollouts of this process, as TRL trains on them."""
        rollouts = [rollout for group in groups for rollout in group.rollouts]
        carried = [one for group in filling.refill.carried for one in group.rollouts]
        if "old_logps" not in rollouts[0] and (carried or any(OLD in one for one in rollouts)):
            with_old_logps(self, rollouts + carried)
        advantages_R = torch.stack([one["advantages"] for one in rollouts])
        advantages_R = over_batch(self, advantages_R, _rewards(groups), self.num_generations)
        mine = [
            {**rollouts[place], "advantages": advantages_R[place]} for place in self._share(groups)
        ]
        for rollout in mine:
            del rollout["rewards"]
        return together(mine, self._tokenizer.pad_token_id, self.pad_to_multiple_of)


def _rewards(groups: Sequence[PlayedGroup]) -> Tensor:
    return torch.stack([rollout["rewards"] for group in groups for rollout in group.rollouts])
