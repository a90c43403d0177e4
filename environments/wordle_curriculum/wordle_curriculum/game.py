"""TextArena's Wordle with a secret of our choice, on the word lists that come with TextArena."""

from __future__ import annotations

from functools import cache
from typing import Any

import nltk

_download, nltk.download = nltk.download, lambda *_, **__: False  # it would ask for NLTK's lists
try:
    from textarena import ObservationType
    from textarena.core import Env
    from textarena.envs.utils.word_lists import EnglishDictionary
    from textarena.envs.Wordle.env import WordleEnv
finally:
    nltk.download = _download

GUESSES = 6


class ShippedDictionary(EnglishDictionary):
    """British and American words, without those of NLTK, which would be downloaded."""

    def __init__(self) -> None:
        self.keep_proper_nouns = self.keep_non_alpha = self.include_nltk = False
        self.uk_words = self._load_dic("en_GB.dic", "en.aff")
        self.us_words = self._load_dic("en_US.dic", "en.aff")
        self.nltk_words = self.nltk_basic_words = set[str]()


@cache
def dictionary() -> ShippedDictionary:
    """The words that count as guesses; reading them takes a second."""
    return ShippedDictionary()


class _Engine(WordleEnv):
    """TextArena's rules and its feedback, with one secret and a dictionary that is read once."""

    def __init__(self, secret: str) -> None:
        Env.__init__(self)
        self.word_length, self.num_guesses = len(secret), GUESSES
        self.word_list, self.dictionary = [secret], dictionary()


class Game:
    """One game. `over` ends it: the word was found, six guesses were made, or two replies in a row
    were no guess. `reward` is then 1 for the word, else of the last guess a fifth for each letter
    in its place and a tenth for each that belongs elsewhere."""

    def __init__(self, secret: str) -> None:
        self._engine = _Engine(secret)
        self._engine.reset(num_players=1)
        self.opening = self._told()

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return bool(self._engine.state.done)

    @property
    def reward(self) -> float:
        """What it earned, in [0, 1]; 0 before its end."""
        return float((self._engine.state.rewards or {}).get(0, 0.0))

    @property
    def guesses(self) -> int:
        """How many valid ones there were."""
        return len(self._engine.state.game_state["guess_history"])

    def play(self, reply: str) -> str:
        """What the game says to the word in the first square brackets of `reply`."""
        self._engine.step(reply)
        return self._told()

    def _told(self) -> str:
        observed: list[Any] = self._engine.get_observation()[1]
        own = ObservationType.PLAYER_ACTION
        return "\n".join(str(text).strip() for _, text, kind in observed if kind is not own)
