"""The objects that hold GPU memory now, largest first: in a notebook, or of another process."""
from __future__ import annotations

import dataclasses
import re
import sys
import traceback
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
        kinds = {'parameter': 'parameters', 'gradient': 'gradients', 'buffer': 'buffers', 'optimizer': 'optimizer state', 'traceback': 'in a traceback'}
        lines = [(row.bytes, row.name + (f' ({kinds[row.kind]})' if row.kind in kinds else ''), _place(row)) for row in self.rows]
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


def _place(row: Holder) -> str:
    """The file and line of a holder. A notebook's cell is named as in tracebacks: ``In[3], line 8``. ``Out[3]`` needs no place."""
    if row.line is None:
        return '' if row.name.startswith('Out[') else row.file or row.text
    cell = getattr(getattr(_shell(), 'compile', None), 'format_code_name', lambda file: None)(row.file)
    return f'{cell[1]}, line {row.line}' if cell else f'{row.file}:{row.line}'


def _name(row: Dict[str, Any]) -> str:
    name = str(row['name'])
    if row['kind'] == 'global' and name in ('_', '__', '___'):
        own = vars(sys.modules['__main__'])
        name = next((f'_{number}' for number, value in own.get('Out', {}).items() if value is own.get(name)), name)
    found = _OUT.match(name) if row['kind'] == 'global' else None
    return f'Out[{found[1]}]' if found else name


def drop(*names: str) -> None:
    """Delete variables of a notebook: ``'grid'``, ``'Out[3]'``, or ``'tracebacks'`` for the frames of the last exception,
    whose variables it keeps alive. IPython's own references to them go, too; other variables of the same object stay.
    :raises NameError: for a name that is not there; then nothing is deleted
    """
    own = vars(sys.modules['__main__'])
    variables = {name: re.sub(r'^Out\[(\d+)\]$', r'_\1', name) for name in names if name != 'tracebacks'}
    for name, variable in variables.items():
        if variable not in own:
            raise NameError(f"{name!r} is no variable of this notebook. drop expects variables, 'Out[n]', or 'tracebacks'.")
    shell = _shell()
    # Two of them can be the same object.
    for value in [own[variable] for variable in variables.values()]:
        _forget(value, own, shell)
    for variable in variables.values():
        own.pop(variable, None)
    if 'tracebacks' in names:
        _drop_tracebacks(shell)


def _forget(value: Any, own: Dict[str, Any], shell: Any) -> None:
    """Delete the references that IPython keeps to a result."""
    kept = [own.get('Out', {}), {} if shell is None else shell.user_ns_hidden]
    for space in [own, *kept]:
        for name in [name for name, other in space.items() if other is value]:
            if space is not own or re.fullmatch(r'_{1,3}|_\d+', name):
                del space[name]
    if shell is None:
        return
    if getattr(shell.last_execution_result, 'result', None) is value:
        shell.last_execution_result = None
    for name in ('_', '__', '___'):
        if getattr(shell.displayhook, name, None) is value:
            setattr(shell.displayhook, name, None)


def _shell() -> Any:
    ipython = sys.modules.get('IPython')
    return ipython.get_ipython() if ipython is not None else None


def _drop_tracebacks(shell: Any) -> None:
    last = getattr(sys, 'last_exc', None) or getattr(sys, 'last_value', None)
    while last is not None:
        traceback.clear_frames(last.__traceback__)
        last.__traceback__ = None
        last = last.__cause__ or last.__context__
    for name in ('last_exc', 'last_value', 'last_traceback', 'last_type'):
        if hasattr(sys, name):
            delattr(sys, name)
    if shell is not None and hasattr(shell, 'InteractiveTB'):
        shell.InteractiveTB.tb = None


def magic(line: str) -> Optional[Holders]:
    """``%leakline holders [cuda | cpu]`` and ``%leakline drop NAME…`` in IPython."""
    command, *arguments = line.split() or ['']
    if command == 'holders' and len(arguments) < 2:
        return holders(*arguments)
    if command == 'drop' and arguments:
        drop(*arguments)
    else:
        print(f"leakline: %leakline expects 'holders [cuda | cpu]' or 'drop NAME…', got {line.strip()!r}")
    return None
