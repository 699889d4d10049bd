"""The device's allocator for the recorder: one port, and CUDA behind it. It never initializes CUDA: scripts choose
``CUDA_VISIBLE_DEVICES`` in their first lines, and a process with CUDA cannot fork. Recording begins when the program
first uses a GPU.
"""
from __future__ import annotations

import contextlib
import inspect
import sys
import threading
from typing import Any, Callable, Dict, Iterator, List, Optional, Protocol, Set, Tuple

import torch

from .guard import ordinary
from .history import ProgramsHistory
from .plain import is_a

OomObserver = Callable[[int, int, int, int], None]

#: the counters of ``torch.cuda.memory_stats`` in the sidecar
STATS = ('allocated_bytes.all.current', 'allocated_bytes.all.peak', 'reserved_bytes.all.current', 'reserved_bytes.all.peak',
         'active_bytes.all.current', 'active_bytes.all.peak', 'requested_bytes.all.current', 'inactive_split_bytes.all.current',
         'allocation.all.current', 'allocation.all.allocated', 'segment.all.current', 'num_alloc_retries', 'num_ooms',
         'num_device_alloc', 'num_device_free')
#: of these, some that change with every event of the allocator; only the program can reset them
COUNTERS = ('allocation.all.allocated', 'allocation.all.freed', 'active.all.freed', 'segment.all.allocated', 'segment.all.freed',
            'reserved_bytes.all.allocated', 'reserved_bytes.all.freed', 'num_ooms')
Counters = Tuple[int, ...]
#: torch cannot detach an observer: one stays for the whole process, and calls the recording that is on
_oom_observers: List[OomObserver] = []
_observed = False


class DeviceMemory(Protocol):
    """The recorder's calls to an allocator. Sizes in bytes."""

    device_type: str        #: tensors with this ``device.type`` lie in it
    light_snapshots: bool   #: can it snapshot without traces?
    clearable: bool         #: can the history be cleared now, and is it the recorder's alone?

    def available(self) -> bool: ...
    def when_ready(self, begin: Callable[[], None]) -> None: ...
    def ready(self) -> bool: ...
    def record(self, max_entries: int, stacks: str) -> None: ...
    def history_is_on(self) -> bool: ...
    def keep_watching(self) -> None: ...
    def clear(self) -> None: ...
    def counters(self) -> List[Counters]: ...
    def stop(self) -> None: ...
    def snapshot(self, traces: bool) -> Dict[str, Any]: ...
    def stats(self) -> Dict[str, int]: ...
    def devices(self) -> List[Dict[str, Any]]: ...
    def attach_oom(self, observer: OomObserver) -> bool: ...
    def address(self, tensor: torch.Tensor) -> Optional[int]: ...


def allocations(memory: DeviceMemory) -> int:
    """The number of allocations on all devices so far."""
    return sum(values[0] for values in memory.counters())


