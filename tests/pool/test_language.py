from __future__ import annotations

import sys

import pytest

from curriculum_env.errors import ConfigError
from curriculum_env.pool.language import _identifier, check_languages, language_of
from tests.pool.labelled import SHORT, TASKS


def test_english_tasks_are_never_taken_for_another_language() -> None:
    texts = [task.text for task in TASKS] + [text for text, _, _ in SHORT]
    told = [language_of(text) for text in texts]
    assert set(told) <= {"en", ""}
    assert told.count("en") >= 0.8 * len(TASKS)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("求方程 $x^2-5x+6=0$ 的所有实数根", "zh"),
        ("太郎は りんごを 3 個 買いました", "ja"),
        ("사과 다섯 개와 배 두 개가 있습니다", "ko"),
        ("Soit un entier naturel quelconque; montrer que son carré reste toujours pair.", "fr"),
        ("Сколько яблок осталось у мальчика после того как он отдал половину другу?", "ru"),
        ("$x^2+3x+2=0$", ""),
        ("Find x.", ""),
        ("Let $f: \\mathbb{R} \\to \\mathbb{R}$ be $f(x) = 2x$.", ""),
    ],
)
def test_languages(text: str, language: str) -> None:
    assert language_of(text) == language


def test_unknown_codes_and_a_missing_library(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="'xx' is no language"):
        check_languages(("en", "xx"))
    _identifier.cache_clear()
    monkeypatch.setitem(sys.modules, "py3langid.langid", None)
    with pytest.raises(ConfigError, match=r"curriculum-env\[language\]"):
        check_languages(("en",))
    check_languages(())
