"""TRL's trainers, drawing their prompts from a curriculum at generation time."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import verifiers.v1 as vf
from datasets import Dataset
from trl import GRPOTrainer, RLOOTrainer

from curriculum_env.adapters.trl.checkpoint import CheckpointMixin
from curriculum_env.adapters.trl.config import (
    CurriculumGRPOConfig,
    CurriculumOptions,
    CurriculumRLOOConfig,
)
from curriculum_env.adapters.trl.evaluation import EvaluationMixin
from curriculum_env.adapters.trl.filled import FilledMixin
from curriculum_env.adapters.trl.filling import Filling, OpenGate
from curriculum_env.adapters.trl.generation import GenerationMixin
from curriculum_env.adapters.trl.rate import ScaledRate
from curriculum_env.adapters.trl.replay import Replay
from curriculum_env.adapters.trl.rubric import Rubric
from curriculum_env.adapters.trl.shared import SharedCurriculum
from curriculum_env.adapters.trl.taskset import (
    messages_of,
    open_curriculum,
    open_taskset,
    settings_of,
    text_of,
)
from curriculum_env.config import CurriculumConfig
from curriculum_env.engine import Curriculum
from curriculum_env.engine.reward_scale import RewardScale
from curriculum_env.errors import ConfigError
from curriculum_env.gates import Gate, build_gate
from curriculum_env.types import Row


class CurriculumTrainerMixin(GenerationMixin, FilledMixin, EvaluationMixin, CheckpointMixin):
    """What both trainers share; it goes before TRL's class.

    Prompts come from the tasks of `taskset` (a curriculum taskset, its id, or its settings as a
    mapping), drawn when a batch is generated; rewards from the tasks' own rubric, scored without
    a runtime. `curriculum` replaces the taskset's settings. `reward_funcs` are further rewards for
    the gradient alone: the curriculum learns from the rubric. The other arguments are TRL's.
    Evaluation is on the taskset's held-out split.

    Raises:
        ConfigError: a setting or the taskset does not fit single-turn training; see its words.
        PoolError, StoreError, OwnerError: the pool or the store cannot be used.
    """

    _config_type: type[CurriculumOptions]

    def __init__(
        self,
        model: Any,
        taskset: object,
        *,
        curriculum: CurriculumConfig | Mapping[str, Any] | None = None,
        args: Any = None,
        processing_class: Any = None,
        reward_funcs: Callable[..., Any] | Sequence[Callable[..., Any]] = (),
        **trl: Any,
    ) -> None:
        args = self._checked_args(args)
        if given := {"train_dataset", "eval_dataset"} & trl.keys():
            raise ConfigError(
                f"{min(given)} is given, but the prompts are those of the taskset; expected none: "
                "leave it out."
            )
        self.taskset = open_taskset(taskset)
        config = settings_of(self.taskset, curriculum, args.num_generations)
        self._scale = RewardScale(config)
        self.rubric = Rubric(self.read_reply)
        self._heldout, self._heldout_successes = {}, defaultdict(list)
        self.replay = Replay(args) if args.trajectory_replay or args.success_replay else None
        self._filling = self._filling_of(args, config)
        self._rate = ScaledRate() if args.scale_learning_rate else None
        further = [reward_funcs] if callable(reward_funcs) else reward_funcs
        store = args.curriculum_store or self.taskset.config.task.store
        self.shared = SharedCurriculum(
            lambda: open_curriculum(self.taskset, config, store), self._prompt_of
        )
        try:
            super().__init__(
                model,
                [self.rubric.rubric, *further],
                args,
                train_dataset=_placeholder(args),
                eval_dataset=None if str(args.eval_strategy.value) == "no" else self.heldout(),
                processing_class=processing_class,
                **trl,
            )
        except BaseException:
            self.shared.close()
            raise
        if self._rate is not None:
            self.add_callback(self._rate)

    def _checked_args(self, args: Any) -> Any:
        if not isinstance(args, self._config_type):
            raise ConfigError(
                f"args is a {type(args).__name__}; expected a {self._config_type.__name__}, which "
                "takes all of TRL's settings: pass one with max_steps set."
            )
        args.check()
        return args

    # --- what a subclass may change ----------------------------------------------------------
    def render(self, task: vf.Task) -> str | list[dict[str, Any]]:
        """The prompt of a task: chat messages, or plain text for a tokenizer without a chat
        template."""
        chat = getattr(self.processing_class, "chat_template", None)
        return messages_of(task.data) if chat else text_of(task.data)

    def read_reply(self, completion: str) -> str:
        """The reply to score, from a completion's text without special tokens."""
        return completion

    @property
    def curriculum(self) -> Curriculum | None:
        """The engine, in the main process; None in the others."""
        return self.shared.engine

    def _prompt_of(self, row: Row) -> Any:
        return self.render(self.taskset.placed(row, 0, None))

    def _filling_of(self, args: Any, config: CurriculumConfig) -> Filling | None:
        if not (args.dynamic_sampling or self.replay):
            return None
        groups = args.generation_batch_size // args.num_generations
        gate: Gate = build_gate(config.gate) if args.dynamic_sampling else OpenGate()
        rounds = args.max_generation_rounds if args.dynamic_sampling else 1
        return Filling(gate, groups, args.num_generations, rounds, args.world_size)


class CurriculumGRPOTrainer(CurriculumTrainerMixin, GRPOTrainer):
    """TRL's `GRPOTrainer` with a live curriculum."""

    _config_type = CurriculumGRPOConfig


class CurriculumRLOOTrainer(CurriculumTrainerMixin, RLOOTrainer):
    """TRL's `RLOOTrainer` with a live curriculum."""

    _config_type = CurriculumRLOOConfig


def _placeholder(args: Any) -> Dataset:
    """A dataset that only drives the loop: whole generations, and whole optimizer steps."""
    batches = args.steps_per_generation * args.num_iterations
    rounds = args.gradient_accumulation_steps // math.gcd(args.gradient_accumulation_steps, batches)
    rows = rounds * args.generation_batch_size // args.num_generations
    return Dataset.from_dict({"prompt": [""] * rows})