class CudaMemory:
    """PyTorch's CUDA caching allocator (2.1 and newer)."""

    device_type = 'cuda'

    def __init__(self) -> None:
        memory = torch.cuda.memory
        self._light = [function for function in (memory.memory_snapshot, memory._snapshot)
                       if 'include_traces' in _parameters(function)][:1]
        self.light_snapshots = bool(self._light)
        self._pins = 'record_pinned_host_memory' in _parameters(memory._record_memory_history)
        self._augments = 'augment_with_fx_traces' in _parameters(memory._snapshot)
        self._programs = ProgramsHistory(torch.cuda.is_initialized() and self.history_is_on())
        self._settings: Dict[str, Any] = {}

    @property
    def clearable(self) -> bool:
        return bool(self._settings) and not self._programs.is_on and 'clear_history' in _parameters(torch.cuda.memory._record_memory_history)

    def available(self) -> bool:
        """True if this build of torch can use CUDA; a device shows when the program uses it."""
        return torch.backends.cuda.is_built()

    def ready(self) -> bool:
        return torch.cuda.is_initialized()

    def when_ready(self, begin: Callable[[], None]) -> None:
        """Call ``begin`` at once if CUDA is up, else right after it has been initialized, before any allocation."""
        torch.cuda._lazy_call(begin)

    def record(self, max_entries: int, stacks: str) -> None:
        record = torch.cuda.memory._record_memory_history
        self._settings = {'enabled': 'all', 'context': 'all', 'stacks': stacks, 'max_entries': max(1, max_entries)}
        # Scopes, such as those of optimizers, are recorded on this thread only, unless torch records all.
        if threading.current_thread() is not threading.main_thread() and 'global_record_annotations' in _parameters(record):
            self._settings['global_record_annotations'] = True
        if self._pins:
            self._settings['record_pinned_host_memory'] = True
        with self._programs.call_of_ours():
            record(**self._settings)

    def history_is_on(self) -> bool:
        """False if the program has switched it off, as programs do that record a few steps themselves."""
        asked = getattr(torch._C, '_cuda_isHistoryEnabled', None)
        return asked is None or bool(asked())

    def keep_watching(self) -> None:
        """Does nothing, because the allocator records in whatever mode the program runs."""

    def clear(self) -> None:
        with self._programs.call_of_ours():
            torch.cuda.memory._record_memory_history(**self._settings, clear_history=True)

    def counters(self) -> List[Counters]:
        every = [torch.cuda.memory_stats(device) for device in range(torch.cuda.device_count())]
        return [tuple(stats.get(name, 0) for name in COUNTERS) for stats in every]

    def stop(self) -> None:
        self._settings = {}
        with self._programs.call_of_ours():
            torch.cuda.memory._record_memory_history(enabled=None)
        _oom_observers.clear()
        self.leave()

    def leave(self) -> None:
        """No longer watch the program's calls; its history stays as it is."""
        self._programs.stop()

    def snapshot(self, traces: bool) -> Dict[str, Any]:
        with _every_pool(), without_inductor():
            return self._snapshot(traces)

    def _snapshot(self, traces: bool) -> Dict[str, Any]:
        if traces or not self._light:
            # This looks at each frame of each stack, so it is done only where generated code has named the lines it comes from.
            return torch.cuda.memory._snapshot(**({'augment_with_fx_traces': True} if self._augments and _has_fx_traces() else {}))
        if self._pins:
            return torch._C._cuda_memorySnapshot((0, 0, False))    # `memory_snapshot` leaves out pinned host memory
        found = self._light[0](include_traces=False)
        if isinstance(found, dict):
            return found
        return {'segments': found, 'device_traces': [[] for _ in range(torch.cuda.device_count())]}

    def stats(self) -> Dict[str, int]:
        stats = torch.cuda.memory_stats()
        return {name: stats[name] for name in STATS if name in stats}

    def devices(self) -> List[Dict[str, Any]]:
        """The devices on which this process allocates; none during the capture of a CUDA graph, which the query could
        spoil. A query of another device would create a context on it.
        """
        found = []
        if torch.cuda.is_current_stream_capturing():
            return found
        current = torch.cuda.current_device()
        for index in range(torch.cuda.device_count()):
            reserved = torch.cuda.memory_reserved(index)
            if not reserved and index != current:
                continue
            free, total = torch.cuda.mem_get_info(index)
            found.append({'index': index, 'name': torch.cuda.get_device_name(index), 'capacityBytes': total,
                          'reservedBytes': reserved, 'outsideBytes': max(0, total - free - reserved)})
        return found

    def attach_oom(self, observer: OomObserver) -> bool:
        global _observed
        attach = getattr(torch._C, '_cuda_attach_out_of_memory_observer', None)
        if attach is None:
            return False
        _oom_observers[:] = [observer]
        if not _observed:
            attach(_out_of_memory)
            _observed = True
        return True

    def address(self, tensor: torch.Tensor) -> Optional[int]:
        # A tensor of torch.compile's tracing has no memory, and warns if code reads its address.
        fake = getattr(sys.modules.get('torch._subclasses.fake_tensor'), 'FakeTensor', None)
        if fake is not None and is_a(tensor, fake):
            return None
        return tensor.untyped_storage().data_ptr() or None


def _out_of_memory(*sizes: int) -> None:
    for observer in list(_oom_observers):
        observer(*sizes)


@contextlib.contextmanager
def _every_pool() -> Iterator[None]:
    """In 2.6 and 2.7, a snapshot inside ``torch.cuda.use_mem_pool`` shows that pool alone: the pool is left meanwhile.
    """
    context = getattr(torch._C, '_MemPoolContext', None)
    outside = context(None) if context is not None and context.active_pool() is not None else None
    try:
        yield
    finally:
        del outside


@contextlib.contextmanager
def without_inductor() -> Iterator[None]:
    """To name compiled code, torch looks for its compiler in each snapshot, and imports it: that takes up to 6 s. Where it
    is not imported, no code is compiled, so this thread finds none.
    """
    lazy = getattr(torch, '_lazy_modules', None)
    if 'torch._inductor' in sys.modules or not isinstance(lazy, set):
        yield
        return
    torch._lazy_modules = _LazyModules(lazy, threading.get_ident())    # type: ignore[attr-defined]
    try:
        yield
    finally:
        torch._lazy_modules = lazy    # type: ignore[attr-defined]


class _LazyModules(Set[str]):
    """The modules that torch imports on request, for all threads but one without its compiler."""

    def __init__(self, modules: Set[str], thread: int) -> None:
        super().__init__(modules)
        self._thread = thread

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) and not (name == '_inductor' and threading.get_ident() == self._thread)


def _has_fx_traces() -> bool:
    return bool(getattr(sys.modules.get('torch.fx.traceback'), '_FX_METADATA_REGISTRY', None))


def _parameters(function: Callable[..., Any]) -> Any:
    try:
        return inspect.signature(function).parameters
    except ordinary(TypeError, ValueError):
        return {}
