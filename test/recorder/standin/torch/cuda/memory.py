from __future__ import annotations

from typing import Any, Optional


def _record_memory_history(enabled: Optional[str] = 'all', context: str = 'all', stacks: str = 'all', max_entries: int = 0) -> None:
    from . import allocator
    allocator.ring = max_entries if enabled else 0
    if not enabled:
        allocator.trace.clear()


def _snapshot() -> Any:
    from . import allocator
    return allocator.snapshot(True)


def memory_snapshot(mempool_id: Any = None, include_traces: bool = True) -> Any:
    from . import allocator
    return allocator.snapshot(include_traces)['segments']
