"""What every process of a pool does first."""

from __future__ import annotations

import os
from multiprocessing import parent_process
from threading import Thread


def follow_parent() -> None:
    """End when the parent process does, however that ended: a pool's processes would wait for work
    for ever."""
    Thread(target=_end_with_parent, name="follow-parent", daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
