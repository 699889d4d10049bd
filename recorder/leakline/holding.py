"""The objects that hold GPU memory now, largest first: in a notebook, or of another process."""
from __future__ import annotations

import dataclasses
import re
from typing import Any, Dict, List, Optional, Tuple

SCHEMA = 'leakline.holders/1'
_OUT = re.compile(r'_(\d+)$')    # IPython's name for Out[n]
_UNITS = ('B', 'KiB', 'MiB', 'GiB', 'TiB')


@dataclasses.dataclass(frozen=True)
class Holder:
    """A place in the program, and all memory that it holds."""

    name: str              #: such as ``history['loss']``; of a model, its variable
    kind: str              #: as in the recorder's files; 'parameter', 'gradient', 'buffer', 'optimizer' of a model's own memory
    bytes: int             #: as the allocator rounds them
    blocks: int
    file: Optional[str]    #: of the statement that stores the memory there, else of the name's definition
    line: Optional[int]    #: 1-based
    text: str              #: the whole way to the newest of its blocks


@dataclasses.dataclass(frozen=True, repr=False)
class Holders:
    """All live memory of a device's allocator, in bytes."""

    device: str
    bytes: int                   #: in total
    rows: Tuple[Holder, ...]     #: largest first
    omitted: int                 #: number of smaller holders without a row
    omitted_bytes: int
    unheld_bytes: int            #: without a Python object as holder
    complete: bool               #: False if the time ran out: some memory may have a holder that is not named

    @classmethod
    def of(cls, told: Dict[str, Any]) -> 'Holders':
        rows = tuple(Holder(**{**row, 'name': _name(row)}) for row in told['holders'])
        return cls(told['device'], told['bytes'], rows, told['omitted'], told['omittedBytes'], told['unheldBytes'], told['complete'])

    def as_json(self) -> Dict[str, Any]:
        return {'schema': SCHEMA, 'device': self.device, 'bytes': self.bytes, 'holders': [dataclasses.asdict(row) for row in self.rows],
                'omitted': self.omitted, 'omittedBytes': self.omitted_bytes, 'unheldBytes': self.unheld_bytes, 'complete': self.complete}

    def __str__(self) -> str:
        kinds = {'parameter': 'parameters', 'gradient': 'gradients', 'buffer': 'buffers', 'optimizer': 'optimizer state'}
        lines = [(row.bytes, row.name + (f' ({kinds[row.kind]})' if row.kind in kinds else ''), f'{row.file}:{row.line}' if row.line else row.file or row.text)
                 for row in self.rows]
        if self.omitted_bytes:
            lines.append((self.omitted_bytes, f'{self.omitted} smaller holders', ''))
        if self.unheld_bytes:
            lines.append((self.unheld_bytes, 'no Python object that could be named', ''))
        width = max((len(name) for _, name, _ in lines), default=0)
        text: List[str] = [f'{size(self.bytes)} of {self.device.upper()} memory is live.']
        text += [f'{size(count):>10}  {name:{width}}  {place}'.rstrip() for count, name, place in lines]
        return '\n'.join(text + ['The search ran out of time: some holders are missing.'] * (not self.complete))

    __repr__ = __str__


def holders(device: Optional[str] = None, seconds: float = 5.0, names: str = 'source') -> Holders:
    """What holds the memory of this process. ``device``: 'cuda', or 'cpu' to count CPU tensors; by default 'cuda' if the
    program has used a GPU. ``seconds``: maximum for the search. ``names='all'`` shows each key of a dictionary.
    """
    import torch
    from leakline_recorder.holders.now import holders_now

    return Holders.of(holders_now(device or ('cuda' if torch.cuda.is_initialized() else 'cpu'), seconds, names))


def size(count: int) -> str:
    """Bytes with a binary unit."""
    power = min(max(count.bit_length() - 1, 0) // 10, len(_UNITS) - 1)
    return f'{count / 1024 ** power:.{1 if power else 0}f} {_UNITS[power]}'


def _name(row: Dict[str, Any]) -> str:
    found = _OUT.match(row['name']) if row['kind'] == 'global' else None
    return f'Out[{found[1]}]' if found else str(row['name'])


def magic(line: str) -> Optional[Holders]:
    """``%leakline holders [cuda | cpu]`` in IPython."""
    command, _, device = line.strip().partition(' ')
    if command != 'holders':
        print(f'leakline: %leakline expects: holders [cuda | cpu], got {line.strip()!r}')
        return None
    return holders(device.strip() or None)
