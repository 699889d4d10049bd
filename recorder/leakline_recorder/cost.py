"""What recording costs, and what it must not cost: a run of the garbage collector."""
from __future__ import annotations

import contextlib
import gc
import time
from typing import Dict, Iterator


class Stopwatch:
    """Seconds per named part of a job."""

    def __init__(self) -> None:
        self.laps: Dict[str, float] = {}
        self._since = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = round(now - self._since, 6)
        self._since = now


@contextlib.contextmanager
def collector_at_rest() -> Iterator[None]:
    """Building a snapshot makes millions of objects, which would set the collector off.

    It would free the reference cycles of the program, at moments that the recorder chose: the sawtooth that a user must
    see would be gone.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
