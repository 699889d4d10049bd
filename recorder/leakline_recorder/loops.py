"""Loops in bytecode, and their iterations around the optimizer's step: each one could release memory that grew in it.
From Python 3.12 on, the interpreter counts backward jumps. Before, a loop has repeated if a name that only its body
binds is bound again, or if a function in it runs again.
"""
from __future__ import annotations

import dataclasses
import dis
import os
import sys
import threading
import time
import types
from typing import Any, Dict, FrozenSet, List, NamedTuple, Optional, Tuple

import torch

from .guard import OWN_FOLDER, guarded
from .monitoring import Monitoring
from .plain import HELD_LOCALS, locals_of
from .sources import is_cell

MAX_CODES = 2000       # whose loops are remembered
#: Counting ends if its own processor time is above this share of the time that passed, after a first allowance. The time
#: that passes in it says little: where many processes share few processors, the thread may wait for seconds.
MAX_SHARE, ALLOWED_SECONDS = 0.02, 1.0
PACE = 0.9              # of the steps: a loop that turns as often turns once per step
NATIVE = 'native'

_FOLDERS = OWN_FOLDER, os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
_JUMPS = frozenset(dis.hasjrel) | frozenset(dis.hasjabs)
_ENDS = ('RETURN_VALUE', 'RETURN_CONST', 'RAISE', 'RERAISE', 'JUMP_FORWARD', 'JUMP_ABSOLUTE', 'JUMP_BACKWARD')    # nothing flows on behind these
_NO_LOOPS = ('JUMP_BACKWARD_NO_INTERRUPT', 'END_ASYNC_FOR')    # waiting for a coroutine

Path = Tuple[Tuple[int, int], ...]    # of codes and instructions


@dataclasses.dataclass(frozen=True)
class Loop:
    """A ``for`` or ``while`` of a code object: its bytecode from ``start`` to ``end``, in bytes."""

    start: int
    end: int
    line: int
    last_line: int
    headers: FrozenSet[int]      #: where the jumps back go
    targets: FrozenSet[str]      #: names that a ``for`` binds in each round
    bound: FrozenSet[str]        #: all names that anything in it binds
    local: FrozenSet[str]        #: of these, those that nothing outside the function can bind


def loops_of(code: types.CodeType) -> Tuple[Loop, ...]:
    """Outer loops before inner ones."""
    every = list(dis.get_instructions(code))
    at = {part.offset: index for index, part in enumerate(every)}
    lines = _lines(code, every)
    found: Dict[Tuple[int, int], List[Tuple[int, int]]] = {}    # a `while` may have two headers, a `for` has one
    for index in _reached(every, at):
        part = every[index]
        if _jumps(part) and part.argval < part.offset and part.opname not in _NO_LOOPS:
            line = min(lines[part.offset], lines[part.argval])
            header = part.argval if _head(every, at[part.argval]).opname == 'FOR_ITER' else -1
            found.setdefault((line, header), []).append((part.argval, part.offset))
    loops = []
    for (line, _), jumps in found.items():
        start, end = min(jump[0] for jump in jumps), max(jump[1] for jump in jumps)
        body = every[at[start]:at[end] + 1]
        loops.append(Loop(start, end, line, max(lines[part.offset] for part in body), frozenset(jump[0] for jump in jumps),
                          _targets(body), _stored(body, ('STORE_', 'DELETE_')), _stored(body, ('STORE_FAST',))))
    return tuple(sorted(loops, key=lambda loop: (loop.start, -loop.end)))


def _head(every: List[Any], index: int) -> Any:
    """The instruction at the start of a loop. Its prefix comes first if the loop is longer than 255 instructions."""
    while every[index].opname == 'EXTENDED_ARG' and index + 1 < len(every):
        index += 1
    return every[index]


def _jumps(part: Any) -> bool:
    return part.opcode in _JUMPS and isinstance(part.argval, int)


