"""The tiny policy's own loop, done by TRL: the same pool, start, rule and seed, but TRL's trainer
generates, computes the loss and steps. `benchmarks/training.py --trl` compares both curves."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from transformers import PrinterCallback, TrainerCallback

from curriculum_env.adapters.trl import CurriculumGRPOConfig
from curriculum_env.cli.train_policies import TinyTrainer
from curriculum_env.config import CurriculumConfig
from curriculum_env.sim.tiny.curve import Point, Training
from curriculum_env.sim.tiny.llama import from_llama, to_llama, tokenizer
from curriculum_env.sim.tiny.model import Shape, TinyPolicy
from curriculum_env.sim.tiny.run import Exam, Loop

_LONGEST_ANSWER = 7


class Examiner(TrainerCallback):
    """Takes the benchmark's own exam, exact, every so many rollouts; counts the steps' seconds."""

    def __init__(self, model: Any, shape: Shape, exam: Exam, loop: Loop) -> None:
        self.curve: list[Point] = []
        self.rungs: dict[str, float] = {}
        self._take: Callable[[], dict[str, float]] = lambda: exam.take(from_llama(model, shape))
        self._step = loop.groups * loop.group_size
        self._every = max(loop.evaluate_every // self._step, 1)
        self._seconds, self._began = 0.0, 0.0

    def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        self._note(0)

    def on_step_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        self._began = time.thread_time()

    def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        self._seconds += time.thread_time() - self._began
        if state.global_step % self._every == 0 or state.global_step == state.max_steps:
            self._note(state.global_step)

    def _note(self, steps: int) -> None:
        found = self._take()
        accuracy = found.pop("")
        self.rungs = found
        at = steps * self._step, steps, self._seconds
        self.curve.append(Point(*at, accuracy, min(found.values())))


def train(
    rule: str, config: CurriculumConfig, pool: str, taskset: dict[str, Any], exam: Exam,
    policy: TinyPolicy, loop: Loop, folder: Path,
) -> Training:  # fmt: skip
    """Train a copy of `policy` as `sim.tiny.run.train` does, by TRL, on the tasks of a taskset."""
    model = to_llama(policy)
    examiner = Examiner(model, policy.shape, exam, loop)
    seeded = {"seed": loop.seed, "batch_groups": loop.groups}
    trainer = TinyTrainer(
        model,
        taskset,
        curriculum=config.model_copy(update=seeded),
        args=arguments(loop, folder),
        processing_class=tokenizer(),
        callbacks=[examiner],
    )
    trainer.remove_callback(PrinterCallback)
    trainer.train()
    assert trainer.curriculum is not None
    metrics = trainer.curriculum.metrics()
    trainer.shared.close()
    return Training(
        rule, pool, loop.seed, tuple(examiner.curve), examiner.rungs, metrics["rho"],
        int(metrics["distinct_tasks"]), metrics["effective_tasks"], 1.0 - metrics["rho"],
        int(metrics["outages"]),
    )  # fmt: skip


def arguments(loop: Loop, folder: Path) -> CurriculumGRPOConfig:
    """What the benchmark's own loop does, in TRL's words."""
    rollouts = loop.groups * loop.group_size
    return CurriculumGRPOConfig(
        output_dir=str(folder),
        max_steps=-(-loop.budget // rollouts),
        per_device_train_batch_size=rollouts,
        gradient_accumulation_steps=1,
        num_generations=loop.group_size,
        max_completion_length=_LONGEST_ANSWER,
        learning_rate=loop.rate,
        lr_scheduler_type="constant",
        dynamic_sampling=loop.dynamic,
        scale_learning_rate=loop.scaled,
        eval_strategy="no",
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        gradient_checkpointing=False,
        use_cpu=True,
        bf16=False,
        seed=loop.seed,
    )


def agreement(own: Training, trl: Training) -> dict[str, Any]:
    """Both curves at the evaluations of TRL's run, the mean of TRL's accuracy above our own, and
    the largest difference."""
    at = [point.rollouts for point in trl.curve]
    accuracy = [point.accuracy for point in own.curve]
    ours = np.interp(at, [point.rollouts for point in own.curve], accuracy).tolist()
    theirs = [point.accuracy for point in trl.curve]
    above = [b - a for a, b in zip(ours, theirs, strict=True)]
    return {
        "rollouts": at,
        "own": [round(value, 4) for value in ours],
        "trl": [round(value, 4) for value in theirs],
        "mean_difference": round(fmean(above), 4),
        "largest_difference": round(max(map(abs, above)), 4),
        "rho": [round(own.rho, 4), round(trl.rho, 4)],
    }
