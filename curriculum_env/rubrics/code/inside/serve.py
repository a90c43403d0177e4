"""The init of a jail: takes jobs from the harness, one at a time, and says what became of them."""

from __future__ import annotations

from .frames import Buffer, Message, receive, send
from .job import HarnessGoneError, Job
from .processes import end_all
from .settings import Settings
from .start import Place, start

CONTROL, REPLIES = 0, 1


def serve(settings: Settings, place: Place) -> Message | None:
    """Answer requests until the harness goes, or says `{"stop": true}`: `{"start": kind, ...}` and
    `{"send": message}` are each answered by the job's next event.

    Returns:
        None at the end; in a child that is to run a job, the request that started it.
    """
    job: Job | None = None
    for request in receive(CONTROL, Buffer()):
        if "stop" in request:
            break
        if "start" in request:
            if job is not None:
                job.end("replaced")
            job = start(request, settings, place)
            if job is None:
                return request
        assert job is not None
        if "send" in request:
            job.send(request["send"])
        try:
            event = job.event(CONTROL, settings)
        except HarnessGoneError:
            break
        if "end" in event:
            job = None
        send(REPLIES, event)
    end_all()
    return None
