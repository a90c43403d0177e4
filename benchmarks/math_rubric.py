"""The math rubric on labelled pairs: is it right, how fast is it, and can anything hold it up?

Each pair is checked three times: all at once in an event loop, one after the other in the main
thread, and from eight threads. A pair is right when all three say what is expected. The golds are
loaded first, as a pool does; then the first pass, in which no completion was seen before, gives
the rate. It runs on one core, parent and workers together, where the system lets a process choose.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from curriculum_env.rubrics.math import MathChecker, Verdict

PAIRS = Path(__file__).with_name("math_pairs.json")
THREADS = 8
WARMING = 5.0  # seconds in which idle workers warm up
Timed = tuple[Verdict, float]


def main() -> None:
    arguments = parse_arguments()
    pairs: list[dict[str, Any]] = json.loads(arguments.pairs.read_text())
    if arguments.quick:
        pairs = pairs[::8]
    print(json.dumps(measure(pairs), ensure_ascii=False))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="checks_per_s: of those checks that are not out of time; checks_per_processor_s: "
        "the same on a core of its own, whatever this machine does besides; false_accepts and "
        "false_rejects: pairs that any of the three passes got wrong; slowest_s: one check by "
        "itself; slowest_beside_s: a check that is not out of time, with eight threads at work.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--pairs", type=Path, default=PAIRS, metavar="FILE.json",
        help="a list of {gold, pred, expected}",
    )  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="every eighth pair")
    return parser.parse_args()


def measure(pairs: list[dict[str, Any]]) -> dict[str, Any]:
    with one_core(), MathChecker() as checker:
        checker.check_golds(dict.fromkeys(pair["gold"] for pair in pairs))
        time.sleep(WARMING)
        before = processor_seconds()
        together, rate = asyncio.run(at_once(checker, pairs))
        spent = processor_seconds() - before
        again = asyncio.run(at_once(checker, pairs))[1]
    with MathChecker() as checker:
        checker.check_golds(["1"])
        alone = [timed(checker, pair) for pair in pairs]
        with ThreadPoolExecutor(THREADS) as threads:
            beside = list(threads.map(lambda pair: timed(checker, pair), pairs))
    wrong = [
        pair | {"verdicts": [verdict.status for verdict in verdicts]}
        for pair, *verdicts in zip(
            pairs, together, verdicts_of(alone), verdicts_of(beside), strict=True
        )
        if any(verdict.correct != pair["expected"] for verdict in verdicts)
    ]
    return {
        "pairs": len(pairs),
        "checks_per_s": round(rate),
        "checks_per_processor_s": round(len(pairs) / spent),
        "repeated_checks_per_s": round(again),
        "false_accepts": sum(not pair["expected"] for pair in wrong),
        "false_rejects": sum(pair["expected"] for pair in wrong),
        "slowest_s": round(max(seconds for _, seconds in alone), 3),
        "slowest_beside_s": round(
            max(seconds for verdict, seconds in beside if verdict.status != "out of time"), 3
        ),
        "wrong": wrong,
    }


@contextmanager
def one_core() -> Iterator[None]:
    """This process and those it starts on a single core, where that can be had."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def processor_seconds() -> float:
    """What this process and its workers have spent so far; without Linux's /proc, itself alone."""
    seconds = time.process_time()
    for task in Path("/proc/self/task").glob("*/children"):
        for pid in task.read_text().split():
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            seconds += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return seconds


async def at_once(checker: MathChecker, pairs: list[dict[str, Any]]) -> tuple[list[Verdict], float]:
    """The verdicts, and the ordinary checks in a second until the last of them was done."""
    began = time.perf_counter()

    async def one(pair: dict[str, Any]) -> Timed:
        verdict = await checker.check(pair["gold"], pair["pred"])
        return verdict, time.perf_counter() - began

    results = await asyncio.gather(*map(one, pairs))
    ordinary = [seconds for verdict, seconds in results if verdict.status != "out of time"]
    return verdicts_of(results), len(ordinary) / max(ordinary)


def timed(checker: MathChecker, pair: dict[str, Any]) -> Timed:
    began = time.perf_counter()
    verdict = checker.check_sync(pair["gold"], pair["pred"])
    return verdict, time.perf_counter() - began


def verdicts_of(results: list[Timed]) -> list[Verdict]:
    return [verdict for verdict, _ in results]


if __name__ == "__main__":
    main()
