"""What is kept for evaluation, and whether a variant gives it away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from curriculum_env.augment.attempt import attempt
from curriculum_env.augment.hooks import AugmentHooks, answers_of
from curriculum_env.pool.contamination import Decontaminator
from curriculum_env.pool.similar import Match
from curriculum_env.types import Row

FORM = ("13-gram", "template")


@dataclass(slots=True)
class Evaluation:
    """Two indexes: `held_out` of the environment's own evaluation split, and `sets` of others.

    Every variant is compared with both, its parents may be what they like. Tasks of one dataset
    share its form: a run of 13 words, or the same words with other numbers. So of the environment's
    own split such a match counts only where the variant's parent has none of that kind itself; of
    other sets it always counts.
    """

    held_out: Decontaminator = field(default_factory=Decontaminator)
    sets: Decontaminator = field(default_factory=Decontaminator)

    @classmethod
    def of(cls, hooks: AugmentHooks, rows: Iterable[Row]) -> Evaluation:
        """The evaluation split `rows`, and no other set. A row whose problem cannot be read (a
        picture, for example) cannot be given away by a text."""
        made = cls()
        for row in rows:
            text = attempt(lambda row=row: hooks.augment_text(row))  # type: ignore[misc]
            if isinstance(text, str):
                made.held_out.add(row.uid, text, answers_of(row) or None)
        return made

    def match(self, text: str, original: str, answers: Sequence[str] | None = None) -> Match | None:
        """The evaluation task that a variant of `original` gives away."""
        found = self.held_out.match(text, answers)
        if found is not None and found.kind in FORM:
            before = self.held_out.match(original)
            found = None if before is not None and before.kind == found.kind else found
        return found or self.sets.match(text, answers)

    def same(self, text: str) -> Match | None:
        """The task of the environment's own split that `text` is, or the task of another set that
        it gives away."""
        found = self.held_out.match(text)
        return found if found is not None and found.kind == "exact" else self.sets.match(text)
