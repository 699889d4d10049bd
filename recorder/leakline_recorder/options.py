"""Options, their defaults, and their environment variables (``LEAKLINE_`` and the name in capitals)."""
from __future__ import annotations

import dataclasses
import inspect
import math
import os
import re
import sys
import typing
from typing import Any, Optional

DEFAULT_OUT = 'leakline-recordings'
_CHOICES = {'device': ('cuda', 'cpu'), 'stacks': ('python', 'all'), 'names': ('source', 'all')}
_MIN = {'every': 1, 'max_entries': 1, 'widen': 1}
_BOOLEANS = {'1': True, 'true': True, 'yes': True, 'on': True, '0': False, 'false': False, 'no': False, 'off': False, '': False}


@dataclasses.dataclass(frozen=True)
class Options:
    out: str = DEFAULT_OUT         #: folder of the recordings; one sub-folder per run
    run: str = ''                  #: name of the run; '' takes it from the launcher, else makes one
    device: str = 'cuda'           #: 'cuda', or 'cpu': on the CPU over a model of the allocator, without a GPU
    every: int = 10                #: steps between full snapshots at the start of a run
    start: int = 2                 #: a full snapshot after each step up to this one
    widen: int = 8                 #: full snapshots before the interval doubles
    limit: int = 100               #: maximum number of full snapshots; those at out of memory, signal and exit do not count
    light: int = 4                 #: snapshots without traces between two full ones (PyTorch 2.11 and newer)
    max_entries: int = 200_000     #: events that the allocator's ring buffer holds
    stacks: str = 'python'         #: 'python' or 'all'; with C++ frames, the first snapshot takes seconds, in older releases each takes minutes
    holders: bool = True           #: find the objects that hold old tensors, at full snapshots
    holders_seconds: float = 5.0   #: seconds for one such search; one that needs more doubles them for the next, up to four times
    step: str = ''                 #: count each call of MODULE:FUNCTION as a step; or vllm, sglang, comfyui, generate, diffusers
    min_age: int = 2               #: steps after which a tensor counts as old
    ranks: str = ''                #: ranks with full snapshots, such as 0,8-15,*/8; '' for all; all others write light ones only
    budget: int = 20_000_000_000   #: maximum number of bytes on disk per rank; never more than half of the free space
    names: str = 'source'          #: 'all' writes every key of a dictionary, not only short names and keys in the source
    sources: bool = False          #: write the text of the source files, not only their hashes
    signal: str = 'SIGUSR1'        #: the signal that triggers a snapshot; '' for none, as under Slurm
    at_exit: bool = True           #: write a snapshot when the process ends
    quiet: bool = False            #: print no line per snapshot on standard error

    def __post_init__(self) -> None:
        for name, kind in typing.get_type_hints(type(self)).items():
            expected = _expected(name, kind, getattr(self, name))
            if expected:
                raise _unexpected(name, expected, getattr(self, name))

    @classmethod
    def from_environment(cls, **given: Any) -> 'Options':
        unknown = set(given) - {field.name for field in dataclasses.fields(cls)}
        if unknown:
            raise TypeError(f"no such option: {', '.join(sorted(unknown))}")
        values = {}
        for field in dataclasses.fields(cls):
            text = os.environ.get('LEAKLINE_' + field.name.upper())
            if field.name in given and given[field.name] is not None:
                values[field.name] = given[field.name]
            elif text is not None and field.name != 'run':  # LEAKLINE_RUN_ID is read in run.py
                values[field.name] = parse(field.name, text)
        if 'signal' not in values and os.environ.get('SLURM_JOB_ID'):
            # Slurm sends it before it ends a job, and programs that requeue themselves do not handle a signal that is
            # taken.
            values['signal'] = ''
        return cls(**values)


def parse(name: str, text: str) -> Any:
    """The value of an option. A ValueError says which option expects what."""
    kind = typing.get_type_hints(Options)[name]
    try:
        value = _BOOLEANS[text.strip().lower()] if kind is bool else kind(text)
    except (KeyError, ValueError):
        value = text
    expected = _expected(name, kind, value)
    if expected:
        raise _unexpected(name, expected, value)
    return value


def _expected(name: str, kind: type, value: Any) -> str:
    """What an option expects, if a value is something else."""
    least = _MIN.get(name, 0)
    if kind is bool:
        return '' if isinstance(value, (bool, int)) else 'true or false'
    if kind is int:
        return '' if isinstance(value, int) and least <= value <= sys.maxsize else f'a whole number from {least} to {sys.maxsize}'
    if kind is float:
        return '' if isinstance(value, (int, float)) and 0 <= value < math.inf else 'a number of at least 0'
    if name in _CHOICES:
        return '' if value in _CHOICES[name] else ' or '.join(_CHOICES[name])
    if name == 'signal':
        return '' if isinstance(value, str) and re.fullmatch('(SIG[A-Z0-9]+)?', value) else 'the name of a signal, such as SIGUSR1'
    return '' if isinstance(value, (str, os.PathLike)) else 'a text'


def _unexpected(name: str, expected: str, value: Any) -> ValueError:
    shown = repr(value)
    return ValueError(f"{name} expects {expected}, got {shown if len(shown) <= 80 else shown[:79] + '…'}")


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
