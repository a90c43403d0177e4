"""The policies that can be trained: loaded, with what TRL must know about each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import verifiers.v1 as vf

from curriculum_env.adapters.trl import CurriculumGRPOTrainer
from curriculum_env.cli.render import console
from curriculum_env.cli.train_plan import SMOLLM2, TINY
from curriculum_env.errors import ConfigError
from curriculum_env.local.gguf import find_gguf

_SUM = re.compile(r"\d+\+\d+")


class HeldoutTrainer(CurriculumGRPOTrainer):
    """Evaluates on the first `heldout_tasks` held-out tasks, or on all."""

    heldout_tasks: int | None = None

    def heldout(self) -> Any:
        everything = super().heldout()
        wanted = min(self.heldout_tasks or len(everything), len(everything))
        return everything.select(range(wanted))


class TinyTrainer(HeldoutTrainer):
    """The tiny policy reads a bare sum, and writes its answer from the last digit on."""

    def render(self, task: vf.Task) -> str:
        from curriculum_env.sim.tiny.text import OTHERS

        found = OTHERS.sub("", task.data.prompt_text)
        if not _SUM.fullmatch(found):
            raise ConfigError(
                f"the tiny policy adds two numbers and nothing else, but a task asks "
                f"{task.data.prompt_text!r}: leave levels out, or set sums "
                "(--set 'taskset.sums=[1,1,1]')."
            )
        return f"{found}="

    def read_reply(self, completion: str) -> str:
        return completion[::-1]


@dataclass(frozen=True, slots=True)
class Policy:
    """A model with its tokenizer, the trainer it needs, and the defaults of its training."""

    model: Any
    tokenizer: Any
    trainer: type[HeldoutTrainer] = HeldoutTrainer
    rate: float = 1e-6
    max_tokens: int = 32
    settings: Mapping[str, Any] = field(default_factory=dict)


def load_policy(name: str) -> Policy:
    """The policy of that name, path or id, fresh each time.

    Raises:
        ConfigError: there is none.
    """
    if name == TINY:
        return _tiny()
    if name == SMOLLM2 or name.endswith(".gguf"):
        return from_gguf(find_gguf(name))
    return _pretrained(name)


def _tiny() -> Policy:
    import torch
    from rich.progress import Progress

    from curriculum_env.sim.tiny.llama import to_llama, tokenizer
    from curriculum_env.sim.tiny.warm import Schooling, schooled

    torch.set_num_threads(1)
    schooling = Schooling()
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("schooling the tiny policy", total=schooling.steps)
        policy = schooled(schooling, note=lambda step: bar.update(task, completed=step))
    whole = {"per_device_eval_batch_size": 512, "gradient_checkpointing": False}
    return Policy(to_llama(policy), tokenizer(), TinyTrainer, 2e-4, 7, whole)


def from_gguf(path: Path) -> Policy:
    """The model of a GGUF file. transformers marks it as quantised, though its weights are not any
    more, and would not save it: they are copied into a fresh model."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    given, kind = {"gguf_file": path.name}, cast(Any, AutoModelForCausalLM)
    try:
        loaded = kind.from_pretrained(path.parent, **given)
        tokenizer = AutoTokenizer.from_pretrained(path.parent, **given)
    except ImportError as error:
        raise ConfigError(
            f"{path} cannot be read ({error}); expected the package gguf: pip install "
            "'curriculum-env[trl]'."
        ) from error
    except Exception as error:  # whatever transformers makes of a damaged file
        reason = str(error).split("\n")[0]
        raise ConfigError(
            f"{path} cannot be read ({reason}); expected the whole GGUF file of a model that "
            "transformers knows: fetch it again, or give another one."
        ) from error
    config = loaded.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    fresh = kind.from_config(config)
    fresh.load_state_dict(loaded.state_dict())
    return Policy(fresh, tokenizer, settings={"gradient_checkpointing": False})


def _pretrained(name: str) -> Policy:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    if name.startswith("~"):
        name = str(Path(name).expanduser())
    if name.startswith((".", "/", "~")) and not Path(name).is_dir():
        raise ConfigError(
            f"no policy {name!r}: there is no such folder; expected {TINY}, {SMOLLM2}, a GGUF "
            "file, or the path or id of a model that transformers can load."
        )
    try:
        model = AutoModelForCausalLM.from_pretrained(name)
        return Policy(model, AutoTokenizer.from_pretrained(name))
    except Exception as error:  # whatever transformers makes of a folder that is no model
        reason = str(error).split("\n")[0]
        raise ConfigError(
            f"no policy {name!r} ({reason}): expected {TINY}, {SMOLLM2}, or the path or id of a "
            "model that transformers can load."
        ) from error
