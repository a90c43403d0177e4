"""Keeps evaluation sets out: an index of their prompts, and what matches it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from curriculum_env.pool.near import Buckets, Entry, best, keys_of
from curriculum_env.pool.profile import Profile, grams, profile_of, stock
from curriculum_env.pool.signatures import bands_of, content_bands
from curriculum_env.pool.similar import Kind, Match, jaccard, same_template

LONG = 13
"""Words of a run that two different texts hardly share (GPT-3's rule, Brown et al. 2020)."""
STOCK = 3
"""A run that so many tasks of the evaluation sets share is a stock phrase and proves nothing."""
REMEMBERED = 16
"""Tasks that are remembered of a run."""
ALIKE = 0.6
"""Share of content words from which two evaluation tasks count as one."""
COVER = 0.5
"""Share of a prompt that a short evaluation task must make up."""
SHORT = 5
"""Words that a short evaluation task must have to be looked for inside longer prompts."""


class Decontaminator:
    """Finds the evaluation task that a prompt gives away, one prompt at a time.

    In this order: the same prompt but for spelling; a run of 13 words of it, unless many
    evaluation tasks have that run; for tasks of fewer than 13 words, the task inside the prompt;
    the same task in other words (as `NearIndex`); with `templates`, the same task with other
    numbers; with an `embedder`, a neighbour among embeddings.
    """

    def __init__(self, *, templates: bool = True, embedder: Any = None) -> None:
        self.templates = templates
        self._entries: list[Entry] = []
        self._identities: dict[str, int] = {}
        self._runs: dict[str, list[int]] = {}
        self._short: dict[str, int] = {}
        self._near, self._content = Buckets(), Buckets()
        self._embeddings = embedder

    def __len__(self) -> int:
        return len(self._entries)

    def add(
        self,
        uid: str,
        prompt: str,
        answer: str | Sequence[str] | None = None,
        source: str = "",
    ) -> None:
        """Make a task of the evaluation set `source` known."""
        profile, number = profile_of(prompt), len(self._entries)
        self._entries.append(Entry(uid, prompt, profile, keys_of(answer), source))
        self._identities.setdefault(profile.identity, number)
        if len(profile.words) < LONG:
            self._short.setdefault(" ".join(profile.words), number)
        else:
            for run in grams(profile.words, LONG):
                known = self._runs.setdefault(run, [])
                if len(known) < REMEMBERED:
                    known.append(number)
        self._near.add(number, bands_of(profile))
        self._content.add(number, content_bands(profile))
        if self._embeddings is not None:
            self._embeddings.add(prompt)

    def match(self, prompt: str, answer: str | Sequence[str] | None = None) -> Match | None:
        """The evaluation task that the prompt gives away, None where it gives none away."""
        if not self._entries:
            return None
        profile = profile_of(prompt)
        return (
            self._exact(profile)
            or self._run(profile)
            or self._inside(profile)
            or self._same_task(profile, keys_of(answer))
            or (self._template(profile) if self.templates else None)
            or self._neighbour(prompt)
        )

    def _exact(self, profile: Profile) -> Match | None:
        number = self._identities.get(profile.identity)
        return None if number is None else self._match(number, "exact", 1.0)

    def _run(self, profile: Profile) -> Match | None:
        if len(profile.words) < LONG:
            return None
        runs = grams(profile.words, LONG)
        found = [self._runs[run] for run in runs if run in self._runs and not stock(run)]
        telling = [numbers[0] for numbers in found if not self._stock(numbers)]
        if not telling:
            return None
        number = min(telling)
        return self._match(number, "13-gram", telling.count(number) / len(runs))

    def _stock(self, numbers: list[int]) -> bool:
        """Whether a run is in so many tasks that differ: one may be in several sets."""
        different: list[Profile] = []
        for profile in (self._entries[number].profile for number in numbers):
            if all(jaccard(profile.content, known.content) < ALIKE for known in different):
                different.append(profile)
        return len(different) >= STOCK

    def _inside(self, profile: Profile) -> Match | None:
        """A short task that stands as a whole in the prompt and makes up half of it."""
        words = profile.words
        for size in range(min(LONG - 1, len(words)), max(SHORT, int(len(words) * COVER)) - 1, -1):
            for start in range(len(words) - size + 1):
                number = self._short.get(" ".join(words[start : start + size]))
                if number is not None and self._kept_operators(profile, number):
                    return self._match(number, "short", size / len(words))
        return None

    def _kept_operators(self, profile: Profile, number: int) -> bool:
        return not self._entries[number].profile.operators - profile.operators

    def _same_task(self, profile: Profile, answers: frozenset[str]) -> Match | None:
        """A gold answer that differs may be wrong, here or there: it only counts as unknown."""
        numbers = self._near.candidates(bands_of(profile))
        entries = [self._entries[number] for number in numbers]
        agreeing = [e if e.answers & answers else e._replace(answers=frozenset()) for e in entries]
        found = best(profile, answers, agreeing)
        return found and Match(found[1].uid, "near", found[0], found[1].prompt, found[1].source)

    def _template(self, profile: Profile) -> Match | None:
        numbers = self._content.candidates(content_bands(profile))
        scores = {n: same_template(profile, self._entries[n].profile) for n in numbers}
        number = max(scores, key=lambda n: (scores[n], -n), default=None)
        if number is None or not scores[number]:
            return None
        return self._match(number, "template", scores[number])

    def _neighbour(self, prompt: str) -> Match | None:
        found = self._embeddings.nearest(prompt) if self._embeddings is not None else None
        return found and self._match(found[0], "embedding", found[1])

    def _match(self, number: int, kind: Kind, score: float) -> Match:
        entry = self._entries[number]
        return Match(entry.uid, kind, score, entry.prompt, entry.source)

    @classmethod
    def of(cls, tasks: Iterable[tuple[str, str, Any, str]], **settings: Any) -> Decontaminator:
        """An index of `(uid, prompt, answer, source)` tuples."""
        index = cls(**settings)
        for uid, prompt, answer, source in tasks:
            index.add(uid, prompt, answer, source)
        return index
