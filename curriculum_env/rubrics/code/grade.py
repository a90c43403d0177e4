"""All tests of one answer, in the runtime of its rollout."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import AsyncExitStack

from curriculum_env.errors import SandboxError
from curriculum_env.rubrics.code.cases import AssertCase, Case
from curriculum_env.rubrics.code.examine import examine
from curriculum_env.rubrics.code.limits import CodeLimits
from curriculum_env.rubrics.code.result import CodeResult, Verdict
from curriculum_env.rubrics.code.session import Runtime, Session

MAX_SOURCE = 2**20
SKIPPED = Verdict("skipped")


async def run_tests(
    source: str,
    cases: Sequence[Case],
    runtime: Runtime,
    limits: CodeLimits | None = None,
    *,
    stop_at_failure: bool = True,
) -> CodeResult:
    """Test `source`, a Python program or module, against every case in turn.

    The candidate's code gets inputs and arguments only. What it answers is compared outside its
    process, so nothing that it does to its own process, patches, reads, prints or leaves behind
    can turn a failure into a pass. `stop_at_failure` skips what comes after the first failure;
    it is right for an all-or-nothing reward and wrong for `CodeResult.fraction`.

    Raises:
        ValueError: there are no cases.
        IsolationError: this machine has no namespaces and `limits.isolation` requires them.
        SandboxError: the runtime failed; the answer is neither right nor wrong.
    """
    if not cases:
        raise ValueError("there are no cases to test the code against; expected one or more.")
    if len(source) > MAX_SOURCE:
        too_long = Verdict("error", f"{len(source)} characters of source; at most {MAX_SOURCE}")
        return CodeResult((too_long, *[SKIPPED] * (len(cases) - 1)))
    limits = limits or CodeLimits()
    async with AsyncExitStack() as stack:
        jail = await stack.enter_async_context(Session(runtime, limits))
        asserts = any(isinstance(case, AssertCase) for case in cases)
        desk = await stack.enter_async_context(Session(runtime, limits)) if asserts else None
        return CodeResult(
            tuple(await _verdicts(source, cases, jail, desk, limits, stop_at_failure))
        )


async def _verdicts(
    source: str,
    cases: Sequence[Case],
    jail: Session,
    desk: Session | None,
    limits: CodeLimits,
    stop_at_failure: bool,
) -> list[Verdict]:
    verdicts: list[Verdict] = []
    deadline = time.monotonic() + limits.total_seconds
    for case in cases:
        seconds = min(limits.seconds, deadline - time.monotonic())
        failed = any(verdict.status != "passed" for verdict in verdicts)
        lost = any(verdict.status == "lost" for verdict in verdicts)
        if seconds <= 0 or lost or (failed and stop_at_failure):
            verdicts.append(SKIPPED)
            continue
        try:
            verdicts.append(await examine(source, case, jail, desk, seconds))
        except SandboxError as error:
            if jail.walled:
                raise
            verdicts.append(Verdict("lost", str(error)))
    return verdicts
