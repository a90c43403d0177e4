"""Where records come from: files, Hugging Face datasets, Python iterables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

from curriculum_env.errors import ConfigError, PoolError
from curriculum_env.pool.columns import Columns, pick
from curriculum_env.pool.extract import unwrap
from curriculum_env.pool.files import Record, files_at, is_file_name, read_file
from curriculum_env.pool.hub import read_hub
from curriculum_env.pool.presets import PRESETS, Preset, preset

Data: TypeAlias = str | Path | Iterable[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Source:
    """Records and how to read them.

    `data` is a file (or a pattern of files), a folder or hub name for `load_dataset`, or an
    iterable of mappings. `domain`, `source` and `licence` stand in where a record has none.
    """

    data: Data
    columns: Columns
    preset: Preset | None = None
    split: str = ""
    streaming: bool = False
    name: str = ""
    domain: str = ""
    licence: str = ""

    def records(self) -> Iterator[Record]:
        """The records one by one; each call begins again, where `data` can be read again.

        Raises:
            PoolError: they cannot be read, or are no mappings.
        """
        if isinstance(self.data, str | Path):
            return self._files() if self.is_file else self._hub(str(self.data))
        return map(_checked, self.data)

    @property
    def is_file(self) -> bool:
        """Whether `data` is a file to be read here, not a dataset for `load_dataset`."""
        return isinstance(self.data, str | Path) and is_file_name(str(self.data))

    def _files(self) -> Iterator[Record]:
        paths = files_at(str(self.data))
        return chain.from_iterable(read_file(path, self.columns) for path in paths)

    def _hub(self, path: str) -> Iterator[Record]:
        known = self.preset
        configs: tuple[str | None, ...] = (known.configs if known else ()) or (None,)
        for config in configs:
            yield from read_hub(
                path,
                self.columns,
                config=config,
                split=self.split or (known.split if known else "train"),
                data_files=known.data_files if known else "",
                streaming=self.streaming,
            )

    def prompt(self, record: Record) -> Any:
        """The prompt of a record as it is there, without the wrapping the preset knows."""
        value = pick(record, self.columns.prompt)
        if self.preset and any(self.preset.wrapping):
            return unwrap(value, *self.preset.wrapping)
        return value

    def answer(self, record: Record) -> Any:
        """The answer of a record, found as the preset says."""
        value = pick(record, self.columns.answer)
        return self.preset.answer(value) if self.preset else value


def _checked(record: Any) -> Record:
    if not isinstance(record, Mapping):
        raise PoolError(f"a record is a {type(record).__name__}; expected mappings, such as dicts")
    return dict(record)


def source_of(
    data: Data | Source,
    *,
    preset_name: str | None = None,
    columns: Columns | None = None,
    split: str = "",
    streaming: bool = False,
) -> Source:
    """The source that `data` names.

    A text is `[PRESET=]PLACE[@SPLIT]`: a preset alone (`gsm8k@test`), a file, a pattern, a folder
    or a hub name, with the columns of a preset (`math500=folder`) or with `columns`.

    Raises:
        ConfigError: the preset is unknown, or the place is neither file, folder nor dataset.
    """
    if isinstance(data, Source):
        return data
    if not isinstance(data, str):
        known = preset(preset_name) if preset_name else None
        return _source(data, known, columns, split, streaming)
    place, split = _split(data, split)
    head, equals, rest = place.partition("=")
    if equals and head in PRESETS:
        preset_name, place = head, rest
    elif place in PRESETS and not Path(place).exists():
        preset_name, place = place, PRESETS[place].hub
    known = preset(preset_name) if preset_name else None
    _check_place(place)
    return _source(place, known, columns, split, streaming)


def _source(
    data: Data, known: Preset | None, columns: Columns | None, split: str, streaming: bool
) -> Source:
    if known is None:
        name = Path(data).stem if isinstance(data, str | Path) else ""
        return Source(data, columns or Columns(), None, split, streaming, name)
    source = Source(data, columns or known.columns, known, split, streaming, known.name)
    return replace(source, domain=known.domain, licence=known.licence)


def _split(text: str, split: str) -> tuple[str, str]:
    """The place and the split in `text`; a file may have an @ in its name."""
    if Path(text).exists() or "@" not in text:
        return text, split
    place, _, named = text.rpartition("@")
    return place, named or split


def _check_place(place: str) -> None:
    path = Path(place).expanduser()
    if is_file_name(place) or path.is_dir():
        return
    if path.is_file() or place.count("/") != 1 or place.startswith((".", "/")):
        raise ConfigError(
            f"{place!r} is no source; expected a preset ({', '.join(PRESETS)}), a file that ends "
            "in .parquet, .jsonl, .json, .csv or .tsv, a folder, or owner/name of a dataset"
        )
