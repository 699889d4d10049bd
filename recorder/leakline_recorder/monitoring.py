"""What the interpreter shows of a program's runs. From Python 3.12 on: counts of iterations of loops, calls of functions and
runs of lines. Only watched code objects cost time, every other place calls back once. Python 3.11 shows which functions and
lines have run, because it adapts code after eight calls.
"""
from __future__ import annotations

import dis
import opcode
import sys
import types
from collections import Counter
from typing import Any, Counter as Counts, Dict, Optional, Sequence, Set, Tuple

_interpreter: Any = getattr(sys, 'monitoring', None)
_ADAPTS = sys.version_info[:2] == (3, 11)
#: names of instructions that Python 3.11 puts in the place of general ones after a run
_ADAPTED = frozenset(name for names in getattr(opcode, '_specializations', {}).values() for name in names
                     if '__' not in name and not name.endswith(('_ADAPTIVE', '_QUICK')))
_FREE_TOOLS = (4, 3)        # those that no kind of tool is meant to take
MAX_COUNTED = 1_000_000    # of one place: from then on it costs nothing more


class Monitoring:
    """Counts stay 0 if this Python cannot count, or other tools occupy all slots."""

    def __init__(self) -> None:
        self.jumps: Counts[Tuple[int, int]] = Counter()    #: back to a place, by code and place
        self.starts: Counts[int] = Counter()               #: calls of a code since it is watched
        self.lines: Counts[Tuple[int, int]] = Counter()    #: by code and line
        self._tool: Optional[int] = None
        self._events: Dict[int, int] = {}
        self._codes: Dict[int, types.CodeType] = {}        # they live on, so that identities stay theirs
        self._called: Set[int] = set()                     # whose calls are counted
        self._looped: Set[int] = set()
        self._headers: Set[Tuple[int, int]] = set()
        self._watched: Set[Tuple[int, int]] = set()

    def watch_loops(self, code: types.CodeType, headers: Sequence[Sequence[Tuple[int, int]]]) -> bool:
        """The places to which each loop jumps back. False if nothing is counted."""
        if not self.is_open():
            return False
        if headers[-1][0] not in self._headers or headers[0][0] not in self._headers:
            self._looped.add(id(code))
            self._headers.update(place for loop in headers for place in loop)
            self._watch(code, _interpreter.events.JUMP | _interpreter.events.PY_START)
        return True

    def watch_line(self, code: types.CodeType, line: int) -> bool:
        if not self.is_open():
            return False
        if (id(code), line) not in self._watched:
            self._watched.add((id(code), line))
            self._watch(code, _interpreter.events.LINE)
        return True

    def ran(self, code: types.CodeType, line: int) -> Optional[bool]:
        """True if a line ran since the first question; ``None`` at that, or if nothing shows it."""
        if _ADAPTS:
            return _is_line_adapted(code, line) if _is_adapted(code) else None
        is_first = (id(code), line) not in self._watched
        return self.lines[id(code), line] > 0 if self.watch_line(code, line) and not is_first else None

    def calls(self, code: types.CodeType) -> Optional[bool]:
        """True if a function was called since the first question; ``None`` at that, or if nothing shows it."""
        if _ADAPTS:
            return _is_adapted(code)
        if not self.is_open():
            return None
        if id(code) not in self._called:
            self._called.add(id(code))
            self._watch(code, _interpreter.events.PY_START)
            return None
        return self.starts[id(code)] > 0

    def stop(self) -> None:
        if self._tool is None:
            return
        for code in self._codes.values():
            _interpreter.set_local_events(self._tool, code, 0)
        for event in (_interpreter.events.JUMP, _interpreter.events.PY_START, _interpreter.events.LINE):
            _interpreter.register_callback(self._tool, event, None)
        _interpreter.free_tool_id(self._tool)
        self._tool = None

    def is_open(self) -> bool:
        if self._tool is None and _interpreter is not None:
            self._tool = next((tool for tool in _FREE_TOOLS if _interpreter.get_tool(tool) is None), None)
            if self._tool is not None:
                _interpreter.use_tool_id(self._tool, 'leakline')
                for event, called in ((_interpreter.events.JUMP, self._jumped), (_interpreter.events.PY_START, self._started),
                                      (_interpreter.events.LINE, self._line_ran)):
                    _interpreter.register_callback(self._tool, event, called)
        return self._tool is not None

    def _watch(self, code: types.CodeType, events: int) -> None:
        self._codes[id(code)] = code
        self._events[id(code)] = self._events.get(id(code), 0) | events
        # Off and on again: places that have called back once call again.
        _interpreter.set_local_events(self._tool, code, 0)
        _interpreter.set_local_events(self._tool, code, self._events[id(code)])

    def _jumped(self, code: types.CodeType, offset: int, destination: int) -> Any:
        place = id(code), destination
        if destination > offset or place not in self._headers or self.jumps[place] >= MAX_COUNTED:
            return _interpreter.DISABLE
        self.jumps[place] += 1
        return None

    def _started(self, code: types.CodeType, offset: int) -> Any:
        self.starts[id(code)] += 1
        # Loops count each call. Else it is enough to know that there was one.
        return None if id(code) in self._looped else _interpreter.DISABLE

    def _line_ran(self, code: types.CodeType, line: int) -> Any:
        place = id(code), line
        if place not in self._watched or self.lines[place] >= MAX_COUNTED:
            return _interpreter.DISABLE
        self.lines[place] += 1
        return None


def _is_adapted(code: types.CodeType) -> bool:
    return bool(getattr(code, '_co_code_adaptive') != code.co_code)


def _is_line_adapted(code: types.CodeType, line: int) -> Optional[bool]:
    """True if Python has adapted an instruction of a line, or has tried to; ``None`` if none of them can be adapted."""
    is_here = has_count = False
    for part in dis.get_instructions(code, adaptive=True, show_caches=True):  # type: ignore[call-arg]
        if part.starts_line is not None:
            is_here = part.starts_line == line
        if is_here and part.argrepr.startswith('counter: '):
            has_count = True
            if part.argrepr != 'counter: 0':
                return True
        elif is_here and part.opname in _ADAPTED:
            return True
    return False if has_count else None
