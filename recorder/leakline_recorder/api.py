"""The functions for training scripts. One recording per process. ``start()`` is the first to import torch: until then,
the program may set variables for it.
"""
from __future__ import annotations

import contextlib
import dataclasses
import os
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, Optional, Tuple, TypeVar

from . import spawned
from .guard import guarded, say
from .options import Options

if TYPE_CHECKING:
    from types import CodeType

    from .memory import DeviceMemory
    from .session import Session

Item = TypeVar('Item')
_session: Optional['Session'] = None
_exits = contextlib.ExitStack()


@guarded('could not start')
def start(options: Optional[Options] = None, memory: Optional['DeviceMemory'] = None, **settings: Any) -> None:
    """Begin recording; a second call is ignored. ``settings`` are the fields of :class:`Options` (``every=20,
    out='recordings'``). The environment (``LEAKLINE_EVERY=20``) and the defaults complete them. ``memory`` replaces the
    CUDA allocator in tests.
    """
    if _session is None:
        chosen = options or Options.from_environment(**settings)
        if _open(chosen, memory):
            spawned.arrange({**dataclasses.asdict(chosen), 'out': os.path.abspath(chosen.out)}, run_of_children)


def begin(options: Options) -> 'Session':
    """As :func:`start`, but without processes that this one will spawn, and with the errors."""
    _open(options)
    if _session is None or not _session.is_recording:
        stop()
        raise RuntimeError('could not begin to record: its standard error has the reason')
    return _session


def session() -> Optional['Session']:
    """The recording of this process."""
    return _session


@guarded('could not start')
def start_on_device(settings: Dict[str, Any], inherited_rank: str) -> None:
    """Begin in a spawned process before its first use of a device, unless recording has started already."""
    if _session is None:
        _open(Options.from_environment(**settings), inherited_rank=inherited_rank, on_device=True)


def _open(options: Options, memory: Optional['DeviceMemory'] = None, inherited_rank: str = '', on_device: bool = False) -> bool:
    from .session import Session

    global _session
    opened = Session(options, memory or _memory(options), inherited_rank)
    try:
        if opened.open(on_device):
            _session = opened
    except BaseException:
        opened.close()
        _exits.close()
        raise
    return _session is opened


def _memory(options: Options) -> 'DeviceMemory':
    if options.device == 'cuda':
        from .memory import CudaMemory
        return CudaMemory()
    from .cpu_memory import SEES, CpuMemory
    if not options.quiet:
        say(f'recording over {SEES}')
    return _exits.enter_context(CpuMemory())


def is_on() -> bool:
    """True after :func:`start`, until :func:`stop`."""
    return _session is not None


def folder() -> Optional[str]:
    """The folder of the recording's snapshots, None before the first."""
    return _session.folder if _session is not None and os.path.isdir(_session.folder) else None


def live() -> Tuple[int, int]:
    """Live bytes and blocks of this recording's devices."""
    stats = _session.memory.stats() if _session is not None else {}
    return stats.get('allocated_bytes.all.current', 0), stats.get('allocation.all.current', 0)


def search_holders(on: bool) -> None:
    """Search for holders at the next snapshots, or no longer."""
    if _session is not None:
        _session.searches = on


def repeat(repeater: 'CodeType', body: 'CodeType') -> None:
    """Each round of the loop in ``repeater`` is a whole run of the program, ``body``."""
    if _session is not None:
        _session.stage.rounds.repeat(repeater, body)


def run_of_children(settings: Dict[str, Any], rank: str) -> str:
    """The run of a spawned process: its own name, shared by the ranks of a job on several machines."""
    from .run import identify

    own = _session.run.id if _session is not None else identify(settings.get('run', '')).id
    return own[:60] + (f'-rank{rank}' if rank else '') + '-spawned'


@guarded('could not stop')
def stop() -> None:
    """Write the last snapshot and stop recording."""
    global _session
    ended, _session = _session, None
    if ended is not None:
        ended.close()
    _exits.close()


@guarded('could not count a step')
def mark_step() -> None:
    """End a training step. After the first call, optimizers no longer count."""
    if _session is not None:
        _session.stage.steps.mark()


@guarded('could not write a snapshot')
def dump(reason: str = 'asked') -> None:
    """Write a full snapshot now."""
    if _session is not None:
        _session.dump(reason)


def steps(batches: Iterable[Item]) -> Iterator[Item]:
    """Pass an iterable through, counting a step at each iteration."""
    for batch in batches:
        yield batch
        del batch
        mark_step()
