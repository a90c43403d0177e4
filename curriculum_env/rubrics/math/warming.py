"""Ordinary checks that teach a fresh worker's parser the usual forms: five times as fast after."""

from __future__ import annotations

from collections.abc import Iterator

from curriculum_env.rubrics.math.judge import judge

_PAIRS = (
    (r"\frac{1}{2}", "0.5"),
    (r"\frac{\sqrt{3}}{2}", r"\frac{3}{2\sqrt{3}}"),
    ("x^{2}+3x+1", "3x+x^2+1"),
    (r"2\pi r^{2}", r"2r^2\pi"),
    (r"(x+1)(x-2)", "x^2-x-2"),
    (r"(-\infty, 2]", r"x \le 2"),
    (r"y=2x+1", "2x-y+1=0"),
    (r"\sin x\cos x", r"\frac{\sin(2x)}{2}"),
    (r"\log_{2}{x}", r"\frac{\ln x}{\ln 2}"),
    (r"e^{2x}-1", r"(e^x)^2-1"),
    (r"\binom{n}{2}", r"\frac{n(n-1)}{2}"),
    (r"3+4i", "4i+3"),
    (r"|x-1|", r"|1-x|"),
    (r"n!", "n(n-1)!"),
    (r"\frac{a+b}{c}", r"\frac{a}{c}+\frac{b}{c}"),
    (r"\sqrt[3]{16}", r"2\sqrt[3]{2}"),
    (r"\frac{1+\sqrt{5}}{2}", r"\frac{1}{2}(1+\sqrt{5})"),
    (r"2^{n+1}-1", r"2\cdot2^{n}-1"),
    (r"\frac{\pi}{6}", r"\arcsin\frac{1}{2}"),
    (r"\cos^{2}\theta", r"1-\sin^{2}(\theta)"),
    (r"\tan^{-1}(2)", r"\arctan 2"),
    (r"\lfloor n/2\rfloor", r"\lceil n/2\rceil"),
    (r"f(x)", r"g(x)"),
    (r"a_{n}+x_1", r"x_{1}+a_n"),
    (r"\frac{x^{2}-1}{x-1}", r"x+1"),
    (r"-\frac{3}{4}x^{-2}", r"-\frac{3}{4x^{2}}"),
    (r"\frac{7!}{3!4!}", r"\binom{7}{3}"),
    (r"ab^{2}c-3a", r"a(b^{2}c-3)"),
    (r"\ln(x^{2}+1)", r"\ln 2"),
    (r"(x+1)^{2}(y-3)", r"2(x+y)(x-y)"),
    (r"(1+\frac{1}{n})^{n}", r"x\sin(\pi x)"),
    (r"1-\left(\frac{5}{6}\right)^{4}", r"\frac{671}{1296}"),
    (r"3\cdot 2^{5}-1", "95"),
    (r"\sec x\tan x", r"\frac{\sin x}{\cos^{2} x}"),
    (r"\frac{2\sqrt{3}+\sqrt{6}}{3}", r"\frac{\sqrt{6}+2\sqrt{3}}{3}"),
)


def warming() -> Iterator[None]:
    """One check at each step, some hundredths of a second."""
    for gold, answer in _PAIRS:
        judge(gold, answer, None)
        yield
