"""What the curriculum costs in TRL: the share of a training step that goes to drawing, feeding
back and building tasks.

A character transformer of 0.3 million parameters is trained by GRPO on arithmetic, 16 groups of 8
rollouts a step. `share` is the time a step spends
in the curriculum over the time of the step, the median over steps; scoring the completions is the
reward's own cost and not part of it. A real policy's step is longer, and its share smaller. The
last line is one JSON object.

    OMP_NUM_THREADS=1 python benchmarks/trl_cost.py [--quick]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import string
import tempfile
import time
import warnings
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from curriculum_env.adapters.trl import CurriculumGRPOConfig, CurriculumGRPOTrainer

GROUPS, ROLLOUTS = 16, 8
TASKSET = {"id": "arithmetic-curriculum", "size": 20_000, "prompt": "{expression}="}


def tokenizer() -> Any:
    """One token per printable character."""
    words = {"<pad>": 0, "<end>": 1} | {c: i + 2 for i, c in enumerate(string.printable)}
    raw = Tokenizer(models.WordLevel(words, unk_token=" "))
    raw.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    raw.decoder = decoders.Fuse()
    kind: Any = PreTrainedTokenizerFast
    return kind(tokenizer_object=raw, pad_token="<pad>", eos_token="<end>", padding_side="left")


def policy() -> Any:
    """A Llama of 3 layers, width 96."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(string.printable) + 2, hidden_size=96, intermediate_size=256,
        num_hidden_layers=3, num_attention_heads=4, max_position_embeddings=64,
        pad_token_id=0, bos_token_id=None, eos_token_id=1,
    )  # fmt: skip
    return LlamaForCausalLM(config)


class Timed(CurriculumGRPOTrainer):
    """Notes the seconds of each step, and those of them that the curriculum took."""

    def __init__(self, *given: Any, **named: Any) -> None:
        self.steps: list[tuple[float, float]] = []
        self._inside = self._scoring = 0.0
        super().__init__(*given, **named)

    def training_step(self, *given: Any, **named: Any) -> Any:
        self._inside = self._scoring = 0.0
        begun = time.perf_counter()
        loss = super().training_step(*given, **named)
        self.steps.append((time.perf_counter() - begun, self._inside - self._scoring))
        return loss

    def _generate_and_score_completions(self, inputs: Any) -> Any:
        begun = time.perf_counter()
        output = super()._generate_and_score_completions(inputs)
        self._inside += time.perf_counter() - begun
        return output

    def _score(self, inputs: Any) -> Any:
        begun = time.perf_counter()
        output = super()._score(inputs)
        self._scoring += time.perf_counter() - begun
        return output

    def _learn(self, grades: Any) -> None:
        begun = time.perf_counter()
        super()._learn(grades)
        self._scoring -= time.perf_counter() - begun


def measure(steps: int) -> dict[str, float]:
    """Medians over the steps after the first five."""
    with tempfile.TemporaryDirectory() as folder:
        args = CurriculumGRPOConfig(
            folder, max_steps=steps, per_device_train_batch_size=GROUPS * ROLLOUTS,
            num_generations=ROLLOUTS, max_completion_length=6, report_to="none", use_cpu=True,
            bf16=False, save_strategy="no", logging_strategy="no", disable_tqdm=True,
            gradient_checkpointing=False,
        )  # fmt: skip
        trainer = Timed(policy(), TASKSET, args=args, processing_class=tokenizer())
        trainer.train()
    whole, spent = zip(*trainer.steps[5:], strict=True)
    share = statistics.median(a / b for a, b in zip(spent, whole, strict=True))
    return {
        "step_seconds": statistics.median(whole),
        "curriculum_seconds": statistics.median(spent),
        "share": share,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="25 steps instead of 100")
    steps = 25 if parser.parse_args().quick else 100
    warnings.simplefilter("ignore")
    figures = measure(steps)
    for name, value in figures.items():
        print(f"{name:20} {value:.5f}")
    print(json.dumps({name: round(value, 5) for name, value in figures.items()}))


if __name__ == "__main__":
    main()
