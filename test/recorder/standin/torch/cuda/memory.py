from __future__ import annotations

import inspect
import sys
import threading
from typing import Any, Optional

from .. import _C
from ..release import RELEASE


def _record_memory_history(enabled: Any = 'all', *args: Any, **kwargs: Any) -> None:
    """The dispatch of 2.1 and newer: a boolean asks for the interface of 2.0."""
    if isinstance(enabled, bool):
        raise TypeError('the interface of 2.0, which the recorder must not call')
    impl(enabled, *args, **kwargs)


def _switch(enabled: Optional[str], context: Optional[str], stacks: str, max_entries: int, clear_history: bool, annotations: bool) -> None:
    from . import _lazy_init, allocator
    if not 0 <= max_entries < 1 << 64:
        raise TypeError('incompatible function arguments: max_entries is a size_t')
    for value, known in ((enabled, ('state', 'all', None)), (context, ('state', 'alloc', 'all', None)), (stacks, ('python', 'all'))):
        if value not in known:
            raise RuntimeError(f'expected one of {known}')
    _lazy_init()
    allocator.refuse_unless_native('recordHistory')
    allocator.ring = max(1, max_entries) if enabled == 'all' else 1 if enabled else 0
    allocator.annotated = 'every thread' if annotations else threading.current_thread().name
    if not enabled or clear_history:
        allocator.trace.clear()


_C._cuda_record_memory_history = _switch


def _without_clear(enabled: Optional[str] = 'all', context: Optional[str] = 'all', stacks: str = 'all',
                   max_entries: int = sys.maxsize, device: Any = None) -> None:
    """Before 2.3 each call begins again."""
    _C._cuda_record_memory_history(enabled, context, stacks, max_entries, RELEASE < (2, 3), False)


def _with_clear(enabled: Optional[str] = 'all', context: Optional[str] = 'all', stacks: str = 'all', max_entries: int = sys.maxsize,
                device: Any = None, clear_history: bool = False, compile_context: bool = False, global_record_annotations: bool = False) -> None:
    _C._cuda_record_memory_history(enabled, context, stacks, max_entries, clear_history, global_record_annotations)


impl = _with_clear if RELEASE >= (2, 8) else _without_clear
_record_memory_history.__signature__ = inspect.signature(impl)  # type: ignore[attr-defined]


def _snapshot(device: Any = None) -> Any:
    from . import _lazy_init, allocator
    _lazy_init()
    allocator.refuse_unless_native('snapshot')
    return allocator.snapshot(True)


def _segments(include_traces: bool = True) -> Any:
    from . import _lazy_init, allocator
    _lazy_init()
    return allocator.snapshot(include_traces)['segments']


if RELEASE >= (2, 11):
    def memory_snapshot(mempool_id: Any = None, include_traces: bool = True) -> Any:
        return _segments(include_traces)
elif RELEASE >= (2, 7):
    def memory_snapshot(mempool_id: Any = None) -> Any:
        return _segments()
else:
    def memory_snapshot() -> Any:
        return _segments()
