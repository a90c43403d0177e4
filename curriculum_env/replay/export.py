"""Successes as a data set for supervised fine-tuning."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from curriculum_env.errors import ReplayError
from curriculum_env.replay.trajectory import Trajectory


def write_sft(successes: Sequence[Trajectory], path: Path) -> int:
    """Write the Parquet file that `SuccessBuffer.export` documents, whole or not at all.

    Raises:
        ReplayError: a success has no text, there is none, or the file cannot be written.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not successes:
        raise ReplayError("there is no success to export; expected at least one: train on first")
    if silent := [one.uid for one in successes if not (one.prompt and one.completion)]:
        raise ReplayError(
            f"{len(silent)} of {len(successes)} successes have no text (the first of task "
            f"{silent[0]!r}); expected Trajectory(prompt=..., completion=...) when they are added"
        )
    partial = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        pq.write_table(pa.Table.from_pylist([_line(one) for one in successes]), partial)
        partial.replace(path)
    except OSError as error:
        raise ReplayError(
            f"{path} cannot be written ({error.strerror or error}); expected a file in a folder "
            "that exists and can be written: name another"
        ) from error
    finally:
        partial.unlink(missing_ok=True)
    return len(successes)


def _line(success: Trajectory) -> dict[str, object]:
    asked = success.prompt
    prompt = [_message("user", asked)] if isinstance(asked, str) else [dict(one) for one in asked]
    completion = [_message("assistant", success.completion)]
    return {
        "prompt": prompt,
        "completion": completion,
        "messages": prompt + completion,
        "uid": success.uid,
        "reward": success.reward,
        "version": success.version,
    }


def _message(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}
