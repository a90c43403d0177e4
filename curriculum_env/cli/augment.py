"""`curriculum-env augment`: makes the tasks that a run asks for, in a process of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from curriculum_env.errors import ConfigError

if TYPE_CHECKING:
    from curriculum_env.augment.service import AugmentService
    from curriculum_env.store import Store


def augment(
    store: Annotated[str, typer.Argument(help="URL of a store, its file, or a run's folder.")],
    once: Annotated[
        bool, typer.Option("--once", help="End when nothing is left that can be made now.")
    ] = False,
) -> None:
    """Make the new tasks that a run asks for, beside it.

    For a run with augment.service = "process", which leaves its settings in the store. May be
    started once the run has made its store, more than once, and be killed at any time: what was
    paid for is kept. It waits for more, also after the run has ended: Ctrl-C ends it.
    """
    import asyncio

    from curriculum_env.augment.reach import require_teacher
    from curriculum_env.cli.stored import store_url
    from curriculum_env.store import open_store

    url = store_url(store)
    opened = open_store(url)
    try:
        service = _service(opened)
        asyncio.run(require_teacher(service.config))
        typer.echo(f"Making tasks for {opened.url} ...")
        asyncio.run(service.drain() if once else _until_told(service))
        counts = opened.queue.counts()
    finally:
        opened.close()
    states = ", ".join(f"{count} {state}" for state, count in counts.states.items() if count)
    typer.echo(f"Tasks: {states or 'none'}.")


def _service(store: Store) -> AugmentService:
    """What makes variants for the taskset that the newest run of the store is of.

    Raises:
        ConfigError: no run asked for this, or its taskset cannot be made.
    """
    from curriculum_env.adapters.verifiers.augmenting import EVENT, restored, service_of

    events = store.events(EVENT)
    if not events:
        raise ConfigError(
            f"{store.url} holds no run with curriculum.augment.service = 'process': start one with "
            "that and curriculum.augment.enabled = true before this command, or leave the service "
            "to the run's own thread."
        )
    taskset: Any = restored(events[-1]["config"])
    return service_of(taskset, taskset.config.curriculum.augment, store, taskset.rows)


async def _until_told(service: AugmentService) -> None:
    import asyncio
    import signal

    loop = asyncio.get_running_loop()
    for wanted in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(wanted, service.stop)
    await service.run()
