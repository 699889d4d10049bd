"""Addresses of functions in another process, from the dynamic symbols of what it has loaded. They are read from its memory, so files that
were replaced since it started do not matter. Names as in <elf.h>.
"""
from __future__ import annotations

import struct
from typing import BinaryIO, Callable, Dict, Iterator, List, Optional, Tuple

_PT_LOAD, _PT_DYNAMIC = 1, 2
_DT_STRTAB, _DT_SYMTAB, _DT_GNU_HASH = 5, 6, 0x6ffffef5
_STT_FUNC = 2
_MAX_CHAIN = 100_000    # no hash table of real libraries has a longer one


def address_of(pid: int, memory: BinaryIO, name: str, within: Callable[[str], bool] = lambda path: True) -> Optional[int]:
    """The documentation of the function that the program calls by this name.
    :param memory: /proc/PID/mem :param within: is the file at this path to be searched? :raises OSError: if memory cannot be read"""
    for path, start in _loaded(pid):
        if within(path):
            try:
                found = _Image(memory, start).function(name.encode())
            except (struct.error, ValueError):
                continue    # no library, or a damaged one
            if found is not None:
                return found
    return None


def _loaded(pid: int) -> List[Tuple[str, int]]:
    """Path and address of each file that the process has mapped from its first byte on, the program itself first, as the linker does."""
    first: Dict[str, int] = {}
    runs = set()
    with open(f'/proc/{pid}/maps', encoding='utf-8', errors='replace') as file:
        for line in file:
            span, rights, offset, _, inode, *path = line.split(maxsplit=5)
            name = path[0].rstrip('\n') if path else ''
            if inode != '0' and int(offset, 16) == 0:
                first.setdefault(name, int(span.split('-')[0], 16))
            if 'x' in rights:
                runs.add(name)
    with open(f'/proc/{pid}/auxv', 'rb') as file:
        entry = dict(struct.iter_unpack('NN', file.read())).get(9, 0)    # AT_ENTRY
    below = [start for start in first.values() if start <= entry]
    program = max(below, default=0)
    return sorted(((name, start) for name, start in first.items() if name in runs), key=lambda one: (one[1] != program, one[1]))


class _Image:
    """A program or library in memory, from its ELF header on."""

    def __init__(self, memory: BinaryIO, start: int) -> None:
        """:raises ValueError: if it is none"""
        self._memory = memory
        if self._read(start, 5) != b'\x7fELF\2':
            raise ValueError
        (headers,), (size, count) = self._unpack('Q', start + 32), self._unpack('HH', start + 54)
        self._segments = [self._unpack('IIQQQQQQ', start + headers + size * number) for number in range(count)]
        #: What is added to an address of the file
        self._shift = start - min(address for kind, _, _, address, *_ in self._segments if kind == _PT_LOAD)

    def function(self, name: bytes) -> Optional[int]:
        tables = self._tables()
        if not {_DT_STRTAB, _DT_SYMTAB, _DT_GNU_HASH} <= tables.keys():
            return None
        for number in self._candidates(tables[_DT_GNU_HASH], _gnu_hash(name)):
            text, info, _, section, value, _ = self._unpack('IBBHQQ', tables[_DT_SYMTAB] + 24 * number)
            if info & 15 == _STT_FUNC and section and self._read(tables[_DT_STRTAB] + text, len(name) + 1) == name + b'\0':
                return int(value + self._shift)
        return None

    def _tables(self) -> Dict[int, int]:
        """Addresses of the dynamic section by tag."""
        for kind, _, _, address, _, _, size, _ in self._segments:
            if kind == _PT_DYNAMIC:
                entries = struct.iter_unpack('=QQ', self._read(self._shift + address, size - size % 16))
                # glibc has added to them what musl adds at each use.
                return {tag: value if value >= self._shift else value + self._shift for tag, value in entries if tag}
        return {}

    def _candidates(self, table: int, wanted: int) -> Iterator[int]:
        """Numbers of the symbols with a hash."""
        buckets, first, words, _ = self._unpack('IIII', table)
        chains = table + 16 + 8 * words + 4 * buckets
        number, = self._unpack('I', table + 16 + 8 * words + 4 * (wanted % buckets))
        if number < first:
            return
        for number in range(number, number + _MAX_CHAIN):
            found, = self._unpack('I', chains + 4 * (number - first))
            if found | 1 == wanted | 1:
                yield number
            if found & 1:
                return

    def _unpack(self, form: str, address: int) -> Tuple[int, ...]:
        return struct.unpack('=' + form, self._read(address, struct.calcsize('=' + form)))

    def _read(self, address: int, size: int) -> bytes:
        self._memory.seek(address)
        return self._memory.read(size)


def _gnu_hash(name: bytes) -> int:
    found = 5381
    for byte in name:
        found = (found * 33 + byte) & 0xffffffff
    return found
