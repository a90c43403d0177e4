"""One game of Wordle for each secret word: an ordinary taskset, without a curriculum."""

from __future__ import annotations

from collections.abc import Iterator

import verifiers.v1 as vf

from wordle_curriculum.game import Game
from wordle_curriculum.words import difficulty, secrets

SYSTEM_PROMPT = (
    "You play Wordle. Think before each guess, and make it the only word in square brackets of "
    "your reply: the game reads the first one."
)


class WordleData(vf.TaskData):
    """A game's secret, and its difficulty from 1 to 3."""

    secret: str
    difficulty: int


class WordleTask(vf.Task[WordleData, vf.State, vf.TaskConfig]):
    """A game; what it earns is recorded by the Env that plays it."""

    async def validate(self, runtime: vf.Runtime) -> bool:
        """Whether the secret is a guess the game takes, and wins."""
        game = Game(self.data.secret)
        game.play(f"[{self.data.secret}]")
        return game.over and game.reward == 1.0


class WordleTaskset(vf.Taskset[WordleTask, vf.TasksetConfig]):
    """Wordle, one game for each word."""

    def load(self) -> Iterator[WordleTask]:
        for secret in secrets():
            data = WordleData(
                name=f"wordle-{secret}",
                prompt=Game(secret).opening,
                system_prompt=SYSTEM_PROMPT,
                secret=secret,
                difficulty=difficulty(secret),
            )
            yield WordleTask(data, self.config.task)
