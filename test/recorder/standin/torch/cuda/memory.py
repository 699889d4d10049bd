from __future__ import annotations

import sys
from typing import Any, Optional


def _record_memory_history(enabled: Any = 'all', *args: Any, **kwargs: Any) -> None:
    """The dispatch of 2.1 and newer: a boolean asks for the interface of 2.0."""
    if isinstance(enabled, bool):
        raise TypeError('the interface of 2.0, which the recorder must not call')
    _record_memory_history_impl(enabled, *args, **kwargs)


def _record_memory_history_impl(enabled: Optional[str] = 'all', context: Optional[str] = 'all', stacks: str = 'all',
                                max_entries: int = sys.maxsize, device: Any = None) -> None:
    from . import _lazy_init, allocator
    if not 0 <= max_entries < 1 << 64:
        raise TypeError('incompatible function arguments: max_entries is a size_t')
    for value, known in ((enabled, ('state', 'all', None)), (context, ('state', 'alloc', 'all', None)), (stacks, ('python', 'all'))):
        if value not in known:
            raise RuntimeError(f'expected one of {known}')
    _lazy_init()
    allocator.refuse_unless_native('recordHistory')
    allocator.ring = max(1, max_entries) if enabled == 'all' else 1 if enabled else 0
    if not enabled:
        allocator.trace.clear()


def _snapshot(device: Any = None) -> Any:
    from . import _lazy_init, allocator
    _lazy_init()
    allocator.refuse_unless_native('snapshot')
    return allocator.snapshot(True)


def memory_snapshot(mempool_id: Any = None, include_traces: bool = True) -> Any:
    from . import _lazy_init, allocator
    _lazy_init()
    return allocator.snapshot(include_traces)['segments']
