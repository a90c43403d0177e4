"""An expression with what stands around it: a unit, a percent sign, a sign of money, `million`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from curriculum_env.rubrics.math.units import Unit, known, measured, multiplier, unit

_MONEY = {"\\$": "dollar", "€": "euro", "£": "gbp", "¥": "yen", "₹": "rupee", "₩": "won"}
_PREFIX = re.compile(
    r"(?P<sign>[-+]?\s*)(?:US|us)?\s*(?P<money>\\\$|[€£¥₹₩])\s*(?P<rest>.*)", re.DOTALL
)
_PERCENT = re.compile(
    r"(.*?)\s*(?:\\?%|(?:\\text\{\s*)?\b(?:percent|per cent|pct)\b\.?(?:\s*\}|$))\s*", re.DOTALL
)
_TEXT_UNIT = re.compile(
    r"(?P<value>.*?[\d})\]\w!])\s*(?P<unit>(?:/?\s*\\text\{[^{}]*\}(?:\s*\^\s*(?:\{\s*-?\d\s*\}|\d))?\s*)+)",
    re.DOTALL,
)
_DEGREES = re.compile(
    r"(?P<value>.*?[\d})])\s*(?P<unit>\^\\circ\s*(?:\\text\{\s*[CF]\s*\}|[CF])?)", re.DOTALL
)
_FUNCTION = re.compile(r"\\(?:sin|cos|tan|cot|sec|csc)(?![A-Za-z])")
_RATE = re.compile(
    r"(?P<value>.*?[\d})])\s*\\frac\{\s*(?:\\text\{)?\s*([A-Za-z]+)\s*\}?\s*\}"
    r"\{\s*(?:\\text\{)?\s*([A-Za-z]+)\s*\}?\s*(\^\{?\d\}?)?\s*\}",
    re.DOTALL,
)
_BARE_UNIT = re.compile(
    r"(?P<value>.*?[\d})])(?P<gap>\s*)"
    r"(?P<unit>[A-Za-z€£¥₹][A-Za-z'/. ]*(?:\s*\^\s*(?:\{\s*\d\s*\}|\d))?"
    r"(?:\s*/\s*[A-Za-z ]+(?:\^\{?\d\}?)?)?)",
    re.DOTALL,
)
_LEADING = re.compile(
    r"(?:\\text\{\s*)?(?:exactly|just|only|a total of|total of|equal to|equals|is)\s*\}?"
    r"\s*(?=[-\d\\(])",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """`text` is a bare expression; the value is `text * factor`, in `unit`, or percent of one."""

    text: str
    unit: Unit | None = None
    percent: bool = False
    factor: int = 1


@lru_cache(maxsize=4096)
def quantity(text: str) -> Quantity:
    """`text`, a tidy one, taken apart; what is no unit stays with the expression."""
    text = _LEADING.sub("", text.strip(), count=1)
    if found := _PERCENT.fullmatch(text):
        return Quantity(found[1].strip(), percent=True)
    if found := _PREFIX.fullmatch(text):
        rest = quantity(found["rest"])
        return Quantity(
            found["sign"].strip() + rest.text, rest.unit or unit(_MONEY[found["money"]]),
            rest.percent, rest.factor,
        )  # fmt: skip
    return _suffixed(text) or Quantity(text)


def _suffixed(text: str) -> Quantity | None:
    if (found := _DEGREES.fullmatch(text)) and not _FUNCTION.search(found["value"]):
        name = re.sub(r"\\text|[{}\s]", "", found["unit"])
        return Quantity(found["value"].strip(), unit(name))
    if (found := _RATE.fullmatch(text)) and measured(found[2]) and measured(found[3]):
        return _with_unit(found["value"], f"{found[2]}/{found[3]}{found[4] or ''}")
    if found := _TEXT_UNIT.fullmatch(text):
        name = re.sub(r"\\text\{([^{}]*)\}", r" \1 ", found["unit"])
        return _with_unit(found["value"], name)
    if (found := _BARE_UNIT.fullmatch(text)) and _is_unit(
        found["value"], found["gap"], found["unit"]
    ):
        return _with_unit(found["value"], found["unit"])
    return None


def _with_unit(value: str, name: str) -> Quantity | None:
    """The unit `name`, after `million` and its like have been taken from it."""
    factor, words = 1, name.split()
    while words and (size := multiplier(words[0].strip(".,"))) is not None:
        factor *= size
        words = words[1:]
    found = unit(" ".join(words)) if words else Unit(frozenset())
    if found is None or len(words) > 6:
        return None
    return Quantity(value.strip(), found if found.dimensions else None, factor=factor)


def _is_unit(value: str, gap: str, name: str) -> bool:
    """Whether bare letters after a number are a unit rather than variables.

    One or two letters are variables unless they are a known unit apart from the number (`5 m`) or
    one that nobody takes for a product (`5cm`).
    """
    first = re.split(r"[\s/^.]", name.strip())[0]
    if known(first) or multiplier(first) is not None:
        return True
    spoken = bool(gap) and bool(re.fullmatch(r"[-\s\d.,/]*|.*[\d}]", value, re.DOTALL))
    if len(first) <= 2:
        return spoken and unit(first) is not None and _is_short(first)
    return spoken and name[0].isalpha() and re.search(r"\\[A-Za-z]+\s*$", value) is None


def _is_short(word: str) -> bool:
    return word in {"m", "g", "s", "h", "l", "L", "A", "V", "W", "J", "N", "Pa"}
