"""The page on TRL says what is there, and its example runs."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from curriculum_env.adapters.trl.config import CurriculumOptions
from tests.adapters.trl.tiny import model
from tests.adapters.trl.training import words

PAGE = (Path(__file__).parents[3] / "docs" / "trl.md").read_text()


def test_every_option_is_on_the_page() -> None:
    for option in fields(CurriculumOptions):
        assert f"| `{option.name}` |" in PAGE


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "policy"
    model().save_pretrained(folder)
    words(chat=True).save_pretrained(folder)
    (code,) = re.findall(r"```py\n(.*?)```", PAGE, re.DOTALL)
    code = code.replace("Qwen/Qwen3-0.6B", str(folder)).replace("max_steps=200", "max_steps=1")
    code = re.sub(r"(eval|save)_steps=50", r"\1_steps=1", code)
    extra = 'num_generations_eval=1, per_device_eval_batch_size=256, report_to="none", bf16=False,'
    code = code.replace("max_completion_length=64,", f"max_completion_length=4, {extra}")
    code = code.replace("dynamic_sampling=True", "dynamic_sampling=False")  # it has learned nothing
    monkeypatch.chdir(tmp_path)
    found: dict[str, Any] = {}
    exec(code, found)
    assert found["trainer"].state.global_step == 1
    assert (tmp_path / "outputs/arithmetic/checkpoint-1/curriculum/state.json").exists()
