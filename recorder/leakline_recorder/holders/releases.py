"""Counts runs of statements that could empty an owner's container."""
from __future__ import annotations

import types
from typing import Any, Dict, Iterable, Iterator, List, Set, Tuple

from ..monitoring import Monitoring
from ..plain import is_a
from .groups import Group, holder_of
from .statements import Statements

MOST_WATCHED = 100    # statements
Place = Tuple[str, int]


class Releases:
    def __init__(self, monitoring: Monitoring, statements: Statements) -> None:
        self._monitoring, self._statements = monitoring, statements
        self._watched: Dict[Place, List[Tuple[int, int]]] = {}  # statements, with their places in the monitoring

    def watch(self, groups: Iterable[Group], objects: List[Any], frames: Iterable[types.FrameType]) -> None:
        """Statements that could release the memory of these owners are counted from now on."""
        if not self._monitoring.is_open():
            return
        wanted: Set[Place] = set()
        for group in groups:
            holder = holder_of(group.newest.chain, group.growing)
            wanted.update(self._statements.releases(holder) if holder else ())
        wanted = set(sorted(wanted - self._watched.keys())[:MOST_WATCHED - len(self._watched)])
        files = {file for file, _ in wanted}
        codes = {} if not wanted else {id(code): code for code in _codes(objects, frames) if code.co_filename in files}
        for file, line in wanted:
            places = [code for code in codes.values() if code.co_filename == file and any(at == line for _, _, at in code.co_lines())]
            for code in places:
                self._monitoring.watch_line(code, line)
            self._watched[file, line] = [(id(code), line) for code in places]

    def runs(self) -> List[Dict[str, Any]]:
        """Runs of each statement since it is watched, without those whose code was not found."""
        return [{'file': file, 'line': line, 'runs': sum(self._monitoring.lines[place] for place in places)}
                for (file, line), places in sorted(self._watched.items()) if places]


def _codes(objects: List[Any], frames: Iterable[types.FrameType]) -> Iterator[types.CodeType]:
    """Of all functions, of those in them, and of what runs."""
    pending = [value.__code__ for value in objects if is_a(value, types.FunctionType)] + [frame.f_code for frame in frames]
    seen: Set[int] = set()
    while pending:
        code = pending.pop()
        if id(code) not in seen:
            seen.add(id(code))
            yield code
            pending.extend(part for part in code.co_consts if is_a(part, types.CodeType))
