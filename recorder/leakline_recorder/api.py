"""The functions a training script calls. One recording per process.

Nothing here imports torch before ``start()``: until then the program may still set what torch reads when it is imported.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Iterator, Optional, TypeVar

from .guard import guarded
from .options import Options

if TYPE_CHECKING:
    from .memory import DeviceMemory
    from .session import Session

Item = TypeVar('Item')
_session: Optional['Session'] = None


@guarded('could not start')
def start(options: Optional[Options] = None, memory: Optional['DeviceMemory'] = None, **settings: Any) -> None:
    """Begin recording; a second call is ignored.

    ``settings`` are the fields of :class:`Options` (``every=20, out='recordings'``); what is not given comes from the
    environment (``LEAKLINE_EVERY=20``) and then from the defaults. ``memory`` replaces the CUDA allocator in tests.
    """
    from .memory import CudaMemory
    from .session import Session

    global _session
    if _session is None:
        session = Session(options or Options.from_environment(**settings), memory or CudaMemory())
        if session.open():
            _session = session


@guarded('could not stop')
def stop() -> None:
    """Write the last snapshot and stop recording."""
    global _session
    session, _session = _session, None
    if session is not None:
        session.close()


@guarded('could not count a step')
def mark_step() -> None:
    """Say that a training step is over. From the first call on, optimizers are no longer counted."""
    if _session is not None:
        _session.steps.mark()


@guarded('could not write a snapshot')
def dump(reason: str = 'asked') -> None:
    """Write a full snapshot now."""
    if _session is not None:
        _session.dump(reason)


def steps(batches: Iterable[Item]) -> Iterator[Item]:
    """Pass an iterable through, counting a step each time the loop comes back for more."""
    for batch in batches:
        yield batch
        del batch
        mark_step()