def _reached(every: List[Any], at: Dict[int, int]) -> List[int]:
    """Without raising: handlers after the end of a function jump back into it, and are not loops."""
    seen, pending = set(), [0]
    while pending:
        index = pending.pop()
        if index in seen or index >= len(every):
            continue
        seen.add(index)
        part = every[index]
        if _jumps(part) and part.argval in at:
            pending.append(at[part.argval])
        if not part.opname.startswith(_ENDS):
            pending.append(index + 1)
    return sorted(seen)


def _targets(body: List[Any]) -> FrozenSet[str]:
    if not body or _head(body, 0).opname != 'FOR_ITER':
        return frozenset()
    names = []
    for part in body[body.index(_head(body, 0)) + 1:]:
        if part.opname.startswith('STORE_') and isinstance(part.argval, str):
            names.append(part.argval)
        elif not part.opname.startswith(('UNPACK_', 'EXTENDED_ARG', 'CACHE')):
            break
    return frozenset(names)


def _stored(body: List[Any], operations: Tuple[str, ...]) -> FrozenSet[str]:
    return frozenset(part.argval for part in body if part.opname.startswith(operations) and isinstance(part.argval, str))


def _lines(code: types.CodeType, every: List[Any]) -> Dict[int, int]:
    starts = dict(dis.findlinestarts(code))
    lines, line = {}, code.co_firstlineno
    for part in every:
        line = starts.get(part.offset) or line
        lines[part.offset] = line
    return lines


class Counter:
    """Tells from the numbers of a ``for i in range(8)`` that it begins again, and so does the loop around it. Numbers in
    another order tell nothing.
    """

    def __init__(self) -> None:
        self._first: Optional[int] = None
        self._last = 0
        self._counts = True

    def restarted(self, marks: Any) -> Optional[bool]:
        number = marks[0] if isinstance(marks, list) and len(marks) == 1 and type(marks[0]) is int else None
        if number is None or not self._counts:
            return None
        if self._first is None:
            self._first = self._last = number
            return False
        restarts, self._last = number < self._last, number
        self._counts = not restarts or number == self._first
        return restarts if self._counts else None


class Count:
    """Facts of one loop."""

    def __init__(self, code: types.CodeType, line: int, last_line: int, is_whole: bool = False) -> None:
        self.file, self.function, self.line, self.last_line = code.co_filename, code.co_name, line, last_line
        self.is_whole = is_whole    #: is a round a whole run of the program?
        self.rounds = 0
        self.known = False        #: would a round have been seen?
        self.seen = -1            #: steps inside it, after the first
        self.turned = 0           #: of these, those before which it repeated
        self.inner = Counter()    #: of the loop inside, if this one binds no names

    def turn(self, rounds: int = 1) -> None:
        self.rounds += rounds
        self.turned += 1
        self.known = True

    def see(self, is_new: bool, rounds: int) -> None:
        self.seen += 1
        if is_new and self.seen:
            self.turn(max(1, rounds))

    def keeps_pace(self) -> bool:
        return self.seen > 0 and self.turned >= PACE * self.seen and not self.is_whole


class Around:
    """An instruction of a function, and the loops around it."""

    def __init__(self, code: types.CodeType, loops: List[Loop]) -> None:
        self.code, self.loops = code, loops
        self.headers = [[(id(code), header) for header in loop.headers] for loop in loops]
        self.counts: List[Optional[Count]] = [None] * len(loops)
        # A name that an inner loop also binds gives no information on the outer one.
        taken = [loop.bound for loop in loops[1:]] + [frozenset()]
        self.targets = [bool(loop.targets - inner) for loop, inner in zip(loops, taken)]
        self.names = [sorted(loop.targets - inner or loop.local - inner) for loop, inner in zip(loops, taken)]
        self.all_names = [name for names in self.names for name in names]


