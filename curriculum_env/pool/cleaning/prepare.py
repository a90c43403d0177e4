"""The first step: read, validate, filter, and compare with the evaluation sets."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from curriculum_env.errors import PoolError
from curriculum_env.pool.answers import answer_keys
from curriculum_env.pool.cleaning.settings import SHARD, BuildSettings
from curriculum_env.pool.cleaning.shards import Shards
from curriculum_env.pool.contamination import Decontaminator
from curriculum_env.pool.content import answers, as_json, prompt_text
from curriculum_env.pool.files import Record, files_at
from curriculum_env.pool.language import language_of
from curriculum_env.pool.profile import profile_of
from curriculum_env.pool.rows import row_of, stream_rows
from curriculum_env.pool.signatures import WIDTH, bands_of
from curriculum_env.pool.similar import Match
from curriculum_env.pool.sources import Source
from curriculum_env.pool.table import holds_rows, read_records, record_of, row_from
from curriculum_env.types import Row

if TYPE_CHECKING:
    from numpy.typing import NDArray

KEPT_RECORD = 20_000
"""Characters of a refused record that are kept with it."""
REMEMBERED = 32_768
"""Prompts whose findings a process keeps in mind, about 1 KiB each."""


class Piece(NamedTuple):
    """Records that become one shard; `source` is the position of each one's source."""

    number: int
    records: list[tuple[int, int, Record]]


def pieces(settings: BuildSettings) -> Iterator[Piece]:
    """All records of all sources, in pieces of `SHARD`."""
    records = (
        (source, position, record)
        for source, text in enumerate(settings.sources)
        for position, record in enumerate(_records(settings.source(text)))
    )
    number = 0
    while piece := list(islice(records, SHARD)):
        yield Piece(number, piece)
        number += 1


def _records(source: Source) -> Iterator[Record]:
    if _is_pool(source):
        for path in files_at(str(source.data)):
            yield from read_records(path)
    else:
        yield from source.records()


def _is_pool(source: Source) -> bool:
    return source.is_file and all(map(holds_rows, files_at(str(source.data))))


@dataclass(slots=True)
class Seen:
    """What is known of a prompt: why it goes, or what it is compared by."""

    reason: str | None
    detail: str
    match: Match | None
    identity: str
    bands: NDArray[np.uint64] | None


class Preparer:
    """Turns pieces into shards; made once in each process."""

    def __init__(self, settings: BuildSettings) -> None:
        self.settings = settings
        self.sources = [settings.source(text) for text in settings.sources]
        self.pools = [_is_pool(source) for source in self.sources]
        self.evaluation = evaluation_index(settings)
        self._seen: OrderedDict[tuple[str, tuple[str, ...]], Seen] = OrderedDict()

    def write(self, piece: Piece, shards: Shards) -> None:
        """Write the shard of a piece."""
        prepared = [self._line(*record) for record in piece.records]
        bands = np.zeros((len(prepared), WIDTH), np.uint64)
        for position, (_, found) in enumerate(prepared):
            if found is not None:
                bands[position] = found
        lines = [line for line, _ in prepared]
        shards.write(piece.number, lines, bands if self.settings.near else None)

    def _line(
        self, source: int, position: int, record: Record
    ) -> tuple[dict[str, Any], NDArray[np.uint64] | None]:
        where = f"{self.settings.sources[source]}:{position}"
        try:
            row = row_from(record) if self.pools[source] else row_of(record, self.sources[source])
        except PoolError as error:
            told = as_json(record)[:KEPT_RECORD]
            return _refused(where, str(error), told), None
        accepted = answers(row.data["answer"])
        seen = self._examine(row, accepted)
        line = {
            **record_of(row),
            **_matched(seen),
            "where": where,
            "identity": seen.identity,
            "identity_hash": _hash(seen.identity),
        }
        keys = " | ".join(sorted(answer_keys(accepted)))
        return {**line, "answer_keys": keys, "answer_hash": _hash(keys)}, seen.bands

    def _examine(self, row: Row, accepted: list[str]) -> Seen:
        """What `_look` finds; the latest prompts are remembered, since some sets repeat theirs."""
        text = prompt_text(row.data["prompt"])
        key = (text, tuple(accepted))
        if key not in self._seen:
            if len(self._seen) >= REMEMBERED:
                self._seen.popitem(last=False)
            self._seen[key] = self._look(text, accepted)
        self._seen.move_to_end(key)
        return self._seen[key]

    def _look(self, text: str, accepted: list[str]) -> Seen:
        settings = self.settings
        if not settings.min_chars <= len(text) <= settings.max_chars:
            return Seen("length", f"{len(text)} characters", None, "", None)
        language = language_of(text) if settings.languages else ""
        if language and language not in settings.languages:
            return Seen("language", language, None, "", None)
        match = self.evaluation.match(text, accepted)
        if match is not None:
            return Seen("contamination", match.kind, match, "", None)
        profile = profile_of(text)
        bands = bands_of(profile) if settings.near else None
        return Seen(None, "", None, profile.identity, bands)


def evaluation_index(settings: BuildSettings) -> Decontaminator:
    """The tasks of all evaluation sets.

    Raises:
        PoolError: one cannot be read, or holds no task.
    """
    embedder = None
    if settings.embedding is not None:
        from curriculum_env.pool.embedding import Embeddings

        embedder = Embeddings(settings.embedder, settings.embedding)
    index = Decontaminator(templates=settings.templates, embedder=embedder)
    for text in settings.against:
        source = settings.source(text, evaluation=True)
        known = len(index)
        for row in stream_rows(source):
            prompt = prompt_text(row.data["prompt"])
            index.add(row.uid, prompt, answers(row.data["answer"]), text)
        if len(index) == known:
            raise PoolError(f"the evaluation set {text} holds no task; expected at least one")
    return index


def _refused(where: str, detail: str, record: str) -> dict[str, Any]:
    return {"reason": "invalid", "detail": detail, "where": where, "record": record}


def _matched(seen: Seen) -> dict[str, Any]:
    if seen.reason is None:
        return {}
    match = seen.match
    return {
        "reason": seen.reason,
        "detail": seen.detail,
        "match_uid": match and match.uid,
        "match_prompt": match and match.prompt,
        "match_source": match and match.source,
        "score": match and match.score,
    }


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
