"""Well-known datasets: where they are, their columns, and how an answer is found in them.

Schemas as of 2026; none of their content is shipped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from curriculum_env.errors import ConfigError
from curriculum_env.pool.columns import Columns
from curriculum_env.pool.extract import after_hashes, json_list, last_boxed


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True)
class Preset:
    """A dataset on the Hugging Face hub and the way to read its records.

    `configs` are the parts that `load_dataset` is asked for, all of them one after the other.
    `wrapping` is the instruction before and after each question, which is taken off. `licence`
    is what the dataset's card declares, or why there is nothing to say.
    """

    name: str
    hub: str
    columns: Columns
    licence: str
    split: str = "train"
    configs: tuple[str, ...] = ()
    data_files: str = ""
    domain: str = "math"
    answer: Callable[[Any], Any] = _same
    wrapping: tuple[str, str] = ("", "")


_VERL = Columns(
    prompt="prompt",
    answer="reward_model.ground_truth",
    source="data_source",
    domain="ability",
)
_BOXED = "Please output the final answer within \\boxed{}."
_DAPO = (
    "Solve the following math problem step by step. The last line of your response should be of "
    "the form Answer: $Answer (without quotes) where $Answer is the answer to the problem."
)
_STEPS = "Let's think step by step and output the final answer within \\boxed{}."

_ALL = (
    Preset(
        name="gsm8k",
        hub="openai/gsm8k",
        configs=("main",),
        columns=Columns(prompt="question", answer="answer"),
        licence="MIT",
        answer=after_hashes,
    ),
    Preset(
        name="math",
        hub="EleutherAI/hendrycks_math",
        configs=(
            *("algebra", "counting_and_probability", "geometry", "intermediate_algebra"),
            *("number_theory", "prealgebra", "precalculus"),
        ),
        columns=Columns(prompt="problem", answer="solution", level="level", domain="type"),
        licence="MIT",
        answer=last_boxed,
    ),
    Preset(
        name="math500",
        hub="HuggingFaceH4/MATH-500",
        split="test",
        columns=Columns(prompt="problem", answer="answer", level="level", domain="subject"),
        licence="none declared; a part of MATH, which is MIT",
    ),
    Preset(
        name="dapo-math-17k",
        hub="BytedTsinghua-SIA/DAPO-Math-17k",
        columns=_VERL,
        licence="Apache-2.0",
        wrapping=(_DAPO, 'Remember to put your answer on its own line after "Answer:".'),
    ),
    Preset(
        name="openr1-math",
        hub="open-r1/OpenR1-Math-220k",
        configs=("default",),
        columns=Columns(
            prompt="problem",
            answer="answer",
            domain="problem_type",
            source="source",
            features={"question_type": "question_type", "correct_count": "correctness_count"},
        ),
        licence="Apache-2.0",
    ),
    Preset(
        name="deepscaler",
        hub="agentica-org/DeepScaleR-Preview-Dataset",
        columns=Columns(prompt="problem", answer="answer"),
        licence="MIT",
    ),
    Preset(
        name="polaris",
        hub="POLARIS-Project/Polaris-Dataset-53K",
        columns=Columns(prompt="problem", answer="answer", level="difficulty"),
        licence="Apache-2.0",
    ),
    Preset(
        name="skywork-or1",
        hub="Skywork/Skywork-OR1-RL-Data",
        split="math",
        columns=Columns(
            prompt="prompt",
            answer="reward_model.ground_truth",
            source="data_source",
            domain="ability",
            level="extra_info.model_difficulty.DeepSeek-R1-Distill-Qwen-7B",
            features={
                f"difficulty_{size}": f"extra_info.model_difficulty.DeepSeek-R1-Distill-Qwen-{size}"
                for size in ("1.5B", "7B", "32B")
            },
        ),
        licence="none declared",
        answer=json_list,
        wrapping=("", _STEPS),
    ),
    Preset(
        name="guru",
        hub="LLM360/guru-RL-92k",
        data_files="train/math__combined_54.4k.parquet",
        columns=Columns(
            prompt="prompt",
            answer="reward_model.ground_truth",
            source="data_source",
            domain="ability",
            features={
                "pass_rate_7b": "qwen2.5_7b_pass_rate",
                "pass_rate_30b": "qwen3_30b_pass_rate",
            },
        ),
        licence="a collection: see its card and those of its sources",
        wrapping=("", _BOXED),
    ),
)

PRESETS = {preset.name: preset for preset in _ALL}


def preset(name: str) -> Preset:
    """The preset of that name.

    Raises:
        ConfigError: there is none.
    """
    if name not in PRESETS:
        raise ConfigError(
            f"there is no preset {name!r}; expected one of {', '.join(PRESETS)}: choose of these, "
            "or name the columns"
        )
    return PRESETS[name]
