from __future__ import annotations

import asyncio
import resource
from pathlib import Path
from typing import Any

import pytest
import verifiers.v1 as vf

from curriculum_env.adapters.verifiers.runner import TraceFile
from curriculum_env.adapters.verifiers.runner.rollouts import outcomes, place
from curriculum_env.adapters.verifiers.runner.traces import TraceError
from tests.adapters.playing import drawn, env_of, play


async def episodes(url: str, count: int = 3) -> list[Any]:
    env = env_of("coins", count=4)
    return await play(env, [drawn(env, f"coin-{index}", index) for index in range(count)], url)


def good(episode: Any) -> bool:
    return bool(episode.ok)


async def test_episodes_come_back_as_they_were(policy: str, tmp_path: Path) -> None:
    played, file = await episodes(policy), TraceFile(tmp_path)
    assert file.empty
    await asyncio.gather(*map(file.append, played))
    assert not file.empty
    back = {episode.id: episode for _, episode in file.finished(good)}
    assert set(back) == {episode.id for episode in played}
    for episode in played:
        same = back[episode.id]
        assert (same.task.key, same.task.hash) == (episode.task.key, episode.task.hash)
        assert place(same.task.data) == place(episode.task.data)
        task = vf.Task(episode.task.data)
        assert list(outcomes(task, same)) == list(outcomes(task, episode))


async def test_a_torn_line_and_a_failed_episode_are_not_finished(
    policy: str, tmp_path: Path
) -> None:
    played, file = await episodes(policy), TraceFile(tmp_path)
    played[1].ok = False
    for episode in played:
        await file.append(episode)
    whole = file.path.read_bytes()
    file.path.write_bytes(whole[:-40])
    kept = file.finished(good)
    assert [episode.id for _, episode in kept] == [played[0].id]
    file.rewrite(line for line, _ in kept)
    assert file.path.read_bytes() == whole.partition(b"\n")[0] + b"\n"


async def test_an_episode_written_twice_counts_once(policy: str, tmp_path: Path) -> None:
    (played,), file = await episodes(policy, 1), TraceFile(tmp_path)
    await file.append(played)
    await file.append(played)
    assert len(file.finished(good)) == 1


async def test_a_cancellation_does_not_tear_a_line(policy: str, tmp_path: Path) -> None:
    played, file = await episodes(policy, 3), TraceFile(tmp_path)
    writing = [asyncio.create_task(file.append(episode)) for episode in played]
    await asyncio.sleep(0)
    for task in writing:
        task.cancel()
    await asyncio.gather(*writing, return_exceptions=True)
    for _ in range(200):
        if len(file.finished(good)) == 3:
            return
        await asyncio.sleep(0.01)
    raise AssertionError("an episode was lost")


async def test_an_episode_without_a_trace_is_one_error(policy: str) -> None:
    (played,) = await episodes(policy, 1)
    played.ok, played.traces = False, []
    (outcome,) = outcomes(vf.Task(played.task.data), played)
    assert (outcome.status, outcome.reward, outcome.uid) == ("error", None, "coin-0")


async def test_a_file_that_takes_no_more_is_left_as_it_was(policy: str, tmp_path: Path) -> None:
    played, file = await episodes(policy), TraceFile(tmp_path)
    await file.append(played[0])
    whole = file.path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 100, limits[1]))
    try:
        with pytest.raises(TraceError, match=r"File too large.*--resume"):
            await file.append(played[1])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert file.path.read_bytes() == whole
    await file.append(played[2])
    assert [episode.id for _, episode in file.finished(good)] == [played[0].id, played[2].id]
