"""Carries out a training session: each curriculum in turn, from the same policy."""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from curriculum_env.adapters.trl.versions import require_trl
from curriculum_env.cli.render import console
from curriculum_env.cli.train_folder import claimed, told
from curriculum_env.cli.train_plan import Plan
from curriculum_env.cli.train_report import Curve, Report, show, write_plot
from curriculum_env.errors import ConfigError
from curriculum_env.sim.entrants import Entrant


def carry_out(plan: Plan) -> None:
    """Train, show and write what `plan` says.

    Raises:
        ConfigError: TRL is missing, a setting cannot be used, or the folder of results.
    """
    require_trl()
    folder, everyone = plan.folder, list(plan.entrants())
    _quiet()
    with claimed(folder):
        _carry_out(plan, everyone, folder)


def _carry_out(plan: Plan, everyone: list[Entrant], folder: Path) -> None:
    settings = plan.settings
    curves: list[Curve] = []
    for one in everyone:
        curves.append(_train(plan, settings, one, folder))
        _write(Report(settings["id"], plan.policy, tuple(curves)), folder)
    report = Report(settings["id"], plan.policy, tuple(curves))
    show(report, console)
    try:
        console.print(f"drawn: {write_plot(report, folder)}", soft_wrap=True)
    except ConfigError as error:
        console.print(f"No plot: {error}.", style="dim")
    models = ", ".join(str(folder / curve.entrant) for curve in curves)
    console.print(f"written: {folder / 'curves.json'}; trained models: {models}", style="dim")


def _quiet() -> None:
    """Keep what the libraries say of themselves off the screen."""
    from datasets.utils import logging as datasets_logging
    from transformers.utils import logging as transformers_logging

    for library in (datasets_logging, transformers_logging):
        library.set_verbosity_error()
        library.disable_progress_bar()
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    warnings.filterwarnings("ignore", category=FutureWarning, module="transformers")


def _train(plan: Plan, settings: dict[str, Any], one: Entrant, folder: Path) -> Curve:
    from curriculum_env.cli.train_policies import load_policy
    from curriculum_env.cli.train_watch import Watch

    policy = load_policy(plan.policy)
    watch = Watch(one.name, plan.steps)
    kind = type("Trainer", (policy.trainer,), {"heldout_tasks": plan.heldout})
    trainer = kind(
        policy.model,
        settings,
        curriculum=one.config,
        args=_arguments(plan, policy, folder / one.name),
        processing_class=policy.tokenizer,
        callbacks=[watch],
    )
    _without_printer(trainer)
    watch.outcomes = _outcomes(trainer)
    with watch:
        trainer.train()
        if watch.points[-1].steps != plan.steps:
            trainer.evaluate()
    metrics = trainer.curriculum.metrics()
    trainer.save_model(str(folder / one.name))
    trainer.shared.close()
    return Curve(
        one.name, tuple(watch.points), metrics["rho"],
        int(metrics["distinct_tasks"]), metrics["effective_tasks"],
    )  # fmt: skip


def _outcomes(trainer: Any) -> Callable[[], int]:
    return lambda: int(trainer.curriculum.metrics()["outcomes"])


def _without_printer(trainer: Any) -> None:
    from transformers import PrinterCallback

    trainer.remove_callback(PrinterCallback)


def _arguments(plan: Plan, policy: Any, folder: Path) -> Any:
    import torch

    from curriculum_env.adapters.trl import CurriculumGRPOConfig

    rollouts = plan.groups * plan.group_size
    whole = "per_device_eval_batch_size" in policy.settings
    cuda = torch.cuda.is_available()
    return CurriculumGRPOConfig(
        output_dir=str(folder),
        max_steps=plan.steps,
        per_device_train_batch_size=rollouts if whole else plan.group_size,
        gradient_accumulation_steps=1 if whole else plan.groups,
        num_generations=plan.group_size,
        num_generations_eval=1,
        learning_rate=policy.rate if plan.rate is None else plan.rate,
        lr_scheduler_type="constant",
        max_completion_length=plan.max_tokens or policy.max_tokens,
        dynamic_sampling=plan.dynamic_sampling,
        scale_learning_rate=plan.scale_learning_rate,
        eval_strategy="steps",
        eval_on_start=True,
        eval_steps=max(plan.steps // plan.evaluations, 1),
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        use_cpu=not cuda,
        bf16=None if cuda else False,
        seed=plan.seed,
        **policy.settings,
    )


def _write(report: Report, folder: Path) -> None:
    with told(folder):
        (folder / "curves.json").write_text(json.dumps(asdict(report), indent=1) + "\n")
