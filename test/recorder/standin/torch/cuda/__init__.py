from __future__ import annotations

import os
import sys
import threading
import time
from typing import Any, Callable, Dict, List

from .. import _C
from . import memory
from ..release import RELEASE

_initialized = False
_process = 0    # that initialized the device
_tls = threading.local()
_initialization_lock = threading.Lock()
_queued_calls: List[Callable[[], None]] = []


class Allocator:
    """Addresses are never used twice; one segment per block. Sizes in bytes, rounded up to 512."""

    def __init__(self) -> None:
        self.capacity = 1 << 40
        self.blocks: Dict[int, Dict[str, Any]] = {}
        self.trace: List[Dict[str, Any]] = []
        self.ring = 0
        self.backend = 'native'
        self.counted = {'allocation.all.allocated': 0, 'allocation.all.freed': 0, 'active.all.freed': 0, 'num_ooms': 0}
        self.annotated = ''    # threads whose scopes are recorded
        self.pins = False      # pinned host memory is recorded, too
        self._next = 1 << 40

    def malloc(self, nbytes: int) -> int:
        _lazy_init()
        size = (nbytes + 511) // 512 * 512
        if sum(block['size'] for block in self.blocks.values()) + size > self.capacity:
            self.counted['num_ooms'] += 1
            self.event('oom', 0, size, frames(2))
            for observer in _C.observers:
                observer(0, size, self.capacity, 0)
            raise _C.OutOfMemoryError('CUDA out of memory (stand-in)')
        address, self._next = self._next, self._next + size
        self.counted['allocation.all.allocated'] += 1
        stack = frames(2)
        self.blocks[address] = {'address': address, 'size': size, 'requested_size': nbytes, 'state': 'active_allocated', 'frames': stack}
        self.event('alloc', address, nbytes, stack)
        return address

    def free(self, address: int) -> None:
        block = self.blocks.pop(address, None)
        if block is not None and sys is not None:
            self.counted['allocation.all.freed'] += 1
            self.event('free_requested', address, block['requested_size'], frames(2))
            self.counted['active.all.freed'] += 1
            self.event('free_completed', address, block['requested_size'], frames(2))

    def event(self, action: str, address: int, size: int, stack: List[Dict[str, Any]]) -> None:
        if self.ring:
            self.trace.append({'action': action, 'addr': address, 'size': size, 'stream': 0, 'time_us': time.time_ns() // 1000, 'frames': stack})
            del self.trace[:-self.ring]

    def refuse_unless_native(self, asked: str) -> None:
        if self.backend != 'native':
            raise RuntimeError(f'{self.backend} does not yet support {asked}. If you need it, please file an issue describing your use case.\n'
                               'Exception raised from here (most recent call first):\nframe #0: nothing')

    def snapshot(self, traces: bool) -> Dict[str, Any]:
        segments = [{'device': 0, 'address': block['address'], 'total_size': block['size'], 'active_size': block['size'],
                     'blocks': [dict(block)]} for block in self.blocks.values()]
        if _C.MemPoolContext.active is not None and (2, 6) <= RELEASE < (2, 8):
            segments = []    # no block of the toy lies in a pool
        trace = list(self.trace) if traces else []
        self.event('snapshot', 0, sum(block['size'] for block in self.blocks.values()), [])
        return {'segments': segments, 'device_traces': [trace]}


def frames(skip: int) -> List[Dict[str, Any]]:
    found, frame = [], sys._getframe(skip)
    while frame is not None:
        code = frame.f_code
        if code.co_filename != __file__ and '/standin/' not in code.co_filename:
            found.append({'name': code.co_name, 'filename': code.co_filename, 'line': frame.f_lineno})
        frame = frame.f_back
    return found


allocator = Allocator()
if (2, 5) <= RELEASE < (2, 8):
    _C._MemPoolContext = _C.MemPoolContext
_C._cuda_isHistoryEnabled = lambda: allocator.ring > 0
capturing = False    # a graph is being captured on the current stream


def init() -> None:
    _lazy_init()


def _lazy_init() -> None:
    """As torch has it: what waited runs under a lock that is not reentrant, before ``is_initialized()`` turns true."""
    global _initialized, _process
    if is_initialized() or hasattr(_tls, 'is_initializing'):
        return
    with _initialization_lock:
        if is_initialized():
            return
        if _is_in_bad_fork():
            raise RuntimeError('Cannot re-initialize CUDA in forked subprocess.')
        _tls.is_initializing = True
        try:
            for call in _queued_calls:
                call()
        finally:
            del _tls.is_initializing
        _initialized, _process = True, os.getpid()


def is_initialized() -> bool:
    return _initialized and not _is_in_bad_fork()


def _is_in_bad_fork() -> bool:
    return _initialized and os.getpid() != _process


def _lazy_call(call: Callable[[], None]) -> None:
    if RELEASE < (2, 7):    # no lock around the question
        if is_initialized():
            call()
        else:
            _queued_calls.append(call)
        return
    if not _initialization_lock.acquire(timeout=5):
        raise RuntimeError('here torch would wait for ever')
    try:
        if is_initialized():
            call()
        else:
            _queued_calls.append(call)
    finally:
        _initialization_lock.release()


def device_count() -> int:
    return 1


def is_current_stream_capturing() -> bool:
    return capturing


def current_device() -> int:
    _lazy_init()
    return 0


def get_device_name(index: int) -> str:
    return 'Stand-in'


def memory_reserved(index: int = 0) -> int:
    return sum(block['size'] for block in allocator.blocks.values())


def mem_get_info(index: int = 0) -> Any:
    if capturing:
        raise RuntimeError('CUDA error: operation not permitted when stream is capturing\nCUDA kernel errors might be reported elsewhere.')
    return (1 << 34) - memory_reserved() - (1 << 20), 1 << 34


def memory_stats(device: Any = None) -> Dict[str, int]:
    return {'active_bytes.all.current': memory_reserved(), 'allocation.all.current': len(allocator.blocks),
            'unlisted': 1, **allocator.counted}
