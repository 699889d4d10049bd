"""Traces with new events only: the history is cleared after a snapshot if nothing is lost in between. No release reads
and clears at once, and threads without Python may allocate between: counters of the allocator show it.
"""
from __future__ import annotations

from collections import Counter
from typing import Any, Dict, List, Optional

from .guard import guarded
from .memory import Counters, DeviceMemory

MAX_UNPROVED = 3    # traces that did not hold what was counted: from then on nothing is cleared


class Increments:
    def __init__(self, memory: DeviceMemory) -> None:
        self._memory = memory
        self._cleared: List[Counters] = []            # of each device, when the history was cleared last
        self._behind: List[Optional[int]] = []        # of each device, as `behind` tells it
        self._before: List[Counters] = []
        self._unproved = 0

    def begin(self) -> None:
        """Call right before a full snapshot."""
        self._before = self._count()

    def behind(self, snapshot: Dict[str, Any]) -> List[Optional[int]]:
        """``takenAtUs`` of the snapshot at whose end each device's trace begins, if it has all events since; else ``None``."""
        traces, now = snapshot['device_traces'], self._count()
        if len(traces) != len(self._behind) or not len(self._cleared) == len(self._before) == len(now) == len(traces):
            self.forget()
            return [None] * len(traces)
        for device, trace in enumerate(traces):
            if self._behind[device] is not None and not _has_all(trace, self._cleared[device], self._before[device], now[device]):
                self._behind[device] = None
                self._unproved += 1
        return list(self._behind)

    @guarded('could not clear the history')
    def clear(self, taken_at_us: int) -> bool:
        """Call once the snapshot is written: clears the history, unless that would lose events."""
        before, cleared, behind = self._before, self._cleared, self._behind
        if not before or not self._memory.clearable or self._unproved >= MAX_UNPROVED or self._count() != before:
            return False
        self.forget()
        self._memory.clear()
        self._cleared = self._count()
        # A difference was lost during clearing. Without an event, the trace continues after the same snapshot.
        self._behind = [None if now != then else behind[device] if cleared[device:device + 1] == [then] else taken_at_us
                        for device, (then, now) in enumerate(zip(before, self._cleared))]
        return True

    def forget(self) -> None:
        """The history has a gap, or will have one."""
        self._cleared, self._behind = [], []

    def _count(self) -> List[Counters]:
        return self._read() or []

    @guarded('could not read the counters of the allocator')
    def _read(self) -> List[Counters]:
        return self._memory.counters() if self._memory.clearable else []


def _has_all(trace: List[Dict[str, Any]], cleared: Counters, before: Counters, after: Counters) -> bool:
    """True if a trace has the allocations and releases that were counted between clearing and reading."""
    seen = Counter(event['action'] for event in trace)
    return all(before[index] - cleared[index] <= seen[action] <= after[index] - cleared[index]
               for index, action in enumerate(('alloc', 'free_requested', 'free_completed')))
