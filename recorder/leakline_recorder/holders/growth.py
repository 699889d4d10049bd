"""Containers that have grown since the snapshot before, and how often the statements have run that could empty them."""
from __future__ import annotations

import types
from typing import Any, Dict, Iterable, Iterator, List, Set, Tuple

from ..monitoring import Monitoring
from ..plain import is_a
from .groups import Group, holder_of, name_of
from .statements import Statements

MOST_CONTAINERS = 40
MOST_WATCHED = 100    # statements
Place = Tuple[str, int]


class Growth:
    def __init__(self, monitoring: Monitoring, statements: Statements) -> None:
        self._monitoring, self._statements = monitoring, statements
        self._lengths: Dict[Tuple[int, str], int] = {}          # of containers in the snapshot before, by identity and type
        self._watched: Dict[Place, List[Tuple[int, int]]] = {}  # statements, with their places in the monitoring

    def containers(self, groups: Iterable[Group]) -> List[Dict[str, Any]]:
        """Of containers in containers the innermost that has grown, by the bytes that it holds."""
        before, self._lengths = self._lengths, {}
        found: Dict[int, Dict[str, Any]] = {}
        for group in groups:
            chain = group.newest.chain
            told = False
            for index in reversed(range(len(chain.links))):
                part = chain.links[index]
                if part.container is None:
                    continue
                known = before.get((part.place, part.container))
                self._lengths[part.place, part.container] = part.length
                if told or known is None or part.length <= known:
                    continue
                told = True
                if part.place in found:
                    found[part.place]['bytes'] += group.bytes
                    continue
                holder = holder_of(chain, index)
                lines = self._statements.find(holder, most=1) if holder else []
                found[part.place] = {
                    'root': group.expression(index), 'name': name_of(chain, holder),
                    'file': lines[0]['file'] if lines else holder.file if holder else None,
                    'line': lines[0]['line'] if lines else holder.line if holder else None,
                    'kind': part.container, 'length': part.length, 'previousLength': known, 'bound': part.maxlen, 'bytes': group.bytes}
        return sorted(found.values(), key=lambda entry: -entry['bytes'])[:MOST_CONTAINERS]

    def watch(self, groups: Iterable[Group], objects: List[Any], frames: Iterable[types.FrameType]) -> None:
        """Statements that could release what these keep are counted from now on."""
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

    def releases(self) -> List[Dict[str, Any]]:
        """Runs of each statement since it is watched; those whose code was not found are left out."""
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
