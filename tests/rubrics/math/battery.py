"""Pairs that math-verify 0.9 gets wrong, and inputs that hang it."""

from __future__ import annotations

WRONG = [
    ("7", r"\boxed{5=7}"),
    (r"\frac{1}{2^{99}}", r"\frac{1}{2^{98}}"),
    (r"\frac{1}{2004!}", r"\frac{1}{2006!}"),
    (r"1-\frac{1}{\mathrm e}", r"1+\frac{1}{\mathrm e}"),
    ("4", r"4\sqrt(2)"),
    ("(1,2)", r"\{1,2\}"),
    (r"1,2,\ldots,n", r"1,3,5,\ldots,2n-1"),
    (r"3\sqrt{13}", "3"),
]

RIGHT = [
    (r"\sqrt{1/n}", r"\frac{1}{\sqrt n}"),
    (r"\sqrt[3]{-8}", "-2"),
    (r"\frac{1}{x^{-1}}", "x"),
    (r"\frac13", r"0.\overline3"),
    ("12345", r"12\,345"),
    ("120000", "1.2e5"),
    (r"\frac12", "½"),
    ("-5", "−5"),
    (r"\pi", "π"),
    (r"\sqrt2", "√2"),
    ("12", r"\fbox{12}"),
    ("A", r"\boxed{A}"),
    ("Yes", "Yes"),
    (r"3\sqrt{13}", r"3\sqrt{13}"),
    (r"3\sqrt{13}", r"\boxed{\sqrt{117}}"),
]

HOSTILE = [
    r"2^{2^{2^{2^{2^2}}}}",
    r"9^{9^{9^9}}",
    r"(10^9)!",
    r"\binom{10^9}{5\cdot10^8}",
    r"\sum_{k=1}^{10^9}1/k",
    r"\dfrac{5^{(5^{(5^{(5^5)})}-4)}-5}{16}",
    r"\frac{1}{1+" * 60 + "1" + "}" * 60,
    "(" * 300 + "1" + ")" * 300,
    "7" * 5_000,
    "9" * 300 + "!",
    r"\sqrt{" * 200 + "2" + "}" * 200,
    r"\boxed{" * 5_000,
    r"\boxed{1}, \boxed{2}, " * 2_000,
    "$" * 30_001,
    "{" * 40_000,
    r"\left(" * 5_000 + "1",
    "1," * 20_000,
    "1+" * 700 + "1",
    "x^{" * 20 + "x" + "}" * 20,
    r"\begin{pmatrix}" + "1&" * 400 + r"\\" + r"\end{pmatrix}",
    r"\text{" * 300 + "}" * 300,
    "The answer is " * 4_000,
    "1 " * 20_000 + r"\boxed",
    "=".join(["x"] * 500),
    r"\sqrt{\binom{\binom{99}{2}}{\sin(1)}}",  # passes the limits, and hangs SymPy
    r"\gcd((5000!)^{19999}, 2)",
    r"\lfloor (5000!)^{19999}+\pi\rfloor",
    r"\sin(\sin(\sin(\sin(99999!))))",
    r"((2^{9999})^{9999})^{9999}",
    "\u0000" * 1_000 + "\ud7ff\U0010ffff",
    "<think>" * 10_000,
    "½" * 10_000,
]
