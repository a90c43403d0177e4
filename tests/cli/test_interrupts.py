from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from curriculum_env.cli.interrupts import Interrupts

SWALLOWING = """
import os, signal
try:
    os.kill(os.getpid(), signal.SIGINT)
    signal.sigtimedwait([], 5)
except BaseException:
    {then}
"""


def interrupted(*arguments: str, path: object = "", code: str = "") -> tuple[int, str]:
    """The exit code of a command line that runs `code` first, and what it printed."""
    start = f"{code}\nfrom curriculum_env.cli import main\nmain()"
    done = subprocess.run(
        [sys.executable, "-c", start, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(path), *sys.path])},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("then", ["raise ValueError('half imported')", "pass"])
def test_an_import_that_swallows_it(tmp_path: Path, then: str) -> None:
    (tmp_path / "swallowing.py").write_text(SWALLOWING.format(then=then))
    found = interrupted(
        "run", "swallowing", "-mx", "--base-url=http://127.0.0.1:9/v1", path=tmp_path
    )
    assert found[0] == 130
    assert "bug" not in found[1]
    assert "Traceback" not in found[1]


def test_one_that_comes_while_the_command_line_is_imported() -> None:
    code = (
        "import os, signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'typer':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())"
    )
    assert interrupted("--help", code=code) == (130, "")


@pytest.mark.parametrize("moment", [0.1, 0.3, 0.5, 0.8, 1.2])
def test_pressed_three_times_at_the_start(moment: float, tmp_path: Path) -> None:
    code = "from curriculum_env.cli import main; print('ready', flush=True); main()"
    command = [sys.executable, "-c", code, "run", "coins", "-mx", "--base-url=http://127.0.0.1:9"]
    with subprocess.Popen(
        [*command, f"--output={tmp_path}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        time.sleep(moment)
        for _ in range(3):
            process.send_signal(signal.SIGINT)
            time.sleep(0.02)
        out = process.stdout.read()
    assert process.returncode == 130
    assert "Traceback" not in out


def test_what_was_swallowed_is_heeded() -> None:
    interrupts, previous = Interrupts(), signal.getsignal(signal.SIGINT)
    with interrupts:
        interrupts.heed()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            interrupts.heed()
    assert signal.getsignal(signal.SIGINT) == previous
