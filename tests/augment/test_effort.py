"""What a service takes of the processor."""

from __future__ import annotations

import pytest

from curriculum_env.augment import effort
from curriculum_env.augment.effort import ProcessorShare


class Times:
    """A clock, and the processor time of a thread."""

    def __init__(self) -> None:
        self.clock = self.used = 100.0

    def monotonic(self) -> float:
        return self.clock

    def thread_time(self) -> float:
        return self.used


@pytest.fixture
def times(monkeypatch: pytest.MonkeyPatch) -> Times:
    scripted = Times()
    monkeypatch.setattr(effort, "time", scripted)
    return scripted


def test_over_time_no_more_is_used_than_the_share(times: Times) -> None:
    share = ProcessorShare(0.1)
    for _ in range(1000):
        times.clock += 0.02
        if not share.debt:
            times.used += 0.007
    assert times.used - 100.0 == pytest.approx(0.1 * 20.0 + 0.1, abs=0.01)


def test_a_rest_is_saved_up_for_a_second(times: Times) -> None:
    share = ProcessorShare(0.1)
    times.clock += 50.0
    assert share.debt == 0.0
    times.used += 0.099
    assert share.debt == 0.0
    times.used += 0.002
    assert share.debt == pytest.approx(0.01)
    times.clock += 0.02
    assert share.debt == 0.0


def test_a_whole_processor_is_no_limit(times: Times) -> None:
    share = ProcessorShare(1.0)
    times.used += 9.0
    assert share.debt == 0.0
