"""What a prompt is compared by: its words, its numbers and operators, its content words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from curriculum_env.pool.normal import tokens_of
from curriculum_env.pool.vocabulary import NUMBER_WORDS, SPOKEN, STOCK, STOP, SYNONYMS

GRAM = 5
OPERATORS = frozenset(("+", "-", "*", "/", "^", "=", "<", ">", "<=", ">=", "!=", "%", "|", "!"))
SMALL = frozenset(("0", "1", "2"))
_STEM = 5


@dataclass(frozen=True, slots=True)
class Profile:
    """A prompt for comparison.

    `tokens` are all of them, `words` those that are no operator. `numbers` counts the numbers, in
    digits or words, and `operators` the operators. `content` are the stems of the words that carry
    meaning, `symbols` what formulas are made of. `key` is the set of the numbers above 2.
    """

    tokens: tuple[str, ...]
    words: tuple[str, ...]
    numbers: Counter[str]
    operators: Counter[str]
    content: frozenset[str]
    symbols: Counter[str]
    key: str

    @property
    def identity(self) -> str:
        """Equal for prompts that differ in nothing but spelling."""
        return " ".join(self.tokens)

    def grams(self, size: int = GRAM) -> set[str]:
        """The runs of `size` words; all words where there are fewer."""
        return grams(self.words, size)

    def masked(self) -> set[str]:
        """The runs of five words with every number hidden."""
        return grams(tuple("#" if word in self.numbers else word for word in self.words))


def grams(words: tuple[str, ...], size: int = GRAM) -> set[str]:
    """The runs of `size` words; all words where there are fewer."""
    if len(words) <= size:
        return {" ".join(words)} if words else set()
    return {" ".join(words[i : i + size]) for i in range(len(words) - size + 1)}


def stock(run: str) -> bool:
    """Whether a run of words is a stock phrase: nothing in it tells one task from another."""
    return {_stem(word) for word in filter(_telling, run.split())} <= _STOCK_STEMS


def profile_of(text: str) -> Profile:
    """The profile of a prompt as it was written."""
    return profile_of_tokens(tokens_of(text))


@lru_cache(maxsize=4096)
def profile_of_identity(identity: str) -> Profile:
    """The profile of a prompt by its `identity`."""
    return profile_of_tokens(identity.split())


def profile_of_tokens(tokens: list[str]) -> Profile:
    """The profile of a prompt by its tokens."""
    words = tuple(NUMBER_WORDS.get(token, token) for token in tokens if token not in OPERATORS)
    numbers = Counter(word for word in words if word[0].isdigit())
    content = frozenset(map(_stem, filter(_telling, words)))
    return Profile(
        tokens=tuple(tokens),
        words=words,
        numbers=numbers,
        operators=Counter(filter(OPERATORS.__contains__, map(_spoken, tokens))),
        content=content,
        symbols=Counter(filter(_symbolic, map(_spoken, tokens))),
        key=" ".join(sorted(numbers.keys() - SMALL)),
    )


def _telling(word: str) -> bool:
    """Whether a word carries meaning: names of variables and points do not."""
    return not (
        word in STOP or word in SPOKEN or word[0].isdigit() or (len(word) == 1 and word.isascii())
    )


def _symbolic(token: str) -> bool:
    """Whether a token is part of a formula: a number, an operator or the name of a variable."""
    return (len(token) == 1 and token != "a") or token[0].isdigit() or token in OPERATORS


def _stem(word: str) -> str:
    """Its first letters, without a plural s; a synonym stands for its group."""
    word = SYNONYMS.get(word, word)
    return word[: min(_STEM, len(word) - (len(word) > 3 and word.endswith("s")))]


def _spoken(token: str) -> str:
    return SPOKEN.get(token, token)


@lru_cache(maxsize=65536)
def information(number: str) -> float:
    """About how many bits a number in a task carries: small ones are everywhere."""
    whole, dot, _ = number.partition(".")
    size = (0.0, 2.5, 5.0, 7.5, 10.0)[min(len(whole), 4)]
    return size + (3.0 if dot else 1.0 if len(whole) == 1 and whole > "5" else 0.0)


_STOCK_STEMS = frozenset(map(_stem, STOCK))
