"""Python's garbage collector: when it ran and found something, and how to leave it alone meanwhile.

What it frees was in a reference cycle. When it runs depends on how many objects were made, and not freed, since it ran
before: the recorder keeps few.
"""
from __future__ import annotations

import contextlib
import gc
import sys
import time
from array import array
from typing import Any, Callable, Dict, Iterator, Optional

#: collections kept for the sidecar
KEPT = 1024
PERIOD_SECONDS = 60.0


@contextlib.contextmanager
def at_rest() -> Iterator[None]:
    """Nothing is collected meanwhile.

    Building a snapshot makes millions of objects. A collection then would free reference cycles of the program at moments
    that the recorder chose: the cycle of growth that the user must see would be gone.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class CollectorWatch:
    """Times of collections. Called back several times a second: it looks at the clock.

    ``periodic`` is called after a collection, at most once in ``PERIOD_SECONDS`` seconds, and not in the first ones: a
    clock that needs no thread, which a program that forks would be warned of.
    """

    def __init__(self, periodic: Callable[[], None] = lambda: None) -> None:
        self._began, self._ended = array('q'), array('q')
        self._started = 0
        self._full = 0
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
        """What a handler of a signal raised inside of a callback, which Python drops there."""
        error, self._dropped = self._dropped, None
        if error is not None:
            raise error

    def _unraisable(self, about: Any) -> None:
        if about.object == self._called and about.exc_value is not None:
            self._dropped = about.exc_value
        else:
            self._show(about)

    def times(self) -> Dict[str, Any]:
        """Unix microseconds at which collections that found something began and ended, the oldest first; how many were full."""
        return {'beganAtUs': self._began[-KEPT:].tolist(), 'endedAtUs': self._ended[-KEPT:].tolist(), 'full': self._full}

    def _called(self, phase: str, info: Dict[str, Any]) -> None:
        if phase == 'start':
            self._started = time.time_ns() // 1000
        elif self._started and info.get('collected'):
            # Rounded up: what was freed in the last microsecond is inside.
            self._began.append(self._started)
            self._ended.append(time.time_ns() // 1000 + 1)
            if len(self._began) > 2 * KEPT:
                del self._began[:-KEPT], self._ended[:-KEPT]
        if phase == 'stop':
            self._full += info.get('generation') == 2
        if phase == 'stop' and time.monotonic() >= self._next:
            self._next = time.monotonic() + PERIOD_SECONDS
            self._periodic()
