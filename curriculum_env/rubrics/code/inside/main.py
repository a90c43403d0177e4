"""What the zip file does when it is run: `python code.pyz SETTINGS`."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable

from . import call, exam, program
from .frames import Message, send
from .jail import enter
from .serve import REPLIES, serve
from .settings import Settings

KINDS: dict[str, Callable[[Message], None]] = {
    "program": lambda request: program.run(request["source"]),
    "call": lambda request: call.run(request["source"]),
    "exam": exam.run,
}


def next_job() -> Callable[[], None] | None:
    """Serve the harness. In a process that is to run a job: that job; None once all is over."""
    settings = Settings.from_json(sys.argv[1])
    try:
        place, reason = enter(settings)
    except PermissionError as error:
        send(REPLIES, {"refused": str(error)})
        return None
    send(REPLIES, {"hello": reason})
    gc.freeze()  # a forked child then copies fewer pages
    request = serve(settings, place)
    if request is None:
        place.leave()
        return None
    return lambda: KINDS[request["start"]](request)
