"""One spelling for the many ways to write the same LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable

from curriculum_env.rubrics.math.scan import argument
from curriculum_env.rubrics.math.unicode import latex_of

FUNCTIONS = (
    "arcsin|arccos|arctan|arccot|arcsec|arccsc|sinh|cosh|tanh|coth|sin|cos|tan|cot|sec|csc|ln|log|"
    "exp|det|gcd|lcm|max|min|sup|inf|arg|deg|dim|ker|sqrt"
)
_NAMES = f"{FUNCTIONS}|pi|theta|alpha|beta|gamma|lambda|sigma|omega|infinity|infty|cup|cap"
_FONT = re.compile(
    r"\\(text(?:rm|bf|it|sf|tt|sc|normal|up)?|math(?:rm|bf|it|sf|tt|normal|ds)|operatorname\*?|mbox|"
    r"hbox|emph|boldsymbol|bm|pmb|rm|bf|it|underline|textcolor\{\w+\}|color\{\w+\})\s*\{([^{}]*)\}"
)
_OLD_FONT = re.compile(r"\{\s*\\(?:rm|bf|it|sf|tt)\s+([^{}]*)\}")
_VERBATIM = re.compile(r"\\text\{[^{}]*\}")
_AMBIGUOUS = "min|max|sec|deg|arg|dim|ker|sup|inf"  # units and words, unless they are applied
_WORD = re.compile(
    rf"(?<![\\A-Za-z])(?!(?:{_AMBIGUOUS})(?!\s*[({{\\])(?![A-Za-z]))({_NAMES})(?![A-Za-z])",
    re.IGNORECASE,
)

_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\\(?:begin|end)\{(?:align|equation|aligned|gather|math|displaymath)\*?\}", " "),
        (r"\\(?:left|right|middle)\s*\.", " "),
        (r"\\(?:left|right|middle|[bB]igg?[lrm]?)(?![A-Za-z])", ""),
        (r"\\(?:displaystyle|textstyle|scriptstyle|limits|nolimits|allowbreak|hfill|par)\b", " "),
        (r"\\(?:boxed|fbox|therefore|because)(?![A-Za-z])", " "),
        (r"\\(?:mathrm|mathbf|mathit|mathsf|rm|bf|it)(?:\s+|(?=\d))(?=\w)", ""),
        (r"\\(?:hspace|vspace|phantom|hphantom|label|tag)\*?\{[^{}]*\}", " "),
        (r"(?<!\\)\\[()\[\]]", " "),
        (r"\{([:=<>+-])\}", r"\1"),
        (r"\\[dtc]frac(?![A-Za-z])", r"\\frac"),
        (r"\\[dt]binom(?![A-Za-z])", r"\\binom"),
        (r"\\(?:leqslant|leqq|leq|le)(?![A-Za-z])|<=|=<", r"\\le "),
        (r"\\(?:geqslant|geqq|geq|ge)(?![A-Za-z])|>=", r"\\ge "),
        (r"\\(?:neq|ne|not\s*=)(?![A-Za-z])|!=(?=\s*-?[\w\\])", r"\\neq "),
        (r"\\lt(?![A-Za-z])", "<"),
        (r"\\gt(?![A-Za-z])", ">"),
        (r"\\(?:lbrace|lbrack)(?![A-Za-z])", r"\\{"),
        (r"\\(?:rbrace|rbrack)(?![A-Za-z])", r"\\}"),
        (r"\\(?:lvert|rvert|vert|mid)(?![A-Za-z])", "|"),
        (r"\\(?:dots[bcimo]?|cdots|ldots|hdots)(?![A-Za-z])|(?<!\.)\.\.\.(?!\.)", r"\\ldots "),
        (r"\\(?:varnothing|emptyset|O)(?![A-Za-z])|\\\{\s*\\\}", r"\\emptyset "),
        (r"\\(?:setminus|smallsetminus|backslash)(?![A-Za-z])", r"\\setminus "),
        (r"\\mathbb\s+([A-Z])", r"\\mathbb{\1}"),
        (r"\\(?:R|reals|Reals)(?![A-Za-z])", r"\\mathbb{R}"),
        (r"\\var(phi|epsilon|theta|rho|sigma)(?![A-Za-z])", r"\\\1 "),
        (r"\\(?:degree|degrees)(?![A-Za-z])|\^\s*\{?\s*\\circ\s*\}?", r"^\\circ "),
        (r"\\prime(?![A-Za-z])", "'"),
        (r"\^\s*\{?\s*('+)\s*\}?", r"\1"),
        (r"\\(?:implies|Longrightarrow|Leftrightarrow|iff)(?![A-Za-z])|=>", r"\\Rightarrow "),
        (r"\\(?:tg|tan)(?![A-Za-z])", r"\\tan "),
        (r"\\(?:ctg|cotan)(?![A-Za-z])", r"\\cot "),
        (r"\\lg(?![A-Za-z])", r"\\log_{10}"),
        (r"\\(?:simeq|sim|doteq|approxeq)(?![A-Za-z])|(?<![\w\\])~(?=\s*[\d$])", r"\\approx "),
        (r"\\(?:lor|vee)(?![A-Za-z])|\\text\{\s*,?\s*or\s*\}", r" \\lor "),
        (r"\\(?:land|wedge)(?![A-Za-z])|\\text\{\s*,?\s*(?:and|und)\s*\}", r" \\land "),
    )
)
_SPACES = re.compile(
    r"(?<!\\)\\(?:[,;:!> ]|(?:q?quad|thinspace|medspace|thickspace|enspace|nbsp)(?![A-Za-z]))|~"
)
_AFTER: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"(?<=[\w)}])\s*\*\*\s*(?=[-\w(])", "^"),
        (r"(?<![A-Za-z\\])(?:,\s*)?or(?![A-Za-z])", r" \\lor "),
        (r"(?<![A-Za-z\\])(?:,\s*)?(?:and|und)(?![A-Za-z])", r" \\land "),
        (r"\\log_\s*(\d)\s*(\d+)", r"\\log_{\1}{\2}"),
        (r"([\^_])\s*([-+]?\d{2,}|[-+]\d|[-+][A-Za-z])(?![\d.])", r"\1{\2}"),
        (r"\s+", " "),
    )
)


def tidy(text: str) -> str:
    """`text` in one spelling: no delimiters, sizes, fonts or spacing commands, arguments in braces.

    `\\text{...}` stays around words and around letters that may be units. A dollar sign that
    stands for money is written `\\$`.
    """
    text = _dollars(latex_of(text))
    if r"\begin" not in text:
        text = re.sub(r"\\\\(?=[A-Za-z])", r"\\", text)
    text = _fonts(text)
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    text = _outside(text, _SPACES, " ")
    text = _outside(text, _WORD, _command)
    text = _arguments(text)
    for pattern, replacement in _AFTER:
        text = _outside(text, pattern, replacement)
    return re.sub(r"\\+$", "", _powers(text).strip()).strip()


def _dollars(text: str) -> str:
    """Delimiters taken away; the dollars of an amount kept."""
    bare = re.findall(r"(?<!\\)\$", text)
    if len(bare) == 1:
        return text.replace("$", r"\$")
    return re.sub(r"(?<!\\)\$", " ", text) if bare else text


def _fonts(text: str) -> str:
    text = _OLD_FONT.sub(r"\\text{\1}", text)
    for _ in range(4):
        text, changes = _FONT.subn(_font, text)
        if not changes:
            break
    return text.replace("\\\x00", "\\text{")


def _font(found: re.Match[str]) -> str:
    """Words stay text; numbers, formulas and single letters in a mathematical font do not."""
    font, inside = found[1], found[2].strip()
    if re.fullmatch(rf"(?:{FUNCTIONS})", inside):
        return f"\\{inside} "
    if "\\" in inside or not re.search(r"[^\W\d_]", inside):
        return f" {inside} "
    if re.fullmatch(r"[A-Za-z]('|_\w)?", inside):
        symbol = not font.startswith(("text", "mathrm", "mbox", "hbox", "rm")) or inside in "ei"
        if symbol or not re.search(r"[\d})]\s*(?:\\[,; ]|~)*\s*$", found.string[: found.start()]):
            return f" {inside} "
    return f"\\\x00{found[2]}}}"


def _outside(
    text: str, pattern: re.Pattern[str], replacement: str | Callable[[re.Match[str]], str]
) -> str:
    """Replace where no `\\text` holds."""
    if r"\text{" not in text:
        return pattern.sub(replacement, text)
    kept = _VERBATIM.findall(text)
    plain = [pattern.sub(replacement, part) for part in _VERBATIM.split(text)]
    return plain[0] + "".join(f"{a}{b}" for a, b in zip(kept, plain[1:], strict=True))


def _command(found: re.Match[str]) -> str:
    name = found[1].lower()
    return f"\\{'infty' if name in ('inf', 'infinity') else name} "


# --- arguments -------------------------------------------------------------------------------
_TAKES = re.compile(r"\\(frac|binom|sqrt)(?![A-Za-z])")


def _arguments(text: str, level: int = 0) -> str:
    """Braces around every argument of a fraction, a root or a binomial."""
    found = _TAKES.search(text)
    if found is None or level > 60:
        return text
    before, at = text[: found.start()], found.end()
    if found[1] == "sqrt":
        index, at = _optional(text, at)
        inside, at = _radicand(text, at)
        made = f"\\sqrt{index}{{{_arguments(inside, level + 1)}}}"
    else:
        above, at = argument(text, at)
        below, at = argument(text, at)
        above, below = (_arguments(part.strip(), level + 1) for part in (above, below))
        made = f"\\{found[1]}{{{above}}}{{{below}}}"
    return before + made + _arguments(text[at:], level + 1)


def _optional(text: str, at: int) -> tuple[str, int]:
    found = re.compile(r"\s*\[([^\[\]]*)\]").match(text, at)
    return (f"[{found[1].strip()}]", found.end()) if found else ("", at)


def _radicand(text: str, at: int) -> tuple[str, int]:
    """Also `\\sqrt(x+1)` and `\\sqrt12`, as they are written in plain text."""
    found = re.compile(r"\s*(?:(\()|(\d+))").match(text, at)
    if found is None:
        return argument(text, at)
    if found[2]:
        return found[2], found.end()
    end = _closing(text, found.start(1))
    return (text[found.end() : end], end + 1) if end else argument(text, at)


def _closing(text: str, opening: int) -> int | None:
    """Where the parenthesis at `opening` closes."""
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    return None


def _powers(text: str) -> str:
    """`e^(2x)` as `e^{2x}`."""
    at = text.find("^(")
    while at >= 0:
        end = _closing(text, at + 1)
        if end is None:
            break
        text = f"{text[: at + 1]}{{{text[at + 2 : end]}}}{text[end + 1 :]}"
        at = text.find("^(", at + 1)
    return text
