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


def _with_host(enabled: Optional[str] = 'all', context: Optional[str] = 'all', stacks: str = 'all', max_entries: int = sys.maxsize,
               device: Any = None, clear_history: bool = False, compile_context: bool = False, global_record_annotations: bool = False,
               skip_actions: Any = None, record_pinned_host_memory: bool = False, record_cuda: bool = True) -> None:
    from . import allocator
    allocator.pins = enabled is not None and record_pinned_host_memory
    _with_clear(enabled, context, stacks, max_entries, device, clear_history, compile_context, global_record_annotations)


impl = _with_host if RELEASE >= (2, 14) else _with_clear if RELEASE >= (2, 8) else _without_clear
_record_memory_history.__signature__ = inspect.signature(impl)  # type: ignore[attr-defined]


def _whole(include_traces: bool) -> Any:
    from . import _lazy_init, allocator
    _lazy_init()
    allocator.refuse_unless_native('snapshot')
    found = allocator.snapshot(include_traces)
    if RELEASE >= (2, 14):    # the keys are there without a recording, too
        block = {'address': 4096, 'size': 1024, 'requested_size': 1024, 'state': 'active_allocated', 'frames': []}
        segment = {'device': -1, 'address': 4096, 'total_size': 1024, 'stream': 0, 'segment_type': 'small', 'blocks': [block]}
        event = {'action': 'alloc', 'addr': 4096, 'size': 1024, 'stream': 0, 'frames': []}
        found.update(host_segments=[segment] if allocator.pins else [], host_traces=[event] if allocator.pins and include_traces else [])
    return found


if RELEASE >= (2, 10):
    def _snapshot(device: Any = None, augment_with_fx_traces: bool = False) -> Any:
        found = _whole(True)
        return {**found, 'augmented': True} if augment_with_fx_traces else found
else:
    def _snapshot(device: Any = None) -> Any:
        return _whole(True)
_C._cuda_memorySnapshot = lambda pool: _whole(pool[2])


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
