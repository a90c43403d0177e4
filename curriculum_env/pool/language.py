"""The language a prompt is written in, as far as its words tell."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import Any

from curriculum_env.errors import ConfigError

_FORMULA = re.compile(
    r"\$\$.*?\$\$|\$.*?\$|\\\(.*?\\\)|\\\[.*?\\\]|```.*?```|\\[A-Za-z]+|[A-Za-z]*[\d=^_{}\\]\S*",
    re.DOTALL,
)
_SCRIPTS = (
    ("ja", "\u3040", "\u30ff"),
    ("ko", "\uac00", "\ud7af"),
    ("zh", "\u3400", "\u9fff"),
)
LETTERS = 40
"""Fewer letters outside formulas tell no language."""
SURE = 0.5


def language_of(text: str) -> str:
    """The ISO 639-1 code of the language, empty where it cannot be told.

    Chinese, Japanese and Korean are known by their script; other languages by py3langid, from
    `LETTERS` letters outside formulas on, where it is surer than `SURE`.

    Raises:
        ConfigError: py3langid is not installed.
    """
    words = _FORMULA.sub(" ", text)
    letters = Counter(filter(None, map(_script, filter(str.isalpha, words))))
    for code, _, _ in _SCRIPTS:
        if letters[code] >= max(2, 0.2 * letters.total()):
            return code
    if letters.total() < LETTERS:
        return ""
    language, confidence = _identifier().classify(words)
    return str(language) if confidence >= SURE else ""


def _script(letter: str) -> str:
    return next((code for code, low, high in _SCRIPTS if low <= letter <= high), "other")


def check_languages(codes: tuple[str, ...]) -> None:
    """Raise ConfigError where one of `codes` is no language that can be told."""
    known = set(_identifier().labels) if codes else set()
    for code in codes:
        if code not in known:
            raise ConfigError(
                f"{code!r} is no language that can be told; expected ISO 639 codes such as en, zh, "
                "fr, ru"
            )


@cache
def _identifier() -> Any:
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier
    except ImportError as error:
        raise ConfigError(
            "languages are told by py3langid, which is missing: "
            "pip install 'curriculum-env[language]'"
        ) from error
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
