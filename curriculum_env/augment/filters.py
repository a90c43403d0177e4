"""Which variants are let in. Each check is cheap, and each refusal has a reason."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field

from curriculum_env.augment.evaluation import Evaluation
from curriculum_env.augment.hooks import AugmentHooks, answers_of
from curriculum_env.augment.prompts import EXAMPLES
from curriculum_env.augment.proposal import (
    LONGEST_ANSWER,
    Annotation,
    Discard,
    Kind,
    storable,
)
from curriculum_env.augment.steering import steers
from curriculum_env.errors import ConfigError
from curriculum_env.pool.answers import answer_key
from curriculum_env.pool.language import language_of
from curriculum_env.pool.near import NearIndex
from curriculum_env.pool.normal import tokens_of
from curriculum_env.pool.profile import profile_of
from curriculum_env.pool.similar import Match
from curriculum_env.types import Row

_COPIES = frozenset(
    profile_of(text).identity for one in EXAMPLES.values() for text in (one.problem, one.variant)
)
_WORD = re.compile(r"(?<![\\A-Za-z{])[A-Za-z]{3,}")
"""Not a command of LaTeX, nor the unit in one."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_MIXED = re.compile("[A-Za-z][\u0400-\u04ff]|[\u0400-\u04ff][A-Za-z]")
"""A letter of ours beside one of Cyrillic."""
FORMULA = 3
"""Content words of a problem below which only its answer tells whether it is another's twin."""


@dataclass(frozen=True, slots=True)
class Limits:
    """A problem has at least `fewest` tokens (words, numbers, operators) and at most `longer` times
    the letters of its parent and `more` besides. Its language is its parent's, as far as that can
    be told, unless `languages` (ISO 639-1) names others."""

    fewest: int = 3
    longer: float = 3.0
    more: int = 400
    languages: tuple[str, ...] = ()
    steering: bool = True
    near: bool = True