class Loops:
    """The loops of all functions that were looked at, by instruction."""

    def __init__(self, monitoring: Monitoring) -> None:
        self._monitoring = monitoring
        self.known: Dict[int, Tuple[types.CodeType, Tuple[Loop, ...]]] = {}
        self._places: Dict[Tuple[int, int], Optional[Around]] = {}

    def at(self, code: types.CodeType, instruction: int) -> Optional[Around]:
        """The loops of a function around one of its instructions; ``None`` for none."""
        key = id(code), instruction
        if key not in self._places:
            self._places[key] = self._place(code, instruction)
        return self._places[key]

    def _place(self, code: types.CodeType, instruction: int) -> Optional[Around]:
        known = self.known.get(id(code))
        if known is None:
            if len(self.known) >= MAX_CODES:
                return None
            known = self.known[id(code)] = (code, loops_of(code))
        loops = [loop for loop in known[1] if loop.start <= instruction <= loop.end]
        return Around(code, loops) if loops else None

    def marks(self, frame: types.FrameType, around: Around) -> Tuple[int, bool, List[Any]]:
        """The running call, whether another call of it would show, and a mark of each loop's round: a number, or names'
        values.
        """
        if self._monitoring.watch_loops(around.code, around.headers):
            starts, jumps = self._monitoring.starts, self._monitoring.jumps
            return starts[id(around.code)], True, [sum([jumps[header] for header in headers]) for headers in around.headers]
        activation, is_sure, values = locals_of(frame, around.all_names)
        return activation, is_sure, [values and [values[name] for name in names] or None for names in around.names]


class Level(NamedTuple):
    """A running function with loops around the step, as it was at the previous step."""

    code: int
    activation: int               #: stays as it is while the same call of the function runs
    path: Path                    #: from the level above to the call of this one
    marks: Dict[int, Any]         #: of the loops around the instruction, by their start: differs in the next round


