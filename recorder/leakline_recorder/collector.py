"""Python's garbage collector: its runs that found something, and a way to defer it. It runs after a number of new
objects, so the recorder creates few.
"""
from __future__ import annotations

import bisect
import contextlib
import gc
import sys
import time
from array import array
from typing import Any, Callable, Dict, Iterator, Optional

#: maximum number of collections in the sidecar
KEPT = 1024
PERIOD_SECONDS = 20.0


@contextlib.contextmanager
def at_rest() -> Iterator[None]:
    """Defers collections. A snapshot creates millions of objects: a collection would free the program's reference
    cycles at other moments, and hide their growth.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class CollectorWatch:
    """Times of collections, several a second: a call only reads the clock. ``periodic`` follows a collection, not in the
    first ``PERIOD_SECONDS``, and gives the seconds until it may be called again. It needs no thread, so programs can
    still fork.
    """

    def __init__(self, periodic: Callable[[], Optional[float]] = lambda: None) -> None:
        self._began, self._ended = array('q'), array('q')
        self._started = 0
        self._full = 0
        self._full_us = array('q')    #: when full collections began
        self._periodic = periodic
        self._next = 0.0
        self._show: Any = None
        self._dropped: Optional[BaseException] = None

    def start(self) -> None:
        self._next = time.monotonic() + PERIOD_SECONDS
        gc.callbacks.append(self._called)
        self._show, sys.unraisablehook = sys.unraisablehook, self._unraisable

    def stop(self) -> None:
        if self._called in gc.callbacks:
            gc.callbacks.remove(self._called)
        if sys.unraisablehook == self._unraisable:
            sys.unraisablehook = self._show

    def raise_dropped(self) -> None:
        """The error of a signal handler inside of a callback, where Python would drop it."""
        error, self._dropped = self._dropped, None
        if error is not None:
            raise error

    def _unraisable(self, about: Any) -> None:
        if about.object == self._called and about.exc_value is not None:
            self._dropped = about.exc_value
        else:
            self._show(about)

    def times(self) -> Dict[str, Any]:
        """Unix microseconds of the start and end of collections that found something, oldest first; and the number of
        full ones.
        """
        return {'beganAtUs': self._began[-KEPT:].tolist(), 'endedAtUs': self._ended[-KEPT:].tolist(), 'full': self._full}

    def full_since(self, time_us: int) -> int:
        """Full collections that began after a time: those that an object of that age has survived. At most ``KEPT``."""
        return len(self._full_us) - bisect.bisect_right(self._full_us, time_us)

    def _called(self, phase: str, info: Dict[str, Any]) -> None:
        if phase == 'start':
            self._started = time.time_ns() // 1000
        elif self._started and info.get('collected'):
            # Rounded up, to include frees in the last microsecond.
            self._began.append(self._started)
            self._ended.append(time.time_ns() // 1000 + 1)
            if len(self._began) > 2 * KEPT:
                del self._began[:-KEPT], self._ended[:-KEPT]
        if phase == 'stop' and info.get('generation') == 2:
            self._full += 1
            self._full_us.append(self._started)
            del self._full_us[:-KEPT]
        if phase == 'stop' and time.monotonic() >= self._next:
            self._next = time.monotonic() + PERIOD_SECONDS    # a signal handler may raise in the call
            self._next = time.monotonic() + (self._periodic() or PERIOD_SECONDS)
