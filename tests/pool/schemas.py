"""Small datasets with the schemas of the presets, written as `load_dataset` finds them: a folder
with a card that names its configurations, and parquet files. Their problems are our own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from curriculum_env.pool.presets import PRESETS

PROBLEM = "Three pens cost 6 dollars. What do seven pens cost, in dollars?"
SECOND = "What is the sum of the digits of 2024?"


def verl(prompt: str, gold: str, **more: Any) -> dict[str, Any]:
    return {
        "data_source": "ours",
        "prompt": [{"content": prompt, "role": "user"}],
        "ability": "math",
        "reward_model": {"ground_truth": gold, "style": "rule"},
    } | more


def wrapped(name: str, problem: str) -> str:
    before, after = PRESETS[name].wrapping
    return "\n\n".join(filter(None, (before, problem, after)))


RECORDS: Mapping[str, list[dict[str, Any]]] = {
    "gsm8k": [
        {"question": PROBLEM, "answer": "A pen is <<6/3=2>>2.\nSo 7*2 = <<7*2=14>>14\n#### 14"},
        {"question": SECOND, "answer": "It is 2+0+2+4.\n#### 1,008"},
    ],
    "math": [
        {"problem": PROBLEM, "level": "Level 1", "type": "Prealgebra",
         "solution": "A pen is $\\frac{6}{3}$, so it is $\\boxed{14}$."},
        {"problem": SECOND, "level": "Level 2", "type": "Number Theory",
         "solution": "First \\boxed{9}, then $\\boxed{\\frac{16}{2}}$."},
    ],
    "math500": [
        {"problem": PROBLEM, "solution": "\\boxed{14}", "answer": "14", "subject": "Prealgebra",
         "level": 1, "unique_id": "test/prealgebra/1.json"},
        {"problem": SECOND, "solution": "\\boxed{8}", "answer": "8", "subject": "Number Theory",
         "level": 3, "unique_id": "test/number_theory/2.json"},
    ],
    "dapo-math-17k": [
        verl(wrapped("dapo-math-17k", PROBLEM), "14", extra_info={"index": "0a1b"}),
        verl(wrapped("dapo-math-17k", SECOND), "8", extra_info={"index": "0a1c"}),
    ],
    "openr1-math": [
        {"problem": problem, "solution": "...", "answer": answer, "problem_type": "Algebra",
         "question_type": "math-word-problem", "source": "olympiads", "uuid": "u",
         "is_reasoning_complete": [True, False], "generations": ["long", "longer"],
         "correctness_math_verify": [True, False], "correctness_llama": None,
         "finish_reasons": None, "correctness_count": 1,
         "messages": [{"content": problem, "role": "user"}]}
        for problem, answer in ((PROBLEM, "14"), (SECOND, "8"))
    ],
    "deepscaler": [
        {"problem": PROBLEM, "answer": "14", "solution": ""},
        {"problem": SECOND, "answer": "8", "solution": "..."},
    ],
    "polaris": [
        {"problem": PROBLEM, "answer": "14", "difficulty": "7/8"},
        {"problem": SECOND, "answer": "8", "difficulty": "2/8"},
    ],
    "skywork-or1": [
        verl(problem, gold, extra_info={"index": 0, "model_difficulty": {
            "DeepSeek-R1-Distill-Qwen-1.5B": 9, "DeepSeek-R1-Distill-Qwen-32B": 1,
            "DeepSeek-R1-Distill-Qwen-7B": 3}})
        for problem, gold in ((PROBLEM, '["14"]'), (SECOND, '["8", "2^3"]'))
    ],
    "guru": [
        verl(wrapped("guru", problem), gold, apply_chat_template=True,
             **{"qwen2.5_7b_pass_rate": rate, "qwen3_30b_pass_rate": 1.0},
             extra_info={"index": 1, "split": "train"})
        for problem, gold, rate in ((PROBLEM, "14", 0.75), (SECOND, "8", None))
    ],
}  # fmt: skip


def write_dataset(name: str, folder: Path) -> Path:
    """The dataset of a preset as a local folder; every configuration holds the same records."""
    preset = PRESETS[name]
    table = pa.Table.from_pylist(RECORDS[name])
    if preset.data_files:
        paths = {"": preset.data_files}
    else:
        configs = preset.configs or ("default",)
        paths = {config: f"{config}/{preset.split}-00000.parquet" for config in configs}
    card = ["---", "configs:"]
    for config, path in paths.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, folder / path)
        card += [f"- config_name: {config}", "  data_files:", f"  - split: {preset.split}",
                 f"    path: {path}"]  # fmt: skip
    if not preset.data_files:
        (folder / "README.md").write_text("\n".join([*card, "---", ""]))
    return folder
