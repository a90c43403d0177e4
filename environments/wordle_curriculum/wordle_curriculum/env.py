"""Plays a game: the model guesses, TextArena answers, until the word is found or guesses are up."""

from __future__ import annotations

import asyncio

import verifiers.v1 as vf

from curriculum_env import LocalEnv
from wordle_curriculum.game import Game, dictionary


class WordleEnv(LocalEnv):
    """The game as the user of the conversation."""

    async def start(self) -> None:
        await asyncio.to_thread(dictionary)

    async def run(self, task: vf.Task, agents: vf.Agents) -> None:
        game = Game(task.data.secret)
        async with agents.agent.interaction(task) as talk:
            segment = await talk.turn()
            while not segment.terminated:
                answer = game.play(segment.last_reply)
                if game.over:
                    break
                segment = await talk.turn(answer)
        trace = talk.trace
        trace.record_reward("game", game.reward, 1.0)
        trace.record_metric("solved", float(game.over and game.reward == 1.0))
        trace.record_metric("guesses", float(game.guesses))
