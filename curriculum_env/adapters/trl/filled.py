"""Batches put together from several generations and from replayed rollouts."""

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
from curriculum_env.adapters.trl.rate import ScaledRate
from curriculum_env.adapters.trl.replay import Replay
from curriculum_env.adapters.trl.rollouts import Rollout, apart, together, trained_tokens
from curriculum_env.adapters.trl.rubric import Grade
from curriculum_env.adapters.trl.shared import Drawn, SharedCurriculum

if TYPE_CHECKING:
    _Base = Any
else:
    _Base = object


class FilledMixin(_Base):
    """Dynamic sampling and replay. All that is decided here is decided alike in every process."""

    shared: SharedCurriculum
    replay: Replay | None
    _rate: ScaledRate | None
    _grades: list[Grade]
    _rewards_RF: Tensor

    def _filled(self, filling: Filling) -> dict[str, Any]:
        """A batch of living groups, from as many generations as it takes, and of replayed ones."""
        version, size = self.state.global_step, self.num_generations
        old = self.replay.sample(version, size, filling.multiple) if self.replay else []
        filling.begin(len(old) // size)
        rounds: list[tuple[int, Measures]] = []
        rewards: list[Tensor] = []
        while wanted := filling.wanted():
            drawn = self.shared.draw(wanted)
            with self._measured_apart() as measures, by_group(self):
                groups = self._groups(self._play(drawn), drawn)
            if self.replay:
                self.replay.help(self, groups, version)
            filling.offer(groups)
            rounds.append((wanted, measures))
            rewards.append(self._rewards_RF)
        groups, taken = filling.take()
        if self._rate is not None:
            generated = int(taken["generated_groups"])
            taken["learning_rate_scale"] = self._rate.filled(generated, len(groups))
        found = joined(rounds) | {f"curriculum/{name}": value for name, value in taken.items()}
        if rewards:
            found |= of_rewards(self, torch.cat(rewards), _rewards(groups), size)
        self._note_all(found)
        return self._batch(groups, old, filling)

    @contextmanager
    def _measured_apart(self) -> Iterator[Measures]:
        """In the block TRL's metrics go to what this gives."""
        before, apart_ = self._metrics["train"], defaultdict[str, list[float]](list)
        self._metrics["train"] = apart_
        try:
            yield apart_
        finally:
            self._metrics["train"] = before

    def _note_all(self, found: dict[str, float]) -> None:
        measures = self._metrics["train"]
        for name, value in found.items():
            last = name == "num_tokens" or name.startswith("curriculum/")
            measures[name] = [value] if last else [*measures[name], value]

    def _groups(self, output: dict[str, Any], drawn: Sequence[Drawn]) -> list[PlayedGroup]:
        """What was just played by all processes, group by group."""
        rollouts: list[Rollout] = gather_object(apart(output))
        for rollout, rewards_F in zip(rollouts, self._rewards_RF.cpu(), strict=True):
            rollout["rewards"] = rewards_F
        size: int = self.num_generations
        groups = []
        for place, one in enumerate(drawn):
            share = slice(place * size, (place + 1) * size)
            grades = [self._success(grade) for grade in self._grades[share]]
            graded = [success for success in grades if success is not None]
            groups.append(PlayedGroup(one.row.uid, one.prompt, rollouts[share], graded))
        return groups

    def _batch(
        self, groups: list[PlayedGroup], old: list[Rollout], filling: Filling
    ) -> dict[str, Tensor]:
        """The rollouts of this process, as TRL trains on them."""
        fresh = [rollout for group in groups for rollout in group.rollouts]
        self._date(groups, old, filling)
        advantages_R = torch.stack([one["advantages"] for one in fresh])
        advantages_R = over_batch(self, advantages_R, _rewards(groups), self.num_generations)
        for rollout, advantage in zip(fresh, advantages_R, strict=True):
            rollout["advantages"] = advantage
        if self.replay:
            self.replay.keep(self, groups, self.state.global_step)
            self._note_all(self.replay.metrics())
        rollouts = fresh + old
        named = self._names(rollouts)
        mine = [rollouts[place] for place in self._share(len(rollouts) // self.num_generations)]
        plain = [{name: one.get(name, _NOT) for name in named} for one in mine]
        batch = together(plain, self._tokenizer.pad_token_id, self.pad_to_multiple_of)
        if hasattr(self, "scale_rewards"):
            batch["num_items_in_batch"] = torch.tensor(trained_tokens(rollouts))
        return {name: value.to(self.accelerator.device) for name, value in batch.items()}

    def _date(self, groups: list[PlayedGroup], old: list[Rollout], filling: Filling) -> None:
        """See to it that what outlives the present policy, and what is trained beside it, has the
        log-probabilities it was sampled with."""
        carried = filling.refill.carried
        kept = self.replay is not None and self.replay.trajectories is not None
        dated = [*groups, *carried] if kept or old or any(g.stale for g in groups) else carried
        with_old_logps(self, [rollout for group in dated for rollout in group.rollouts])
        for group in carried:
            group.stale = True

    def _names(self, rollouts: list[Rollout]) -> list[str]:
        """What TRL's batch is to hold: what all rollouts have, and which are replayed."""
        named = [name for name in rollouts[0] if all(name in one for one in rollouts)]
        left_out = {"rewards", "replayed", OLD if "old_logps" in named else "old_logps"}
        named = [name for name in named if name not in left_out]
        kept = self.replay is not None and self.replay.trajectories is not None
        return [*named, "replayed"] if kept else named

    # --- how old the replayed ones have become -----------------------------------------------
    def _get_per_token_logps_and_entropies(self, *given: Any, **named: Any) -> Any:
        found = super()._get_per_token_logps_and_entropies(*given, **named)
        self._logps = found[0].detach()
        return found

    def compute_loss(self, model: Any, inputs: dict[str, Tensor], *given: Any, **named: Any) -> Any:
        """TRL's loss; the share of replayed tokens that it clips is noted."""
        loss = super().compute_loss(model, inputs, *given, **named)
        if self._rate is not None and self.model.training:
            self._rate.trained()
        if "replayed" in inputs and self.replay is not None:
            self._observe_clip(inputs)
        return loss

    def _observe_clip(self, inputs: dict[str, Tensor]) -> None:
        assert self.replay is not None
        assert self.replay.trajectories is not None
        mask_BT = inputs["completion_mask"] * inputs["replayed"].unsqueeze(1)
        if OLD in inputs:
            log_ratio_BT = self._logps - inputs[OLD]
        else:
            logps_B = (self._logps * inputs["completion_mask"]).sum(dim=1)
            log_ratio_BT = (logps_B - inputs["old_logps"]).unsqueeze(1).expand_as(mask_BT)
        clip = self.replay.trajectories.config.clip
        up_B = (inputs["advantages"] > 0).unsqueeze(1)
        ratio_BT = log_ratio_BT.exp()
        clipped_BT = torch.where(up_B, ratio_BT > 1 + clip, ratio_BT < 1 - clip)
        counts = torch.stack([(clipped_BT * mask_BT).sum(), mask_BT.sum()])
        clipped, tokens = self.accelerator.reduce(counts, reduction="sum").tolist()
        self.replay.trajectories.observe_clip(int(clipped), int(tokens))
        self._note_all({"curriculum/trajectories/clip_share": self.replay.trajectories.clip_share})


_NOT = torch.tensor(0.0)


def _rewards(groups: Sequence[PlayedGroup]) -> Tensor:
    return torch.stack([rollout["rewards"] for group in groups for rollout in group.rollouts])
