"""What a build found: counts and examples, as JSON and as Markdown."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

EXAMPLES = 3
SHOWN = 300
REASONS = {
    "invalid": "no prompt or answer that can be used",
    "length": "prompt too short or too long",
    "language": "written in another language",
    "contamination": "gives away a task of an evaluation set",
    "contradiction": "one prompt with answers that differ",
    "duplicate": "the same prompt and answer as an earlier task",
    "near-duplicate": "an earlier task in other words",
}
"""What each reason means, in the order of the steps."""


@dataclass(slots=True)
class BuildReport:
    """Counts over the records of a build; the same build gives the same report.

    `reasons` counts what was taken out by reason and `details` by reason and detail (how a task
    matched an evaluation set, which language); `sources` has the records of each source by reason,
    "" being those that were kept; `buckets` counts those by domain and level; `matched` counts
    contaminated tasks by evaluation set. `examples` has a few of each reason.
    """

    settings: dict[str, Any]
    records: int = 0
    kept: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    details: Counter[str] = field(default_factory=Counter)
    sources: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    buckets: Counter[str] = field(default_factory=Counter)
    matched: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, line: Mapping[str, Any]) -> None:
        """Count a record that stays or goes."""
        reason = line["reason"] or ""
        self.records += 1
        self.sources[line["where"].rpartition(":")[0]][reason] += 1
        if not reason:
            self.kept += 1
            self.buckets[" / ".join(filter(None, (line["domain"], line["level"]))) or "–"] += 1
            return
        self.reasons[reason] += 1
        if reason in ("contamination", "language"):
            self.details[f"{reason}: {line['detail']}"] += 1
        if reason == "contamination":
            self.matched[line["match_source"]] += 1
        if len(self.examples[reason]) < EXAMPLES:
            self.examples[reason].append(_example(line))

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> BuildReport:
        """The report that `as_json` told."""
        counts = {
            name: Counter(told[name]) for name in ("reasons", "details", "buckets", "matched")
        }
        sources = {name: Counter(found) for name, found in told["sources"].items()}
        return cls(**{**told, **counts, "sources": sources})

    def as_json(self) -> dict[str, Any]:
        """The report as JSON values, in the order of the steps."""
        told: dict[str, Any] = {part.name: getattr(self, part.name) for part in fields(self)}
        told["reasons"] = {name: self.reasons[name] for name in REASONS if self.reasons[name]}
        told["sources"] = {name: dict(counts) for name, counts in self.sources.items()}
        told["examples"] = {name: self.examples[name] for name in REASONS if name in self.examples}
        for name in ("details", "buckets", "matched"):
            told[name] = dict(sorted(told[name].items(), key=lambda item: (-item[1], item[0])))
        return told

    def as_markdown(self) -> str:
        """The report as a page."""
        parts = [
            "# Pool\n",
            f"{self.kept} of {self.records} records were kept.\n",
            _table(("taken out because", "records", "share"), self._reason_rows()),
            "## Sources\n",
            _table(("source", "records", "kept", *self._found()), self._source_rows()),
        ]
        if self.matched:
            parts += [
                "## Evaluation sets\n",
                _table(("set", "tasks given away"), _rows(self.matched)),
            ]
        if self.details:
            parts.append(_table(("how", "records"), _rows(self.details)))
        parts += ["## Kept\n", _table(("domain / level", "rows"), _rows(self.buckets))]
        parts += [part for reason in self._found() for part in self._example_part(reason)]
        return "\n".join(parts)

    def _found(self) -> list[str]:
        return [reason for reason in REASONS if self.reasons[reason]]

    def _reason_rows(self) -> list[tuple[str, ...]]:
        return [
            (f"{reason}: {REASONS[reason]}", str(count), f"{count / self.records:.2%}")
            for reason in self._found()
            for count in (self.reasons[reason],)
        ]

    def _source_rows(self) -> list[tuple[str, ...]]:
        return [
            (name, str(counts.total()), *(str(counts[r]) for r in ("", *self._found())))
            for name, counts in self.sources.items()
        ]

    def _example_part(self, reason: str) -> list[str]:
        lines = [f"## Examples: {reason}\n"]
        for example in self.examples[reason]:
            lines.append(f"- {example['where']}: {_quoted(example['prompt'])}")
            if example["detail"]:
                lines.append(f"  - {_quoted(example['detail'])}")
            if example["match_prompt"]:
                score = f" ({example['score']:.2f})"
                lines.append(
                    f"  - like {example['match_source']}{score}: {_quoted(example['match_prompt'])}"
                )
        return [*lines, ""]


def _example(line: Mapping[str, Any]) -> dict[str, Any]:
    told = {name: line[name] for name in ("where", "detail", "match_source", "score")}
    told["prompt"] = (line["prompt"] or line["record"] or "")[:SHOWN]
    told["match_prompt"] = (line["match_prompt"] or "")[:SHOWN]
    return told


def _quoted(text: str) -> str:
    """Text from a dataset, as a line of code: nothing in it is Markdown."""
    folded = " ".join(text.split())
    fence = "`" * (1 + max((len(run) for run in _runs_of_ticks(folded)), default=0))
    return f"{fence} {folded} {fence}"


def _runs_of_ticks(text: str) -> list[str]:
    return [run for run in "".join(c if c == "`" else " " for c in text).split() if run]


def _rows(counts: Counter[str]) -> list[tuple[str, ...]]:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [(name, str(count)) for name, count in ordered]


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ("---",) + ("---:",) * (len(head) - 1), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
