"""One spelling for one prompt: LaTeX, Unicode and number formats folded into plain tokens."""

from __future__ import annotations

import re
import unicodedata

_SIGN_TABLE = """
× * · * ⋅ * ∗ * ✕ * − - – - — - ‒ - ÷ / ⁄ / ∕ / ≤ <= ⩽ <= ≥ >= ⩾ >= ≠ != ± +- ’ ' ′ '
√ sqrt ∛ cbrt ∞ infinity ° degrees ∠ angle △ triangle Δ triangle ∫ int ∑ sum ∏ prod ∈ in ∪ cup
∩ cap → to ≈ approx ≡ equiv ∥ parallel ⊥ perp … ...
"""
_COMMAND_TABLE = """
times * cdot * ast * leq <= le <= leqslant <= geq >= ge >= geqslant >= ne != neq != div / over /
infty infinity circ degrees degree degrees rightarrow to longrightarrow to pm +- lt < gt > mid |
vert |
"""
_DROPPED_TABLE = """
left right big bigg bigl bigr text textbf textit texttt mathrm mathbf mathbb mathcal mathit
operatorname displaystyle quad qquad limits nolimits dots ldots cdots rm bf it hspace vspace boxed
mbox
"""


def _pairs(table: str) -> dict[str, str]:
    words = table.split()
    spaced = (f" {word} " if word.isalpha() else word for word in words[1::2])
    return dict(zip(words[::2], spaced, strict=True))


_SIGNS, _COMMANDS = _pairs(_SIGN_TABLE), _pairs(_COMMAND_TABLE)
_DROPPED = frozenset(_DROPPED_TABLE.split())
_FRACTION = re.compile(r"\\[dtc]?frac\s*(\d)\s*(\d)(?!\d)")
_ROOT = re.compile(r"\\sqrt\s*\[3\]")
_BRACED_ROOT = re.compile(r"\\[dtc]?frac\b")
_BETWEEN = re.compile(r"\}\s*\{")
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\s*\{[^}]*\}")
_COMMAND = re.compile(r"\\([A-Za-z]+)|\\(.)", re.DOTALL)
_THOUSANDS = re.compile(r"(?<=\d)(?:\{,\}|,|\\,|\\!)(?=\d{3}(?!\d))")
_DEGREES = re.compile(r"\^\s*\{?\s*\\circ\s*\}?")
_HYPHEN = re.compile(r"(?<=[^\W\d])-(?=[^\W\d])")
_GROUPING = re.compile(r"[{}$()\[\]_~]")
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_TOKEN = re.compile(
    rf"\d+(?:\.\d+)?|[{_CJK}]|[^\W\d_{_CJK}]+(?:'[^\W\d_{_CJK}]+)?|<=|>=|!=|[-+*/^=<>%|!]"
)
_SCRIPTS = {
    ord(letter): digit
    for letters, digit in (("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ", "0123456789+-n"),)
    for letter, digit in zip(letters, digit, strict=True)
}
_RAISED = re.compile(f"[{''.join(map(chr, _SCRIPTS))}]+")


def tokens_of(text: str) -> list[str]:
    """The tokens of a prompt: words in lower case, numbers, operators; a letter each of Chinese,
    Japanese and Korean. The same formula in LaTeX and in Unicode gives the same tokens."""
    return [_plain_number(token) for token in _TOKEN.findall(plain(text))]


def plain(text: str) -> str:
    """The prompt in lower case without LaTeX or special signs."""
    if not text.isascii():
        text = _RAISED.sub(lambda found: "^" + found[0].translate(_SCRIPTS), text)
        text = unicodedata.normalize("NFKC", "".join(_SIGNS.get(sign, sign) for sign in text))
        text = "".join(_named(sign) for sign in text)
    text = _THOUSANDS.sub("", text)
    if "\\" in text:
        text = _without_latex(text)
    return _HYPHEN.sub(" ", _GROUPING.sub(" ", text).lower())


def _named(sign: str) -> str:
    """A Greek letter by its name; another sign as it is."""
    if not "Ͱ" <= sign <= "Ͽ":
        return _SIGNS.get(sign, sign)
    name = unicodedata.name(sign, "").split()
    return f" {name[-1].lower()} " if name[:1] == ["GREEK"] else sign


def _without_latex(text: str) -> str:
    text = _ENVIRONMENT.sub(" ", _DEGREES.sub(" degrees ", text))
    text = _FRACTION.sub(r" \1/\2 ", text)
    if _BRACED_ROOT.search(text):
        text = _BRACED_ROOT.sub(" ", _BETWEEN.sub("}/{", text))
    return _COMMAND.sub(_command, _ROOT.sub(" cbrt ", text))


def _command(found: re.Match[str]) -> str:
    name = found[1]
    if name is None:
        return found[2] if found[2] in "%|" else " "
    if name.lower() in _DROPPED:
        return " "
    return _COMMANDS.get(name, f" {name.removeprefix('var')} ")


def _plain_number(token: str) -> str:
    if not token[0].isdigit():
        return token.removesuffix("'s")
    whole, dot, rest = token.partition(".")
    rest = rest.rstrip("0")
    return f"{whole.lstrip('0') or '0'}{dot if rest else ''}{rest}"
