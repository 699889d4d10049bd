"""The schedules of snapshots: dense at first, then at growing intervals, so that a run of any length writes few."""
from __future__ import annotations

from typing import Optional

from .options import Options

COST_SHARE = 20    # at least, of the time to the cost of a snapshot


class Schedule:
    """Call ``full(step)`` and ``light(step)`` once after a step, in order."""

    def __init__(self, options: Options) -> None:
        self._first = options.start
        self._distance = max(1, options.every)
        self._widen = max(1, options.widen)
        self._left = options.limit
        self._light = max(0, options.light)
        self._at_this_distance = 0
        self._next = self._distance

    def full(self, step: int) -> bool:
        if self._left <= 0:
            return False
        if step < self._next:
            due = step <= self._first
        else:
            due = True
            self._at_this_distance += 1
            if self._at_this_distance >= self._widen:
                self._distance *= 2
                self._at_this_distance = 0
            self._next = (step // self._distance + 1) * self._distance
        self._left -= due
        return due

    def light(self, step: int) -> bool:
        """Evenly between two full snapshots."""
        if not self._light or self._left <= 0:
            return False
        return step % max(1, self._distance // (self._light + 1)) == 0


class Intervals:
    """Seconds between snapshots of a program that shows no steps."""

    def __init__(self, options: Options, seconds: float) -> None:
        self._seconds = seconds
        self._widen = max(1, options.widen)
        self._left = options.limit
        self._taken = 0

    def after(self, cost_seconds: float) -> Optional[float]:
        """Call once before each snapshot. The seconds until the next one; None for none any more."""
        self._taken += 1
        if self._taken % self._widen == 0:
            self._seconds *= 2
        return max(self._seconds, COST_SHARE * cost_seconds) if self._taken <= self._left else None
