from __future__ import annotations

import time

import pytest
from code_curriculum.parser import parse_code
from hypothesis import given
from hypothesis import strategies as st

CODE = "def f(n):\n    return n\n"
OTHER = "print(f(3))\n"


@pytest.mark.parametrize(
    "reply",
    [
        f"```python\n{CODE}```",
        f"Sure!\n\n```py\n{CODE}```\nThat is it.",
        f"```\n{CODE}```",
        f"~~~python\n{CODE}~~~",
        f"```python\n{OTHER}```\nNo, better:\n```python\n{CODE}```",
        f"```python\n{CODE}```\nUse it so:\n```python\n{OTHER}```",
        f"```bash\npip install f\n```\n```python\n{CODE}```\n```json\n{{}}\n```",
        f"<think>```python\n{OTHER}```</think>\n```python\n{CODE}```",
        f"```Python3 title=x\n{CODE}```",
        f"```python\n{CODE}",
        CODE,
        f"<think>Hm.</think>\n{CODE}",
    ],
)
def test_finds_the_code(reply: str) -> None:
    found = parse_code(reply, "f")
    assert found is not None
    assert found.strip() == CODE.strip()


def test_without_a_function_the_last_block_counts() -> None:
    assert parse_code(f"```python\n{CODE}```\n```python\n{OTHER}```") == OTHER


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I cannot.",
        "```\n\n```",
        "```bash\nls\n```",
        f"<think>```python\n{CODE}```",
        "The answer is 12.",
    ],
)
def test_finds_none(reply: str) -> None:
    assert parse_code(reply, "f") is None


@given(st.text(alphabet="`~\n def:python<think>/ab", max_size=80))
def test_never_raises(reply: str) -> None:
    assert parse_code(reply, "f") is None or isinstance(parse_code(reply, "f"), str)


@pytest.mark.parametrize("piece", ["```", "```python\n", "<think>", "`", "~~~\n", "\n", "def f"])
def test_a_hostile_reply_takes_little_time(piece: str) -> None:
    start = time.perf_counter()
    parse_code(piece * 5_000, "f")
    assert time.perf_counter() - start < 2
