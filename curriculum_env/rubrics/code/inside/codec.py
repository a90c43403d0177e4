"""Plain Python values as JSON, so that a result can leave a process without its classes.

What is decoded consists of built-in types alone, whatever the sender claims: no `__eq__`, no
`__hash__` and no `__class__` of a candidate's own survives the way.
"""

from __future__ import annotations

import datetime
from collections import deque
from collections.abc import Callable, ItemsView, KeysView, ValuesView
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import Any

MAX_ITEMS = 1_000_000
VIEWS = (KeysView, ValuesView, ItemsView)
SEQUENCES: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "deque": deque,
    "iter": iter,
}
TEXTS: dict[str, Callable[[str], Any]] = {
    "int": lambda text: int(text, 16),
    "float": float.fromhex,
    "complex": complex,
    "bytes": bytes.fromhex,
    "bytearray": bytearray.fromhex,
    "Decimal": Decimal,
    "date": datetime.date.fromisoformat,
    "datetime": datetime.datetime.fromisoformat,
}


def encode(value: Any) -> Any:
    """`value` in JSON.

    Raises:
        TypeError: it holds something that is not plain data, such as a function.
        RecursionError: it is nested too deeply, or holds itself.
    """
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, float)):
        return _number(value)
    if isinstance(value, dict):
        return {"dict": [[encode(key), encode(item)] for key, item in value.items()]}
    if isinstance(value, range):
        return {"range": [hex(value.start), hex(value.stop), hex(value.step)]}
    for kind in (list, tuple, set, frozenset, deque):
        if isinstance(value, kind):
            return {kind.__name__: [encode(item) for item in value]}
    return _text_or_iterator(value)


def _number(value: int | float) -> Any:
    if isinstance(value, float):
        return {"float": float.hex(value)}
    return int(value) if -(2**53) < value < 2**53 else {"int": hex(value)}


def _text_or_iterator(value: Any) -> Any:
    if isinstance(value, (bytes, bytearray)):
        return {type(value).__name__: value.hex()}
    if isinstance(value, (datetime.date, datetime.datetime)):
        return {type(value).__name__: value.isoformat()}
    if isinstance(value, (complex, Decimal)):
        return {type(value).__name__: str(value)}
    if isinstance(value, Fraction):
        return {"Fraction": [hex(value.numerator), hex(value.denominator)]}
    if hasattr(value, "__next__") or isinstance(value, VIEWS):
        return {"iter": [encode(item) for item in islice(value, MAX_ITEMS)]}
    raise TypeError(f"a {type(value).__name__}, which is not plain data")


def decode(data: Any) -> Any:
    """The value of `data`, made of built-in types.

    Raises:
        ValueError: `data` is not what `encode` makes.
    """
    try:
        return _decode(data)
    except Exception as error:
        raise ValueError(f"not an encoded value: {error}") from error


def _decode(data: Any) -> Any:
    if data is None or type(data) in (bool, int, str):
        return data
    ((kind, inner),) = data.items()
    if kind in TEXTS:
        return TEXTS[kind](inner)
    if kind == "dict":
        return {_decode(key): _decode(item) for key, item in inner}
    if kind == "Fraction":  # never of a text, whose exponent may be a billion
        numerator, denominator = inner
        return Fraction(int(numerator, 16), int(denominator, 16))
    if kind == "range":
        return range(*(int(bound, 16) for bound in inner))
    return SEQUENCES[kind]([_decode(item) for item in inner])
