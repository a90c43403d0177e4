"""TRL's trainers, drawing their prompts from a curriculum at generation time."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import verifiers.v1 as vf
from accelerate.utils import gather_object
from datasets import Dataset
from trl import GRPOTrainer, RLOOTrainer

from curriculum_env.adapters.trl.config import (
    CurriculumGRPOConfig,
    CurriculumOptions,
    CurriculumRLOOConfig,
)
from curriculum_env.adapters.trl.rank_zero import from_rank_zero
from curriculum_env.adapters.trl.rubric import Grade, Rubric
from curriculum_env.adapters.trl.shared import Drawn, SharedCurriculum
from curriculum_env.adapters.trl.sidecar import (
    folder_of,
    load_batches,
    load_plain,
    save_batches,
    save_plain,
)
from curriculum_env.adapters.trl.taskset import (
    checked_rows,
    messages_of,
    open_taskset,
    settings_of,
    text_of,
)
from curriculum_env.config import CurriculumConfig
from curriculum_env.engine import Curriculum
from curriculum_env.engine.reward_scale import RewardScale
from curriculum_env.engine.state import load_state, save_state
from curriculum_env.errors import ConfigError, RewardError
from curriculum_env.types import Row

if TYPE_CHECKING:
    _Base = Any
else:
    _Base = object

Inputs = list[dict[str, Any]]


class CurriculumTrainerMixin(_Base):
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
        reward_funcs: Sequence[Callable[..., Any]] = (),
        **trl: Any,
    ) -> None:
        args = self._checked_args(args)
        self.taskset = open_taskset(taskset)
        config = settings_of(self.taskset, curriculum, args.num_generations)
        self._scale = RewardScale(config)
        self.rubric = Rubric(self.read_reply)
        self._heldout: dict[str, tuple[Any, vf.Task]] = {}
        self._heldout_successes: dict[str, list[float]] = defaultdict(list)
        self._grades: list[Grade] = []
        self._conversational = bool(getattr(processing_class, "chat_template", None))
        store = args.curriculum_store or self.taskset.config.task.store
        self.shared = SharedCurriculum(
            lambda: Curriculum(checked_rows(self.taskset), config, store), self._prompt_of
        )
        try:
            super().__init__(
                model,
                [self.rubric.rubric, *reward_funcs],
                args,
                train_dataset=_placeholder(args),
                eval_dataset=None if str(args.eval_strategy.value) == "no" else self.heldout(),
                processing_class=processing_class,
                **trl,
            )
        except BaseException:
            self.shared.close()
            raise

    def _checked_args(self, args: Any) -> Any:
        if not isinstance(args, self._config_type):
            raise ConfigError(
                f"args is a {type(args).__name__}; expected a {self._config_type.__name__}, which "
                "takes all of TRL's settings: pass one with max_steps set."
            )
        args.check()
        args.remove_unused_columns = False
        return args

    # --- what a subclass may change ----------------------------------------------------------
    def render(self, task: vf.Task) -> str | list[dict[str, Any]]:
        """The prompt of a task: chat messages, or plain text for a tokenizer without a chat
        template."""
        return messages_of(task.data) if self._conversational else text_of(task.data)

    def read_reply(self, completion: str) -> str:
        """The reply to score, from a completion's text without special tokens."""
        return completion

    # --- drawing and scoring -----------------------------------------------------------------
    @property
    def curriculum(self) -> Curriculum | None:
        """The engine, in the main process; None in the others."""
        return self.shared.engine

    def _prompt_of(self, row: Row) -> Any:
        return self.render(self.taskset.placed(row, 0, None))

    def _generate_and_score_completions(self, inputs: Inputs) -> dict[str, Any]:
        if not self.model.training:
            return self._score(self._heldout_inputs(inputs))
        size: int = self.num_generations
        groups = len(inputs) * self.accelerator.num_processes // size
        return self._play(self.shared.draw(groups))

    def _play(self, drawn: Sequence[Drawn]) -> dict[str, Any]:
        """Generate and score the groups of some draws; each process gets its share of rollouts."""
        size, count = self.num_generations, self.accelerator.num_processes
        share = len(drawn) * size // count
        first = self.accelerator.process_index * share
        mine = [drawn[place // size] for place in range(first, first + share)]
        made = {one.number: self._input(one) for one in {one.number: one for one in mine}.values()}
        return self._score([dict(made[one.number]) for one in mine])

    def _input(self, drawn: Drawn) -> dict[str, Any]:
        task = self.taskset.placed(drawn.row, 0, None)
        return {"prompt": drawn.prompt, "task": task, "draw": drawn.number}

    def _score(self, inputs: Inputs) -> dict[str, Any]:
        output: dict[str, Any] = super()._generate_and_score_completions(inputs)
        return output

    def _calculate_rewards(self, inputs: Inputs, *given: Any) -> Any:
        rewards = super()._calculate_rewards(inputs, *given)
        self._grades = gather_object(self.rubric.grades)
        self._learn(self._grades, "train" if self.model.training else "eval")
        return rewards

    def _learn(self, grades: list[Grade], mode: str) -> None:
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
        metrics = self._metrics[mode]
        for name, found in values.items():
            metrics[f"rubric/{name}"].append(sum(found) / len(found))
        if mode == "eval":
            for grade in grades:
                success = None if grade.reward is None else self._scale.success(grade.reward)
                if success is not None:
                    self._heldout_successes[grade.uid].append(success)
            return
        for name, value in self.shared.tell(grades).items():
            metrics[f"curriculum/{name}"] = [float(value)]

    # --- evaluation --------------------------------------------------------------------------
    def heldout(self) -> Dataset:
        """The held-out split, as a dataset of uids.

        Raises:
            ConfigError: the taskset has none.
        """
        tasks = list(self.taskset.heldout_tasks())
        self._heldout = {task.key: (self.render(task), task) for task in tasks}
        return Dataset.from_dict({"prompt": [""] * len(tasks), "uid": list(self._heldout)})

    def _heldout_inputs(self, inputs: Inputs) -> Inputs:
        found = [self._heldout[row["uid"]] for row in inputs]
        return [{"prompt": prompt, "task": task, "draw": None} for prompt, task in found]

    def evaluate(self, eval_dataset: Any = None, *given: Any, **named: Any) -> dict[str, float]:
        """TRL's evaluation, on the held-out split; the rule is told the success."""
        if eval_dataset is None and self.eval_dataset is None:
            self.eval_dataset = self.heldout()
        self._heldout_successes.clear()
        metrics: dict[str, float] = super().evaluate(eval_dataset, *given, **named)
        success = self._heldout_success()
        self._heldout_successes.clear()
        if success is not None:
            self.shared.tell_heldout(success)
        return metrics

    def _heldout_success(self) -> float | None:
        means = [math.fsum(found) / len(found) for found in self._heldout_successes.values()]
        return math.fsum(means) / len(means) if means else None

    def log(self, logs: dict[str, float], *given: Any, **named: Any) -> None:
        if not self.model.training and (success := self._heldout_success()) is not None:
            self._metrics["eval"]["curriculum/heldout"] = [success]
        super().log(logs, *given, **named)

    # --- checkpoints -------------------------------------------------------------------------
    def _save_rng_state(self, output_dir: str) -> None:
        super()._save_rng_state(output_dir)
        self._save_curriculum(output_dir)

    def _save_curriculum(self, checkpoint: str) -> None:
        folder, rank = folder_of(checkpoint), self.accelerator.process_index
        unused = self._buffered_inputs if self._step % self._generate_every else None
        save_batches(folder / f"buffer-{rank}.safetensors", unused or [])
        from_rank_zero(lambda: self._save_shared(checkpoint))

    def _save_shared(self, checkpoint: str) -> None:
        state = self.shared.state()
        assert state is not None
        save_state(folder_of(checkpoint), state)
        plain = {
            "step": self._step,
            "processes": self.accelerator.num_processes,
            "metrics": dict(self._metrics["train"]),
        }
        save_plain(checkpoint, plain)

    def _load_optimizer_and_scheduler(self, checkpoint: str | None) -> None:
        super()._load_optimizer_and_scheduler(checkpoint)
        if checkpoint is not None:
            self._load_curriculum(checkpoint)

    def _load_curriculum(self, checkpoint: str) -> None:
        plain = from_rank_zero(lambda: load_plain(checkpoint))
        self.shared.load(lambda: load_state(folder_of(checkpoint)))
        path = folder_of(checkpoint) / f"buffer-{self.accelerator.process_index}.safetensors"
        self._step = plain["step"]
        self._buffered_inputs = load_batches(path, self.accelerator.device) or None
        self._metrics["train"].update(plain["metrics"])

    @property
    def _generate_every(self) -> int:
        every: int = self.args.steps_per_generation * self.num_iterations
        return every


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
