"""What a build reads, and what it takes out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from curriculum_env.errors import ConfigError
from curriculum_env.pool.files import files_at
from curriculum_env.pool.language import check_languages
from curriculum_env.pool.sources import Source, source_of

SHARD = 2000
"""Records of a shard."""


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """The settings of a build.

    `sources` and `against` (the evaluation sets) are written as `source_of` takes them, with
    `preset` or `columns` (`PART=PATH`) for those that name no preset; evaluation sets have
    `against_columns`, if there are any, instead. `near` and `templates`: look
    for near duplicates, and for evaluation tasks with other numbers. `languages`: those to keep,
    empty for all. A prompt has `min_chars` to `max_chars` characters. `embedding`: the cosine from
    which the embeddings of a prompt and of an evaluation task are too close, None to compute none,
    with the model2vec model `embedder`.

    Raises:
        ConfigError: a source, a language or a bound cannot be used.
    """

    sources: tuple[str, ...]
    against: tuple[str, ...] = ()
    preset: str = ""
    columns: tuple[str, ...] = ()
    against_columns: tuple[str, ...] = ()
    near: bool = True
    templates: bool = True
    languages: tuple[str, ...] = ()
    min_chars: int = 10
    max_chars: int = 20_000
    embedding: float | None = None
    embedder: str = "minishlab/potion-base-8M"
    streaming: bool = False

    def __post_init__(self) -> None:
        if not self.sources:
            raise ConfigError("no source was named; expected at least one preset, file or dataset")
        if self.min_chars > self.max_chars:
            raise ConfigError(
                f"min_chars is {self.min_chars} and max_chars {self.max_chars}; expected "
                "min_chars <= max_chars"
            )
        check_languages(self.languages)
        for text in self.sources:
            self.source(text)
        for text in self.against:
            self.source(text, evaluation=True)

    def source(self, text: str, *, evaluation: bool = False) -> Source:
        """The source, or evaluation set, that `text` names."""
        known = source_of(text, streaming=self.streaming)
        if known.preset is not None:
            return known
        paths = self.against_columns if evaluation and self.against_columns else self.columns
        own = bool(evaluation and self.against_columns)
        known = source_of(
            text, preset_name=None if own else self.preset or None, streaming=self.streaming
        )
        return replace(known, columns=known.columns.with_paths(paths))

    def digest(self) -> str:
        """A hash of the settings and of the size and time of every file they name."""
        stamps = [
            (str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in self._files()
        ]
        told = json.dumps([FORMAT, SHARD, asdict(self), stamps])
        return hashlib.sha256(told.encode()).hexdigest()[:16]

    def _files(self) -> Iterator[Path]:
        for text in (*self.sources, *self.against):
            place = Path(str(self.source(text).data)).expanduser()
            if place.is_dir():
                yield from sorted(path for path in place.rglob("*") if path.is_file())
            elif self.source(text).is_file:
                yield from files_at(str(place))

    def as_json(self) -> dict[str, Any]:
        """The settings as JSON values."""
        return json.loads(json.dumps(asdict(self)))  # type: ignore[no-any-return]


FORMAT = 1
"""Rises with each change of what a shard holds or how prompts are compared."""
