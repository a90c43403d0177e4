"""Wordle: the game, the four lines around its taskset, and rollouts of several turns."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import verifiers.v1 as vf
import wordle_curriculum
from wordle_curriculum.game import Game, dictionary
from wordle_curriculum.words import difficulty, secrets

from curriculum_env.testing.policy import ScriptedPolicy, serve_policy
from tests.adapters.conftest import shared, store
from tests.adapters.playing import env_of, play, rows_in
from tests.cli.conftest import Cli, cli
from tests.environments.commands import evaluate, rewards, validate
from tests.environments.packaging import check_exports, check_metadata, check_wheel

__all__ = ["cli", "shared", "store"]

WRONG = ("crane", "moist", "lucky", "phone", "badge", "width", "fungi", "jumpy", "vexed", "block")
HELDOUT = ("--{}taskset.pool.heldout", "0.2", "--{}taskset.split", "heldout")


def heldout(prefix: str = "") -> list[str]:
    return [flag.format(prefix) for flag in HELDOUT]


class Player:
    """Guesses words in turn, whatever it is told."""

    def __init__(self, *words: str) -> None:
        self.words = itertools.cycle(words)

    def __call__(self, prompt: str) -> str:
        return f"I try [{next(self.words)}]."


@pytest.fixture(scope="module")
def policy() -> Iterator[str]:
    with serve_policy(ScriptedPolicy(answer=Player(*WRONG))) as url:
        yield url


def test_the_package(tmp_path: Path) -> None:
    check_exports("wordle_curriculum")
    check_metadata("wordle_curriculum")
    assert "wordle_curriculum/words.txt" in check_wheel("wordle_curriculum", tmp_path)


def test_every_secret_is_a_distinct_word_of_five_letters_that_may_be_guessed() -> None:
    assert len(secrets()) == len(set(secrets())) == 551
    assert all(len(word) == 5 and dictionary().is_english_word(word) for word in secrets())
    assert {difficulty(word) for word in secrets()} == {1, 2, 3}


class TestGame:
    def test_a_word_that_is_found(self) -> None:
        game = Game("apple")
        assert "secret 5-letter word" in game.opening
        assert "C R A N E\nX X Y X G" in game.play("I try [crane]")
        assert (game.over, game.reward, game.guesses) == (False, 0.0, 1)
        game.play("[apple]")
        assert (game.over, game.reward, game.guesses) == (True, 1.0, 2)

    def test_a_word_that_is_not_found(self) -> None:
        game = Game("apple")
        for word in ("crane", "moist", "lucky", "table", "house", "plead"):
            assert not game.over
            game.play(f"[{word}]")
        assert game.over
        assert game.reward == pytest.approx(4 * 0.1)  # p, l, e and a, each in a wrong place

    @pytest.mark.parametrize("reply", ["no brackets", "[zzzzz]", "[ab]", ""])
    def test_two_replies_in_a_row_that_are_no_guess(self, reply: str) -> None:
        game = Game("apple")
        assert "invalid move" in game.play(reply)
        assert not game.over
        game.play(reply)
        assert (game.over, game.reward) == (True, 0.0)


def test_the_curriculum_form_keeps_the_inner_taskset_and_adds_the_curriculum() -> None:
    env = env_of("wordle-curriculum", pool={"level": "difficulty", "heldout": 0.2})
    tasks = list(itertools.islice(env.taskset, 20))
    rows = env.taskset.curriculum.rows
    env.taskset.close()
    assert type(env.taskset).INFINITE
    assert isinstance(env, wordle_curriculum.WordleEnv)
    assert [task.data.curriculum.draw for task in tasks] == list(range(20))
    held = env_of("wordle-curriculum", split="heldout", pool={"heldout": 0.2}).taskset
    words = {task.data.secret for task in held}
    assert len(rows) + len(words) == 551
    assert not words & {row.data["secret"] for row in rows}
    assert {row.level for row in rows} == set("123")


async def test_a_game_is_one_rollout_of_several_turns(policy: str, store: str) -> None:
    env: vf.Env[Any] = env_of("wordle-curriculum", store, pool={"size": 12})
    tasks = list(itertools.islice(env.taskset, 3))
    assert not {task.data.secret for task in tasks} & {*WRONG}
    games = [await play(env, [task], policy) for task in tasks]  # in turn: no word comes twice
    env.taskset.close()
    episodes = [episode for (episode,) in games]
    for task, episode in zip(tasks, episodes, strict=True):
        (trace,) = episode.traces
        assert episode.ok
        assert trace.num_turns == trace.metrics["guesses"] == 6
        assert 0.0 <= trace.reward < 1.0
        said = [node.message.content for node in trace.nodes if node.message.role == "user"]
        assert said[0] == task.data.prompt
        assert any("Feedback" in text for text in said[1:])
    rows = rows_in(store)
    assert [(row.status, row.turns) for row in rows] == [("ok", 6)] * 3
    assert sorted(str(row.reward) for row in rows) == sorted(
        str(episode.traces[0].reward) for episode in episodes
    )


async def test_a_word_that_is_found_earns_1(store: str) -> None:
    env = env_of("wordle-curriculum", store, pool={"size": 1})
    task = next(iter(env.taskset))
    with serve_policy(ScriptedPolicy(answer=Player("crane", task.data.secret))) as url:
        (episode,) = await play(env, [task], url)
    env.taskset.close()
    assert episode.traces[0].metrics == {"solved": 1.0, "guesses": 2.0}
    assert [(row.reward, row.turns) for row in rows_in(store)] == [(1.0, 2)]


async def test_a_model_that_fails_midway_is_an_error_and_no_failure(store: str) -> None:
    env = env_of("wordle-curriculum", store, pool={"size": 1})
    task = next(iter(env.taskset))
    (episode,) = await play(env, [task], "http://127.0.0.1:9/v1")
    env.taskset.close()
    assert not episode.ok
    assert [(row.status, row.reward) for row in rows_in(store)] == [("error", None)]


def test_eval_plays_the_held_out_split(policy: str, tmp_path: Path) -> None:
    flags = (*heldout("env."), "-n", "3", "-r", "1")
    traces = evaluate("wordle-curriculum", policy, tmp_path, *flags)
    assert len(traces) == 3
    assert all(0.0 <= reward < 1.0 for trace in traces for reward in rewards(trace))


def test_validate_wins_every_game_with_its_word(tmp_path: Path) -> None:
    summary = validate("wordle-curriculum", tmp_path, *heldout(), "-n", "8", "--only-gold")
    assert summary["outcomes"]["valid"] == summary["total"] == 8


def test_run_plays_the_training_split(cli: Cli, policy: str, tmp_path: Path) -> None:
    flags = ("--groups=2", "--group-size=2", f"--output={tmp_path}", "--model=scripted")
    done = cli("run", "wordle-curriculum", f"--base-url={policy}", *flags)
    assert done.code == 0, done.err
    recorded = rows_in(f"sqlite:///{tmp_path}/curriculum.db")
    assert [row.status for row in recorded] == ["ok"] * 4