class Rounds:
    """``stepped`` is called after each step, in the step's own stack."""

    def __init__(self, monitoring: Monitoring) -> None:
        self._loops = Loops(monitoring)
        self._counts: Dict[Any, Count] = {}
        self._levels: List[Level] = []
        self._below: Path = ()        # from the innermost level to the step
        self._chain: List[Count] = []
        self._thread = 0
        self._spent, self._since = 0.0, 0.0
        self._over = False
        self._repeater: Optional[types.CodeType] = None

    def repeat(self, repeater: types.CodeType, body: types.CodeType) -> None:
        """Take ``body`` for the whole program, and each round of the loop in ``repeater``, which calls it, for a whole run.
        Loops outside of it, such as those of pytest, release nothing.
        """
        self._repeater = repeater
        for loop in loops_of(repeater):
            self._counts[id(repeater), loop.start] = Count(body, body.co_firstlineno, body.co_firstlineno, is_whole=True)

    @guarded('could not count loops')
    def stepped(self, frame: Optional[types.FrameType]) -> None:
        began = time.thread_time()
        self._thread = self._thread or threading.get_ident()
        if self._over or self._thread != threading.get_ident():
            return
        self._since = self._since or time.perf_counter()
        self._observe(frame)
        self._spent += time.thread_time() - began
        if self._spent > ALLOWED_SECONDS + MAX_SHARE * (time.perf_counter() - self._since):
            self.stop()

    def stop(self) -> None:
        self._over = True
        self._levels, self._chain = [], []
        HELD_LOCALS.clear()

    def is_left(self) -> bool:
        """True if no loop around the last step is still running. False if that is unknown."""
        if self._over or not self._levels:
            return False
        around_step = {(level.code, start) for level in self._levels for start in level.marks}
        frame = sys._current_frames().get(self._thread)
        while frame is not None:
            around = self._loops.at(frame.f_code, frame.f_lasti)
            if around is not None and any((id(frame.f_code), loop.start) in around_step for loop in around.loops):
                return False
            frame = frame.f_back
        return True

    def describe(self) -> Optional[List[Dict[str, Any]]]:
        """The loops around the last step, outermost first, down to the one that iterates per step; ``None`` if unknown.
        """
        if self._over or not self._thread:
            return None
        per_step, outer = None, list(self._chain)
        while outer and outer[-1].keeps_pace():
            per_step = outer.pop()
        told = [count for count in outer if not count.keeps_pace()] + ([per_step] if per_step else [])
        return [{'file': count.file, 'function': count.function, 'line': count.line, 'lastLine': count.last_line,
                 'rounds': count.rounds if count.known else None, 'depth': depth, 'isStepLoop': count is per_step}
                for depth, count in enumerate(told)]

    def _observe(self, frame: Optional[types.FrameType]) -> None:
        """Compares the stack, from the outside in, with that of the previous step."""
        keys, functions = self._stack(frame)
        before, levels, chain = self._levels, [], []    # type: List[Level], List[Level], List[Count]
        is_new = not before              # all further in runs again
        unsure: Optional[Count] = None   # the closest loop around, if nothing but its being there again marks its rounds
        last = 0
        for at, frame, around in functions:
            code, path = keys[at][0], tuple(keys[last:at])
            then = before[len(levels)] if len(levels) < len(before) else None
            activation, is_sure, marks = self._loops.marks(frame, around)
            if unsure is not None and is_sure:
                unsure.known = True
            same = then is not None and then.code == code and then.activation == activation
            is_new = is_new and not (same and is_sure)    # a coroutine goes on, however often it has waited
            called_again = not is_new and not same and then is not None and then.code == code and then.path == path
            self._repeated(called_again, unsure, path, chain)
            is_new = is_new or not same
            told = {}
            for index, loop in enumerate(around.loops):
                mark = told[loop.start] = marks[index]
                count = around.counts[index] or self._count(around, index)
                was = then.marks.get(loop.start, ...) if then is not None and not is_new else ...
                restarted = count.inner.restarted(marks[index + 1]) if mark is None and index + 1 < len(marks) else None
                is_new = is_new or was is ... or mark != was or restarted is True
                count.see(is_new, mark - was if isinstance(was, int) else 1)
                chain.append(count)
                is_marked = around.targets[index] and mark is not None or isinstance(mark, int) or restarted is not None
                unsure = None if is_marked else count
                if mark is None and restarted is None:
                    count.known = False
                count.known = count.known or unsure is None
            levels.append(Level(code, activation, path, told))
            last = at
        if unsure is not None:
            unsure.known = True
        path = tuple(keys[last:])
        self._repeated(not is_new and len(levels) == len(before) and path == self._below, unsure, path, chain)
        self._levels, self._chain, self._below = levels, chain, path
        if HELD_LOCALS:
            held = {level.activation for level in levels}
            for activation in [key for key in HELD_LOCALS if key not in held]:
                del HELD_LOCALS[activation]

    def _stack(self, frame: Optional[types.FrameType]) -> Tuple[List[Tuple[int, int]], List[Tuple[int, types.FrameType, Around]]]:
        """Outermost first, without the recorder's frames above the program's call of the step."""
        while frame is not None and frame.f_code.co_filename.startswith(_FOLDERS):
            frame = frame.f_back
        keys, functions = [], []
        while frame is not None:
            code = frame.f_code
            around = self._loops.at(code, frame.f_lasti)
            if around is not None:
                functions.append((len(keys), frame, around))
            keys.append((id(code), frame.f_lasti))
            # A notebook's cell is a program of its own: the loops of the kernel that runs it release nothing.
            is_whole = code is self._repeater or code.co_name == '<module>' and is_cell(code.co_filename)
            frame = None if is_whole else frame.f_back
        keys.reverse()
        functions.reverse()
        return keys, [(len(keys) - 1 - at, running, around) for at, running, around in functions]

    def _count(self, around: Around, index: int) -> Count:
        code, loop = around.code, around.loops[index]
        count = around.counts[index] = self._counts.setdefault((id(code), loop.start), Count(code, loop.line, loop.last_line))
        return count

    def _repeated(self, again: bool, unsure: Optional[Count], path: Path, chain: List[Count]) -> None:
        """``again``: an instruction runs again without a mark. The reason is the loop around it, or one outside of
        Python.
        """
        if unsure is not None:
            if again:
                unsure.turn()
            return
        if again and path and path[-1][0] in self._loops.known:
            code = self._loops.known[path[-1][0]][0]
            line = max((line for offset, line in dis.findlinestarts(code) if line and offset <= path[-1][1]), default=code.co_firstlineno)
            self._counts.setdefault((NATIVE, path), Count(code, line, line))
        native = self._counts.get((NATIVE, path))
        if native is not None:
            chain.append(native)