@dataclass(slots=True)
class Filters:
    """The pool as far as variants must differ from it, and what is kept for evaluation."""

    hooks: AugmentHooks
    evaluation: Evaluation = field(default_factory=Evaluation)
    limits: Limits = field(default_factory=Limits)
    _near: NearIndex = field(default_factory=NearIndex)
    _uids: set[str] = field(default_factory=set)
    _examples: frozenset[str] = frozenset(
        profile_of(text).identity
        for one in EXAMPLES.values()
        for text in (one.problem, one.variant)
    )

    def add(self, rows: Iterable[Row]) -> None:
        """Make rows of the pool known; about half a millisecond each. One whose problem cannot be
        read (a picture, for example) is known by its uid alone.

        Raises:
            Exception: whatever reading the first row's problem raises, such as `PoolError`.
        """
        for row in rows:
            if row.uid in self._uids:
                continue
            try:
                text = self.hooks.augment_text(row) if self.limits.near else ""
            except Exception:  # whatever an environment's own code raises
                if not self._uids:
                    raise
                text = ""
            self._uids.add(row.uid)
            if text:
                self._near.add(row.uid, text, answers_of(row) or None)

    def problem(self, parent: Row, kind: Kind, problem: str) -> Discard | None:
        """What speaks against a problem, before anybody has answered it."""
        original = self.hooks.augment_text(parent)
        return (
            self._form(original, problem)
            or self._copied(original, problem)
            or self._known(parent, kind, problem)
            or _leak(self.evaluation.match(problem, original))
        )

    def verdict(self, parent: Row, kind: Kind, problem: str, verdict: Annotation) -> Discard | None:
        """What speaks against a problem, now that it is answered."""
        if not verdict.clean:
            return Discard("unclean")
        if not verdict.solvable:
            return Discard("unsolvable")
        if verdict.answer is None or not verdict.answer.strip():
            return Discard("no_answer")
        if len(verdict.answer) > LONGEST_ANSWER or not storable(verdict.answer):
            return Discard("no_answer", "too long, or characters that no store holds")
        if _WORD.search(verdict.answer) and all(map(_numeric, answers_of(parent) or [""])):
            return Discard("no_answer", f"words, where the parent has a number: {verdict.answer}")
        return self._against_parent(parent, kind, problem, verdict.answer)

    async def child(self, parent: Row, kind: Kind | None, row: Row) -> Discard | None:
        """What speaks against a finished row; `kind` is None for one that the environment made
        itself, which may be as like others as tasks of a family are."""
        if await self.hooks.augment_accepts(row) is False:
            return Discard("gold_refused")
        if row.uid in self._uids:
            return Discard("duplicate", row.uid)
        text, answers = self.hooks.augment_text(row), answers_of(row) or None
        if kind is None:
            return self._same(text) or _leak(self.evaluation.same(text))
        original = self.hooks.augment_text(parent)
        leak = self.evaluation.match(text, original, answers)
        return self._twin(parent, kind, text, answers) or _leak(leak)

    def _form(self, original: str, problem: str) -> Discard | None:
        limits = self.limits
        if not storable(problem):
            return Discard("no_problem", "characters that no store holds")
        if _unseen(problem) - _unseen(original):
            return Discard("no_problem", "characters that nobody sees, or that look like others")
        if len(tokens_of(problem[: limits.more])) < limits.fewest:
            return Discard("too_short")
        if len(problem) > limits.longer * len(original) + limits.more:
            return Discard("too_long", f"{len(problem)} letters")
        if limits.steering and steers(problem) and not steers(original):
            return Discard("steering")
        language = _language(problem)
        spoken = limits.languages or tuple(filter(None, (_language(original),)))
        if language and spoken and language not in spoken:
            return Discard("language", language)
        return None

    def _copied(self, original: str, problem: str) -> Discard | None:
        identity = profile_of(problem).identity
        if identity == profile_of(original).identity:
            return Discard("same_as_parent")
        return Discard("example") if identity in _COPIES else None

    def _known(self, parent: Row, kind: Kind, problem: str) -> Discard | None:
        """A twin in the pool; of a formula, only one that is the same to the letter."""
        if len(profile_of(problem).content) >= FORMULA:
            return self._twin(parent, kind, problem, None)
        return self._same(problem)

    def _same(self, problem: str) -> Discard | None:
        match = self._near.match(problem)
        exact = match is not None and match.kind == "exact"
        return Discard("duplicate", match.uid) if match and exact else None

    def _twin(
        self, parent: Row, kind: Kind, text: str, answers: list[str] | None
    ) -> Discard | None:
        match = self._near.match(text, answers)
        if match is None or (kind == "paraphrase" and match.uid == parent.uid and match.score < 1):
            return None
        return Discard("duplicate", match.uid)

    def _against_parent(self, parent: Row, kind: Kind, problem: str, answer: str) -> Discard | None:
        same = answer_key(answer) in {answer_key(one) for one in answers_of(parent)}
        if kind == "paraphrase" and answers_of(parent) and not same:
            return Discard("answer_changed")
        changes = same and kind == "numbers" and self.hooks.augment_answer_changes(parent, problem)
        return Discard("answer_kept") if changes else None


def _unseen(text: str) -> set[str]:
    """What hides in a text: signs without a picture, words of two alphabets that look alike."""
    if text.isascii():
        return set(_CONTROL.findall(text))
    hidden = {letter for letter in text if unicodedata.category(letter) in ("Cc", "Cf", "Co", "Cn")}
    return (hidden - {"\n", "\r", "\t"}) | set(_MIXED.findall(text))


def _numeric(answer: str) -> bool:
    """Whether an answer has a digit and no word."""
    return any(letter.isdigit() for letter in answer) and not _WORD.search(answer)


def _leak(match: Match | None) -> Discard | None:
    if match is None:
        return None
    return Discard("contaminated", f"{match.kind} {match.uid} {match.source}".strip())


def _language(text: str) -> str:
    """The language, empty where it cannot be told: for want of words, or of py3langid."""
    try:
        return language_of(text)
    except ConfigError:
        return ""
