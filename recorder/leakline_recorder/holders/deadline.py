"""A budget of seconds for long loops."""
from __future__ import annotations

import time


class Deadline:
    def __init__(self, seconds: float) -> None:
        self._end = time.perf_counter() + seconds
        self.missed = False

    def passed(self) -> bool:
        if not self.missed and time.perf_counter() > self._end:
            self.missed = True
        return self.missed
