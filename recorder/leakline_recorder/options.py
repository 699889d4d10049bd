"""What can be set, its defaults, and the environment variables that set it (``LEAKLINE_`` and the name in capitals)."""
from __future__ import annotations

import dataclasses
import inspect
import os
import typing
from typing import Any, Optional

DEFAULT_OUT = 'leakline-recordings'


@dataclasses.dataclass(frozen=True)
class Options:
    out: str = DEFAULT_OUT         #: folder for recordings; one sub-folder per run
    run: str = ''                  #: run id; '' takes it from the launcher, else makes one
    every: int = 10                #: steps between full snapshots at first
    start: int = 2                 #: also after each of the first steps, up to this one
    widen: int = 8                 #: full snapshots before the distance doubles
    limit: int = 100               #: full snapshots at most; out of memory, signals and the exit are always written
    light: int = 4                 #: snapshots without traces between two full ones, where the release has them
    max_entries: int = 200_000     #: events in the allocator's ring
    stacks: str = 'python'         #: 'python' or 'all'; with C++ frames a dump takes minutes
    holders: bool = True           #: look for holders of old tensors, at full snapshots
    holders_seconds: float = 5.0   #: most that one such walk may take
    min_age: int = 2               #: steps after which a tensor counts as old
    ranks: str = ''                #: ranks with full snapshots, such as 0,8-15,*/8; '' for all; others get light ones only
    budget: int = 20_000_000_000   #: bytes on disk for one rank, and no more than half of what is free; older snapshots go first
    names: str = 'source'          #: 'all' shows every key of a dictionary, not only those that are short names or in the source
    sources: bool = False          #: put the text of the source files into the sidecar, not only their hashes
    signal: str = 'SIGUSR1'        #: a snapshot when this arrives; '' for none, as under Slurm
    at_exit: bool = True           #: a snapshot when the process ends
    quiet: bool = False            #: no line per snapshot on standard error

    @classmethod
    def from_environment(cls, **given: Any) -> 'Options':
        unknown = set(given) - {field.name for field in dataclasses.fields(cls)}
        if unknown:
            raise TypeError(f"no such option: {', '.join(sorted(unknown))}")
        types = typing.get_type_hints(cls)
        values = {}
        for field in dataclasses.fields(cls):
            text = os.environ.get('LEAKLINE_' + field.name.upper())
            if field.name in given and given[field.name] is not None:
                values[field.name] = given[field.name]
            elif text is not None and field.name != 'run':  # LEAKLINE_RUN_ID is read in run.py
                values[field.name] = parse(types[field.name], text)
        if 'signal' not in values and os.environ.get('SLURM_JOB_ID'):
            # Slurm sends it before it ends a job, and programs that requeue themselves leave a signal alone that is taken.
            values['signal'] = ''
        return cls(**values)


def parse(kind: type, text: str) -> Any:
    if kind is bool:
        return text.strip().lower() in ('1', 'true', 'yes', 'on')
    return kind(text)


def describe(name: str) -> Optional[str]:
    """The comment beside a field, for ``--help``."""
    try:
        source = inspect.getsource(Options)
    except OSError:
        return None  # installed without its source
    for line in source.splitlines():
        if line.strip().startswith(f'{name}:') and '#:' in line:
            return line.split('#:', 1)[1].strip()
    return None
