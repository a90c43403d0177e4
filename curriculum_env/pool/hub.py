"""Records of Hugging Face datasets, by way of `datasets.load_dataset`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from curriculum_env.errors import ConfigError, PoolError
from curriculum_env.pool.columns import Columns
from curriculum_env.pool.files import BATCH, Record


def read_hub(
    path: str,
    columns: Columns,
    *,
    config: str | None = None,
    split: str = "train",
    data_files: str = "",
    streaming: bool = False,
) -> Iterator[Record]:
    """The records of a dataset: a name on the hub or a local folder, as `load_dataset` takes them.

    The dataset is memory-mapped from its cache, or with `streaming` never kept; only the columns
    in use are read.

    Raises:
        ConfigError: `datasets` is not installed.
        PoolError: the dataset cannot be loaded.
    """
    dataset = load(path, config, split, data_files, streaming)
    names = columns.roots(dataset.column_names or [])
    if names:
        dataset = dataset.select_columns(names)
    for batch in dataset.with_format("arrow").iter(BATCH):
        yield from batch.to_pylist()


def load(path: str, config: str | None, split: str, data_files: str, streaming: bool) -> Any:
    """What `load_dataset` gives for one split; its errors as one sentence."""
    try:
        from datasets import load_dataset
    except ImportError as error:
        raise ConfigError(
            f"{path} is a Hugging Face dataset, and the library that reads them is missing: "
            "pip install 'curriculum-env[datasets]'"
        ) from error
    options = {"data_files": data_files} if data_files else {}
    try:
        return load_dataset(path, config, split=split, streaming=streaming, **options)
    except Exception as error:
        named = f"{path}{f' ({config})' if config else ''}, split {split}"
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        raise PoolError(
            f"the dataset {named} cannot be loaded ({reason}); expected a name on the Hugging Face "
            "hub or a local folder of its files: check the name, the split and the network"
        ) from error
