"""Units of measurement: which there are, and what one is worth in terms of another.

A unit nobody knows (`apples`) is a dimension of its own; `units` means nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

_TABLE = """
length: m meter metre | km kilometer kilometre 1000 | cm centimeter centimetre 1/100
length: mm millimeter millimetre 1/1000 | in inch inches 127/5000 | ft foot feet 381/1250
length: yd yard 1143/1250 | mi mile 1609344/1000 | nm nanometer 1/1000000000
mass: kg kilogram 1000 | g gram gm 1 | mg milligram 1/1000 | lb lbs pound 45359237/100000
mass: oz ounce 45359237/1600000 | tonne 1000000 | ton 907184740/1000
time: s sec second 1 | min minute 60 | h hr hour 3600 | day 86400 | week 604800
time: ms millisecond 1/1000
calendar: month 1 | year yr 12
volume: l liter litre 1 | ml milliliter millilitre 1/1000 | gal gallon 473176473/125000000
dollar: dollar usd buck 1 | cent 1/100
euro: euro eur € 1
sterling: gbp £ 1 | pence 1/100
yen: yen jpy ¥ 1
rupee: rupee rs inr ₹ 1
won: won krw ₩ 1
yuan: yuan rmb cny 1
angle: degree deg ^\\circ 1 | arcminute 1/60
radian: radian rad 1
celsius: celsius ^\\circC °C 1
fahrenheit: fahrenheit ^\\circF °F 1
kelvin: kelvin 1
current: a amp ampere 1
voltage: v volt 1
power: w watt 1 | kw kilowatt 1000
energy: j joule 1 | kj kilojoule 1000 | cal calorie 4184/1000 | kwh 3600000
force: n newton 1
frequency: hz hertz 1 | khz 1000 | mhz 1000000
amount: mol mole 1
pressure: pa pascal 1 | kpa 1000 | atm 101325
resistance: ohm 1
"""
_SHORT = {"m", "g", "s", "h", "l", "a", "v", "w", "j", "n", "in", "min", "day", "cal", "pa", "won"}
_COMPOUND = {"mph": "mi/h", "kph": "km/h", "kmh": "km/h", "sqft": "ft^2", "cc": "cm^3"}
_EMPTY = {"unit", "number", "answer", "total", "approximately", "exactly", "of", "the", "in", "a"}

# Words after a number that change what it says, or that there is more to come.
_TELLING_WORDS = """
or and not no nor is isn't isnt was are be wrong incorrect false but maybe perhaps possibly
probably either neither if else unless instead though although however except versus vs
squared cubed factorial times plus minus over divided multiplied more less than percent
halves thirds fourths quarters fifths sixths sevenths eighths ninths tenths hundredths tens
ones hundreds thousands millions billions score below negative choose root pi modulo mod
base power half third quarter dozen hundred thousand million billion trillion guess unsure
unknown depends wait actually could might may should can cannot think believe then to
point too large larger small smaller bigger greater higher lower fewer
through between from equals equal both also because since so
"""
_TELLING = frozenset(_TELLING_WORDS.split())
_FACTORS = {"dozen": 12, "hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9,
            "trillion": 10**12}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unit:
    """Dimensions with their powers, and how much of the base one of it is."""

    dimensions: frozenset[tuple[str, int]]
    factor: Fraction = Fraction(1)

    @property
    def angle(self) -> bool:
        """Whether it is a plane angle in degrees."""
        return self.dimensions == {("angle", 1)}


def _table() -> dict[str, tuple[str, Fraction]]:
    known = {}
    for line in _TABLE.strip().splitlines():
        dimension, _, entries = line.partition(":")
        for entry in entries.split("|"):
            *names, last = entry.split()
            factor = Fraction(last) if last[0].isdigit() else Fraction(1)
            for name in names if last[0].isdigit() else [*names, last]:
                known[name] = (dimension, factor)
    return known


_KNOWN = _table()
_SUPERSCRIPT = re.compile(r"\^\s*\{?\s*(-?\d)\s*\}?")
_WORDS = re.compile(r"\^\\circ\s?[CF]?|[A-Za-z€£¥₹₩°Ωµ']+|\^-?\d|[/*]|\S")


def multiplier(word: str) -> int | None:
    """What `million` and its like multiply by."""
    return _FACTORS.get(word.lower())


def known(word: str) -> bool:
    """Whether a bare `word` after a number is a unit and cannot be a product of variables."""
    word = word.lower()
    return (
        word in _COMPOUND
        or word in ("sq", "square", "cu", "cubic")
        or (_known(word) is not None and word not in _SHORT)
    )


def measured(word: str) -> bool:
    """Whether `word` is in the table."""
    return _known(word.lower()) is not None


def unit(text: str) -> Unit | None:
    """The unit that `text` (no number, no `\\text`) names; None when it is no unit."""
    text = re.sub(r"[{}\\](?!circ)|\\cdot|\\,", " ", text) if "circ" not in text else text
    text = _SUPERSCRIPT.sub(r"^\1", text).replace("·", "*").strip(" .,")
    dimensions: Counter[str] = Counter()
    factor, sign, upcoming = Fraction(1), 1, 1
    last: tuple[str, Fraction, int] | None = None
    for word in _WORDS.findall(text):
        lowered = word.lower()
        if lowered in ("/", "per"):
            sign, last = -1, None
        elif lowered in ("square", "sq", "cubic", "cu"):
            upcoming = 3 if lowered.startswith("cu") else 2
        elif lowered in ("squared", "cubed") or re.fullmatch(r"\^-?\d", word):
            if last is None:
                return None
            power = {"squared": 2, "cubed": 3}.get(lowered) or int(word[1:])
            name, size, had = last
            dimensions[name] += had * (power - 1)
            factor *= size ** (had * (power - 1))
        elif word == "*" or lowered.rstrip("s") in _EMPTY or lowered in _EMPTY:
            continue
        else:
            if lowered in _TELLING or not re.fullmatch(
                r"\^\\circ\s?[CF]?|[^\W\d_]+'?[^\W\d_]*|[€£¥₹₩]", word
            ):
                return None
            for name, size, power in _parts(word.replace(" ", ""), lowered):
                dimensions[name] += sign * power * upcoming
                factor *= size ** (sign * power * upcoming)
                last = (name, size, sign)
            upcoming = 1
    return Unit(frozenset((name, power) for name, power in dimensions.items() if power), factor)


def _parts(word: str, lowered: str) -> list[tuple[str, Fraction, int]]:
    """What a single word stands for, in known dimensions; an unknown word for itself."""
    if lowered in _COMPOUND:
        above, slash, below = _COMPOUND[lowered].partition("/")
        above, _, power = above.partition("^")
        first = (*_KNOWN[above], int(power or 1))
        return [first, (*_KNOWN[below], -1)] if slash else [first]
    found = _KNOWN.get(word) or _known(lowered)
    return [(*found, 1)] if found else [(lowered.removesuffix("s"), Fraction(1), 1)]


def _known(word: str) -> tuple[str, Fraction] | None:
    return (
        _KNOWN.get(word)
        or _KNOWN.get(word.removesuffix("s"))
        or _KNOWN.get(word.removesuffix("es"))
    )
