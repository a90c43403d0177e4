"""Answers in words: letters of choices, names, yes and no, times of day."""

from __future__ import annotations

import re

_TEXT = re.compile(r"\\text\s*\{([^{}]*)\}")
_CHOICE = re.compile(
    r"(?:(?:option|choice|answer)\s*:?\s*)?"
    r"(?:[(\[{]\s*([A-Ja-j])\s*[)\]}]|([A-J])|([a-e])(?=[).:]))(?P<rest>(?:\s*[).:]|\s*$|(?<=[)\]}])).*)",
    re.DOTALL | re.IGNORECASE,
)
_OTHER_CHOICE = re.compile(
    r"(?<![A-Za-z])\(?[A-J][).:](?![A-Za-z])|^[\s).:=,;/]*\(?[A-J]\)?\W*$"
    r"|(?:\b(?:or|and|nor)\b|[,/&=])\s*\(?[A-J]\)?\W*$"
)
_ARTICLES = {"a", "an", "the"}
_SAME = {
    "none": "no solution", "no solutions": "no solution", "no real solutions": "no real solution",
    "there is no solution": "no solution", "there are no solutions": "no solution",
    "empty set": "no solution", "dne": "does not exist", "infinity": "infinite",
    "infinitely many solutions": "infinitely many", "indeterminate": "undefined",
}  # fmt: skip
COUNTS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
]
_NUMBER = {word: str(value) for value, word in enumerate(COUNTS)}
_TIME = re.compile(
    r"(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(?:([ap])\.?\s?m\.?)?(?:\s*o'clock)?", re.IGNORECASE
)
_OCLOCK = re.compile(r"(\d{1,2})\s*([ap])\.?\s?m\.?", re.IGNORECASE)


def plain(text: str) -> str:
    """`text` without the marks of LaTeX around words."""
    text = re.sub(r"\\(?:land|lor)(?![A-Za-z])", " and ", _TEXT.sub(r" \1 ", text))
    return " ".join(text.replace("\\%", "%").split())


def choice(text: str) -> str | None:
    """The one letter, in upper case, of a multiple choice: `A`, `(a)`, `B. Paris`, `C) 12`."""
    found = _CHOICE.fullmatch(plain(text))
    if found is None:
        return None
    return (
        None
        if _OTHER_CHOICE.search(found["rest"][1:])
        else next(letter for letter in found.groups()[:3] if letter).upper()
    )


def is_choice(gold: str) -> bool:
    """Whether a gold answer is a bare letter of a multiple choice."""
    return re.fullmatch(r"\(?[A-J]\)?\.?", plain(gold).replace(" ", "")) is not None


def spoken(text: str) -> str | None:
    """`text` as lower-case words, when it is words rather than a formula; None otherwise.

    Without `\\text`, three letters or more are needed, as `ab` is a product.
    """
    words = plain(text)
    if not re.fullmatch(r"[^\W\d_][\w\s,.'’\"()&!/:-]*", words) or "\\" in words:
        return None
    longest = max((len(run) for run in re.findall(r"[^\W\d_]+", words)), default=0)
    if longest < 3 and _TEXT.search(text) is None and words.lower() not in ("no", "up"):
        return None
    if (
        words.isupper()
        and longest <= 4
        and words.lower() not in ("yes", "no", "true", "odd", "even", "none", "dne")
    ):
        return None
    return folded(words)


def folded(words: str) -> str:
    """Lower case, one space, neither punctuation nor articles, synonyms as one."""
    kept = [w for w in re.findall(r"[\w']+", words.lower().replace("’", "'")) if w not in _ARTICLES]
    joined = " ".join(kept)
    return _SAME.get(joined, joined)


def numeral(text: str) -> str:
    """`five apples` as `5 apples`, `minus five` as `-5`."""
    first, _, rest = plain(text).partition(" ")
    if first.lower() in ("minus", "negative") and re.match(r"\d|\\|[A-Za-z]+$", rest):
        return f"-{numeral(rest)}"
    value = _NUMBER.get(first.lower())
    return text if value is None else f"{value} {rest}".strip()


def minutes(text: str) -> tuple[int, bool] | None:
    """A time of day in seconds since midnight, and whether morning and afternoon are told apart."""
    text = plain(text)
    found, hour_only = _TIME.fullmatch(text), _OCLOCK.fullmatch(text)
    if found is not None:
        hour, minute, second, half = int(found[1]), int(found[2]), int(found[3] or 0), found[4]
    elif hour_only is not None:
        hour, minute, second, half = int(hour_only[1]), 0, 0, hour_only[2]
    else:
        return None
    if hour > 23 or minute > 59 or second > 59 or (half and not 1 <= hour <= 12):
        return None
    if half:
        hour = hour % 12 + 12 * (half.lower() == "p")
    return hour * 3600 + minute * 60 + second, bool(half) or hour > 12 or hour == 0
