"""Unicode mathematics as LaTeX."""

from __future__ import annotations

import re
import unicodedata

_INVISIBLE = dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\u2061\u2062\u2063\ufe0e\ufe0f", "")
_SIGNS = {
    **dict.fromkeys("−‒–—―－﹣➖", "-"),
    **dict.fromkeys("×✕✖⨯", r"\times "),
    **dict.fromkeys("·⋅∙•‧", r"\cdot "),
    **dict.fromkeys("÷∕⁄／", "/"),
    **dict.fromkeys("≤⩽≦", r"\le "),
    **dict.fromkeys("≥⩾≧", r"\ge "),
    **dict.fromkeys("∅⌀", r"\emptyset "),
    **dict.fromkeys("°˚º", r"^\circ "),
    **dict.fromkeys("〈⟨", r"\langle "),
    **dict.fromkeys("〉⟩", r"\rangle "),
    **dict.fromkeys("…⋯", r"\ldots "),
    **dict.fromkeys("‘’′`´", "'"),
    **dict.fromkeys("“”", '"'),
    "≠": r"\neq ", "≈": r"\approx ", "≡": r"\equiv ", "±": r"\pm ", "∓": r"\mp ", "∞": r"\infty ",
    "∪": r"\cup ", "∩": r"\cap ", "∈": r"\in ", "∉": r"\notin ", "∖": r"\setminus ",
    "ℝ": r"\mathbb{R}", "ℤ": r"\mathbb{Z}", "ℕ": r"\mathbb{N}", "ℚ": r"\mathbb{Q}",
    "ℂ": r"\mathbb{C}", "∠": r"\angle ", "△": r"\triangle ", "∑": r"\sum ", "∏": r"\prod ",
    "∫": r"\int ", "⌊": r"\lfloor ", "⌋": r"\rfloor ", "⌈": r"\lceil ", "⌉": r"\rceil ",
    "∴": "", "⇒": r"\Rightarrow ", "→": r"\to ", "∣": "|", "∥": r"\parallel ", "⊥": r"\perp ",
    "″": "''", "ⅈ": "i", "ⅇ": "e", "ℯ": "e", "√": r"\sqrt ", "∛": r"\sqrt[3] ", "∜": r"\sqrt[4] ",
    "，": ", ", "；": "; ", "：": ": ", "。": ". ", "、": ", ",
}  # fmt: skip
_CAPITALS = (
    *("Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Phi", "Psi", "Omega"),
    *("phi", "theta", "epsilon"),
)
_GREEK = {
    chr(
        code
    ): f"\\{unicodedata.name(chr(code)).rsplit(' ', 1)[1].lower().replace('lamda', 'lambda')} "
    for code in range(0x3B1, 0x3CA)
    if code != 0x3C2
} | {
    letter: f"\\{name} "
    for letter, name in zip(
        "ΓΔΘΛΞΠΣΦΨΩϕϑϵ",
        _CAPITALS,
        strict=True,
    )
}
_TABLE = str.maketrans({**_INVISIBLE, **_SIGNS, **_GREEK})

_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱˣ", "0123456789+-=()nix")
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙᵢₓ", "0123456789+-=()nix")
_POWER = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱˣ]+")
_INDEX = re.compile("[₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙᵢₓ]+")
_VULGAR = re.compile("[¼-¾⅐-⅞↉]")
_OVERLINED = re.compile("((?:[0-9]\u0305)+)")
_ROOT = re.compile(r"(\\sqrt(?:\[\d\])?) (\d+(?:\.\d+)?)")


def latex_of(text: str) -> str:
    """`text` with every Unicode sign of mathematics written in LaTeX.

    Superscripts become exponents, vulgar fractions `\\frac`, roots take the number after them, and
    letters and digits of other widths and styles their plain form (NFKC).
    """
    if text.isascii():
        return text
    text = _POWER.sub(lambda m: f"^{{{m[0].translate(_RAISED)}}}", text)
    text = _INDEX.sub(lambda m: f"_{{{m[0].translate(_LOWERED)}}}", text)
    text = _VULGAR.sub(_fraction, text)
    text = _OVERLINED.sub(lambda m: f"\\overline{{{m[1].replace(chr(0x305), '')}}}", text)
    text = unicodedata.normalize("NFKC", text.translate(_TABLE)).translate(_TABLE)
    return _ROOT.sub(r"\1{\2}", text)


def _fraction(found: re.Match[str]) -> str:
    above, below = unicodedata.normalize("NFKC", found[0]).split("⁄")
    return f"\\frac{{{above}}}{{{below}}}"
