"""Short runs of the trainers on letters, and what is seen of them from inside."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from curriculum_env.adapters.trl import (
    CurriculumGRPOConfig,
    CurriculumGRPOTrainer,
    CurriculumRLOOConfig,
    CurriculumRLOOTrainer,
)
from tests.adapters.trl.letters import letters
from tests.adapters.trl.tiny import model, tokenizer

CONFIGS: dict[str, Any] = {"grpo": CurriculumGRPOConfig, "rloo": CurriculumRLOOConfig}


if TYPE_CHECKING:
    _Base = Any
else:
    _Base = object


class Watched(_Base):
    """Notes each generation: the draws, prompts and rewards of all processes, and the outcomes
    the curriculum had seen when it drew."""

    def __init__(self, *given: Any, **named: Any) -> None:
        self.seen: list[dict[str, Any]] = []
        self.trained: list[dict[str, Any]] = []
        super().__init__(*given, **named)
        shared, draw = self.shared, self.shared.draw

        def watched(groups: int) -> Any:
            engine = shared.engine
            known = engine.metrics()["outcomes"] if engine else None
            drawn = draw(groups)
            self.seen.append(
                {"known": known, "draws": [(one.number, one.row.uid) for one in drawn]}
            )
            return drawn

        shared.draw = watched

    def _calculate_rewards(self, inputs: Any, prompts: Any, *given: Any) -> Any:
        from accelerate.utils import gather_object

        rewards = super()._calculate_rewards(inputs, prompts, *given)
        if self.model.training:
            told = [(one["draw"], prompt) for one, prompt in zip(inputs, prompts, strict=True)]
            self.seen[-1]["prompts"] = gather_object(told)
            self.seen[-1]["rewards"] = rewards.tolist()
        return rewards

    def _generate_and_score_completions(self, inputs: Any) -> Any:
        output = super()._generate_and_score_completions(inputs)
        if self.model.training:
            self.trained.append(output)
        return output


class WatchedGRPO(Watched, CurriculumGRPOTrainer):
    pass


class WatchedRLOO(Watched, CurriculumRLOOTrainer):
    pass


TRAINERS: dict[str, Any] = {"grpo": WatchedGRPO, "rloo": WatchedRLOO}


def trainer(folder: Path | str, kind: str = "grpo", taskset: Any = None, **settings: Any) -> Any:
    """A trainer of batches of 4 groups of 4, on letters unless another taskset is given."""
    named = {name: settings.pop(name) for name in ("reward_funcs",) if name in settings}
    chat = settings.pop("chat", False)
    defaults: dict[str, Any] = {
        "max_steps": 4,
        "per_device_train_batch_size": 16,
        "num_generations": 4,
        "max_completion_length": 3,
        "learning_rate": 1e-3,
        "logging_steps": 1,
        "save_strategy": "no",
        "report_to": "none",
        "use_cpu": True,
        "bf16": False,
        "beta": 0.0,
        "disable_tqdm": True,
    }
    args = CONFIGS[kind](str(folder), **{**defaults, **settings})
    taskset = letters() if taskset is None else taskset
    return TRAINERS[kind](model(), taskset, args=args, processing_class=words(chat=chat), **named)


def words(*, chat: bool = False) -> Any:
    """The tokenizer, with or without a chat template."""
    made = tokenizer()
    if chat:
        made.chat_template = (
            "{% for m in messages %}{{ m.role[0] + '>' + m.content + ';' }}{% endfor %}"
            "{% if add_generation_prompt %}a>{% endif %}"
        )
    return made


def weights(trained: Any) -> torch.Tensor:
    """All parameters, end to end."""
    return torch.cat([value.detach().flatten() for value in trained.model.parameters()])


def series(trained: Any, name: str) -> list[float]:
    """A metric over the steps."""
    return [line[name] for line in trained.state.log_history if name in line]
