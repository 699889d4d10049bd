"""When Python's garbage collector ran and found something: what is freed meanwhile was in a reference cycle."""
from __future__ import annotations

import gc
import time
from collections import deque
from typing import Any, Callable, Deque, Dict, List, Tuple

#: collections kept for the sidecar
KEPT = 1024
NOW_AND_THEN = 60.0


class CollectorWatch:
    """Times of collections. Called back several times a second: it looks at the clock.

    ``now_and_then`` is called after a collection, at most once in ``NOW_AND_THEN`` seconds, and not in the first ones: a
    clock that needs no thread, which a program that forks would be warned of.
    """

    def __init__(self, now_and_then: Callable[[], None] = lambda: None) -> None:
        self._runs: Deque[Tuple[int, int]] = deque(maxlen=KEPT)
        self._started = 0
        self._full = 0
        self._now_and_then = now_and_then
        self._next = 0.0

    def start(self) -> None:
        self._next = time.monotonic() + NOW_AND_THEN
        gc.callbacks.append(self._called)

    def stop(self) -> None:
        if self._called in gc.callbacks:
            gc.callbacks.remove(self._called)

    def times(self) -> Dict[str, Any]:
        """Unix microseconds at which collections that found something began and ended, the oldest first; how many were full."""
        runs = list(self._runs)
        return {'beganAtUs': [began for began, _ in runs], 'endedAtUs': [ended for _, ended in runs], 'full': self._full}

    def _called(self, phase: str, info: Dict[str, Any]) -> None:
        if phase == 'start':
            self._started = time.time_ns() // 1000
        elif self._started and info.get('collected'):
            # Rounded up: what was freed in the last microsecond is inside.
            self._runs.append((self._started, time.time_ns() // 1000 + 1))
        if phase == 'stop':
            self._full += info.get('generation') == 2
        if phase == 'stop' and time.monotonic() >= self._next:
            self._next = time.monotonic() + NOW_AND_THEN
            self._now_and_then()
