"""A model of the CUDA caching allocator, fed with the storages that CPU PyTorch allocates and frees. Sizes, order and
Python stacks are real. Addresses, rounding and segments are modelled. Streams, C++ frames and memory of kernels
(cuBLAS, cuDNN) are not. As on a GPU, autograd's backward has no Python frames, except those of a custom Function's
``backward``.
"""
from __future__ import annotations

import functools
import sys
import threading
import time
import weakref
from array import array
from typing import Any, Callable, Dict, List, NoReturn, Optional, Tuple

import torch
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode, _pop_mode, _pop_mode_temporarily, _push_mode
from torch.utils._pytree import tree_iter
from torch.utils.weak import WeakIdKeyDictionary

#: what a verdict over this model is worth
SEES = ('a model of the CUDA allocator on the CPU, as if each tensor were on a GPU. It sees Python references, autograd graphs and '
        'cycles, but no streams, fragmentation, custom kernels or compiled regions')
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
SMALL_LIMIT = 1 * MIB          # requests up to this come from the small pool
SMALL_SEGMENT = 2 * MIB
LARGE_SEGMENT = 20 * MIB       # for requests below LARGE_LIMIT
LARGE_LIMIT = 10 * MIB
SEGMENT_ROUND = 2 * MIB
BLOCK_ROUND = 512
FIRST_ADDRESS = 0x7F2A00000000

Block = Dict[str, Any]
Segment = Dict[str, Any]
ACTIONS = ('alloc', 'free_requested', 'free_completed', 'segment_alloc', 'segment_free', 'snapshot', 'oom')
NO_STACK = -1
#: Functions of ``torch.jit`` that trace a module. They take what a mode calls for constants.
TRACING = ('trace', 'trace_module', '_get_trace_graph')
#: the name of this model, which no GPU has
OWN_MACHINERY = ('_python_dispatch.py', 'weakref.py', '_dynamo/eval_frame.py', 'torch/_compile.py')


class Stacks:
    """Stacks by number. As in C++, Python's collector does not track them."""

    def __init__(self, hide: Tuple[str, ...]) -> None:
        self._hide = hide
        self._frames: List[Tuple[str, str, int]] = []
        self._frame_ids: Dict[Tuple[str, str, int], int] = {}
        self._stacks: List[bytes] = []
        self._stack_ids: Dict[bytes, int] = {}

    def here(self) -> int:
        """The Python stack of the caller of the model, innermost first; that of the engine's thread inside backward."""
        frame, out = sys._getframe(1), array('i')
        while frame is not None:
            code = frame.f_code
            if code.co_name == '_engine_run_backward':
                break
            name = code.co_filename
            if name not in self._hide and not name.endswith(OWN_MACHINERY):
                out.append(self._number((code.co_name, name, frame.f_lineno)))
            frame = frame.f_back
        return self._intern(out.tobytes())

    def expanded(self) -> Callable[[int], List[Dict[str, Any]]]:
        """Frame lists for one snapshot: fresh lists over dictionaries that are shared, as the CUDA build returns them."""
        dicts = [{'name': name, 'filename': file, 'line': line} for name, file, line in self._frames]
        return lambda stack: [dicts[number] for number in array('i', self._stacks[stack])]

    def _number(self, frame: Tuple[str, str, int]) -> int:
        known = self._frame_ids.get(frame)
        if known is None:
            known = self._frame_ids[frame] = len(self._frames)
            self._frames.append(frame)
        return known

    def _intern(self, key: bytes) -> int:
        known = self._stack_ids.get(key)
        if known is None:
            known = self._stack_ids[key] = len(self._stacks)
            self._stacks.append(key)
        return known


class Trace:
    """The ring of events, as columns."""

    def __init__(self) -> None:
        self.max_entries = sys.maxsize
        self._columns = [array('q') for _ in range(5)]   # action, address, size in bytes, time in µs, stack

    def add(self, action: str, address: int, size: int, stack: int) -> None:
        for column, value in zip(self._columns, (ACTIONS.index(action), address, size, time.time_ns() // 1000, stack)):
            column.append(value)
        if len(self._columns[0]) > 2 * self.max_entries:
            for column in self._columns:
                del column[:-self.max_entries]

    def clear(self) -> None:
        for column in self._columns:
            del column[:]

    def entries(self, frames: Callable[[int], List[Dict[str, Any]]]) -> List[Dict[str, Any]]:
        first = max(0, len(self._columns[0]) - self.max_entries)
        return [self._entry(frames, *(column[index] for column in self._columns)) for index in range(first, len(self._columns[0]))]

    @staticmethod
    def _entry(frames: Callable[[int], List[Dict[str, Any]]], action: int, address: int, size: int, time_us: int, stack: int) -> Dict[str, Any]:
        entry = {'action': ACTIONS[action], 'device_free' if ACTIONS[action] == 'oom' else 'addr': address, 'size': size, 'stream': 0,
                 'time_us': time_us, 'compile_context': 'N/A', 'user_metadata': ''}
        if stack != NO_STACK:
            entry['frames'] = frames(stack)
        return entry


class OutOfModelMemory(Exception):
    """The model's capacity is exhausted; contains the sizes for observers."""

    def __init__(self, wanted: int, free: int) -> None:
        super().__init__(wanted, free)
        self.wanted, self.free = wanted, free


class CachingAllocator:
    """Best fit, 512 B rounding, 2 MiB and 20 MiB segments, splitting and merging; if the device is full, empty segments are
    released first. Sizes in bytes. ``capacity``: ``None`` for a program that fits into the memory of its host, whatever it holds.
    """

    def __init__(self, capacity: Optional[int]) -> None:
        self.capacity = capacity
        self.segments: List[Segment] = []
        self.reserved = 0
        self.active = 0
        self.peak = 0
        self._next = FIRST_ADDRESS

    def malloc(self, nbytes: int, stack: int, on_segment: Callable[[str, int, int], None]) -> Tuple[Segment, Block]:
        """``on_segment``: gets what happens to a segment, its address and its size."""
        size = max(BLOCK_ROUND, (nbytes + BLOCK_ROUND - 1) // BLOCK_ROUND * BLOCK_ROUND)
        kind = 'small' if size <= SMALL_LIMIT else 'large'
        found = self._best_fit(size, kind)
        if found is None:
            found = self._new_segment(size, kind, stack, on_segment)
        segment, block = found
        rest = block['size'] - size
        if rest >= (BLOCK_ROUND if kind == 'small' else SMALL_LIMIT + 1):
            at = segment['blocks'].index(block)
            segment['blocks'].insert(at + 1, _free_block(block['address'] + size, rest))
            block['size'] = size
        block.update(state='active_allocated', requested_size=nbytes, stack=stack)
        self.active += block['size']
        self.peak = max(self.peak, self.active)
        return segment, block

    def free(self, segment: Segment, block: Block) -> None:
        self.active -= block['size']
        block.update(state='inactive', stack=NO_STACK)
        blocks = segment['blocks']
        at = blocks.index(block)
        if at + 1 < len(blocks) and blocks[at + 1]['state'] == 'inactive':
            block['size'] += blocks.pop(at + 1)['size']
        if at > 0 and blocks[at - 1]['state'] == 'inactive':
            blocks[at - 1]['size'] += block['size']
            blocks.pop(at)

    def _best_fit(self, size: int, kind: str) -> Optional[Tuple[Segment, Block]]:
        best = None
        for segment in self.segments:
            if segment['kind'] != kind:
                continue
            for block in segment['blocks']:
                if block['state'] == 'inactive' and block['size'] >= size and (best is None or block['size'] < best[1]['size']):
                    best = (segment, block)
        return best

    def _new_segment(self, size: int, kind: str, stack: int, on_segment: Callable[[str, int, int], None]) -> Tuple[Segment, Block]:
        if kind == 'small':
            total = SMALL_SEGMENT
        elif size < LARGE_LIMIT:
            total = LARGE_SEGMENT
        else:
            total = (size + SEGMENT_ROUND - 1) // SEGMENT_ROUND * SEGMENT_ROUND
        if self.capacity is not None and self.reserved + total > self.capacity:
            self._release_cached(on_segment)
            if self.reserved + total > self.capacity:
                raise OutOfModelMemory(total, self.capacity - self.reserved)
        block = _free_block(self._next, total)
        segment = {'address': self._next, 'total_size': total, 'kind': kind, 'stack': stack, 'blocks': [block]}
        self._next += total + SEGMENT_ROUND
        self.reserved += total
        self.segments.append(segment)
        on_segment('segment_alloc', segment['address'], total)
        return segment, block

    def _release_cached(self, on_segment: Callable[[str, int, int], None]) -> None:
        """Releases the segments without a live block, as PyTorch does before it fails."""
        for segment in [one for one in self.segments if all(block['state'] == 'inactive' for block in one['blocks'])]:
            self.segments.remove(segment)
            self.reserved -= segment['total_size']
            on_segment('segment_free', segment['address'], segment['total_size'])


def _free_block(address: int, size: int) -> Block:
    return {'address': address, 'size': size, 'requested_size': 0, 'state': 'inactive', 'stack': NO_STACK}


def _parts(value: torch.Tensor) -> Tuple[torch.Tensor, ...]:
    """The tensors that have the memory of one: of a sparse one, its indices and values."""
    if value.layout is torch.strided:
        return (value,)
    if value.layout is torch.sparse_coo:
        return value._indices(), value._values()
    if value.layout in (torch.sparse_csr, torch.sparse_bsr):
        return value.crow_indices(), value.col_indices(), value.values()
    if value.layout in (torch.sparse_csc, torch.sparse_bsc):
        return value.ccol_indices(), value.row_indices(), value.values()
    return ()    # a library's own layout


class CpuMemory(TorchDispatchMode):
    """Watches tensor storages. A ``DeviceMemory`` of the recorder, whose snapshots are those of ``torch.cuda.memory``."""

    device_type = 'cpu'
    supports_higher_order_operators = True    # such as torch.cond: their results are seen
    light_snapshots = True
    clearable = True

    def __init__(self, capacity: Optional[int] = None, hide: Tuple[str, ...] = ()) -> None:
        super().__init__()
        self.allocator = CachingAllocator(capacity)
        self._capacity = capacity
        self.trace = Trace()
        self.stacks = Stacks((__file__,) + hide)     # files whose frames a GPU build would not show
        self.recording = False
        self.counted: Dict[str, int] = dict.fromkeys(ACTIONS, 0)     # events, recorded or not
        self.observers: List[Callable[[int, int, int, int], None]] = []
        self.addresses = WeakIdKeyDictionary()
        self.copies_to_host = False
        self._thread = 0    # in which it began
        self._lock = threading.RLock()    # the collector can end a storage while another one begins
        self._is_over = False
        self._ends: Dict[int, weakref.finalize] = {}    # by address, what runs at the end of each storage

    # -- watching tensors ---------------------------------------------------------------------------------------

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        result = func(*args, **(kwargs or {}))
        for value in () if self._is_over else tree_iter(result):
            if isinstance(value, torch.Tensor) and value.device.type == 'cpu':
                with self._lock:
                    for part in _parts(value):
                        storage = part.untyped_storage()
                        # The tensors that torch.compile and torch.export trace with say that they are here, and have no memory.
                        if storage.device.type == 'cpu':
                            self._see(storage)
        return result

    def __enter__(self):  # type: ignore[no-untyped-def]
        # By default, the attribute is the base class's.
        self.plain_cpu, torch.Tensor.cpu = vars(torch.Tensor).get('cpu'), lambda tensor, *_, **__: self._on_host(tensor)
        self._thread = threading.get_ident()
        plain = self._plain_thread = threading.Thread._bootstrap_inner

        def watched(thread: threading.Thread) -> None:    # each thread has modes of its own
            _push_mode(self)
            try:
                plain(thread)
            finally:
                _pop_mode()
        setattr(threading.Thread, '_bootstrap_inner', watched)
        self._plain_tracing = {name: getattr(torch.jit, name) for name in TRACING}
        for name, plain_tracing in self._plain_tracing.items():
            setattr(torch.jit, name, self._unseen(plain_tracing))
        # torch.compile leaves functions as they are where a mode watches, and takes that for an error if it must not.
        self._stance = torch.compiler.set_stance('force_eager') if hasattr(torch.compiler, 'set_stance') else None
        return super().__enter__()

    def __exit__(self, *error):  # type: ignore[no-untyped-def]
        if self.plain_cpu is None:
            del torch.Tensor.cpu
        else:
            torch.Tensor.cpu = self.plain_cpu
        setattr(threading.Thread, '_bootstrap_inner', self._plain_thread)
        for name, plain_tracing in self._plain_tracing.items():
            setattr(torch.jit, name, plain_tracing)
        if self._stance is not None:
            self._stance.__exit__(*error)
        with self._lock:
            self._is_over = True
            for end in self._ends.values():
                end.detach()
            self._ends.clear()
        return super().__exit__(*error)

    def _unseen(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            if _get_current_dispatch_mode() is not self:
                return function(*args, **kwargs)
            with _pop_mode_temporarily():
                return function(*args, **kwargs)
        return called

    def _on_host(self, tensor: torch.Tensor) -> torch.Tensor:
        """Like ``tensor.cpu()`` on a GPU: a copy outside of the device."""
        self.copies_to_host = True
        try:
            return tensor.clone()
        finally:
            self.copies_to_host = False

    def _see(self, storage: torch.UntypedStorage) -> None:
        nbytes = storage.nbytes()
        if not nbytes or storage in self.addresses:
            return
        if self.copies_to_host:
            self.addresses[storage] = 0
            return
        stack = self._stack()
        try:
            segment, block = self.allocator.malloc(nbytes, stack, lambda action, address, size: self._event(action, address, size, stack))
        except OutOfModelMemory as oom:
            self._out_of_memory(oom, nbytes, stack)
        self.addresses[storage] = block['address']
        self._event('alloc', block['address'], nbytes, stack)
        end = self._ends[block['address']] = weakref.finalize(storage, self._gone, segment, block, nbytes)
        end.atexit = False

    def _gone(self, segment: Segment, block: Block, nbytes: int) -> None:
        with self._lock:
            stack = self._stack()
            self._ends.pop(block['address'], None)
            self._event('free_requested', block['address'], nbytes, stack)
            self._event('free_completed', block['address'], nbytes, stack)
            self.allocator.free(segment, block)

    def _out_of_memory(self, oom: OutOfModelMemory, nbytes: int, stack: int) -> NoReturn:
        self._event('oom', oom.free, nbytes, stack)
        for observer in self.observers:
            observer(0, oom.wanted, self._capacity or 0, oom.free)
        raise torch.OutOfMemoryError(f'CUDA out of memory. Tried to allocate {nbytes / MIB:.2f} MiB (allocator model).')

    def _stack(self) -> int:
        return self.stacks.here() if self.recording else NO_STACK

    def _event(self, action: str, address: int, size: int, stack: int) -> None:
        self.counted[action] += 1
        if self.recording:
            self.trace.add(action, address, size, stack)

    @staticmethod
    def _segment(held: Segment, frames: Callable[[int], List[Dict[str, Any]]]) -> Dict[str, Any]:
        def shown(stack: int) -> List[Dict[str, Any]]:
            return [] if stack == NO_STACK else frames(stack)
        live = [b for b in held['blocks'] if b['state'] == 'active_allocated']
        active = sum(b['size'] for b in live)
        return {'device': 0, 'address': held['address'], 'total_size': held['total_size'], 'allocated_size': active,
                'active_size': active, 'requested_size': sum(b['requested_size'] for b in live), 'stream': 0,
                'segment_type': held['kind'], 'segment_pool_id': (0, 0), 'is_expandable': False, 'frames': shown(held['stack']),
                'blocks': [{**{k: b[k] for k in ('address', 'size', 'requested_size', 'state')}, 'frames': shown(b['stack'])}
                           for b in held['blocks']]}

    # -- the recorder's port ------------------------------------------------------------------------------------

    def available(self) -> bool:
        return True

    def ready(self) -> bool:
        return True

    def when_ready(self, begin: Callable[[], None]) -> None:
        begin()

    def record(self, max_entries: int = sys.maxsize, stacks: str = 'all') -> None:
        self.recording = True
        self.trace.max_entries = max_entries

    def history_is_on(self) -> bool:
        return self.recording

    def keep_watching(self) -> None:
        # A recording that began inside ``torch.inference_mode``, by attach, no longer sees tensors once that has ended.
        if self.recording and threading.get_ident() == self._thread and torch._C._len_torch_dispatch_stack():
            for key in (torch._C.DispatchKey.Python, torch._C.DispatchKey.PythonTLSSnapshot):
                torch._C._dispatch_tls_set_dispatch_key_included(key, True)

    def clear(self) -> None:
        self.trace.clear()

    def counters(self) -> List[Tuple[int, ...]]:
        return [tuple(self.counted[action] for action in ACTIONS if action != 'snapshot')]

    def stop(self) -> None:
        self.recording = False
        self.trace.clear()

    def snapshot(self, traces: bool = True) -> Dict[str, Any]:
        with self._lock:
            frames = self.stacks.expanded()
            segments = [self._segment(held, frames) for held in self.allocator.segments]
            entries = self.trace.entries(frames) if traces else []
            self._event('snapshot', 0, self.allocator.active, NO_STACK)   # the mark shows up in the next snapshot
        return {'segments': segments, 'device_traces': [entries], 'allocator_settings': dict(SETTINGS), 'external_annotations': []}

    def stats(self) -> Dict[str, int]:
        live = [b for s in self.allocator.segments for b in s['blocks'] if b['state'] == 'active_allocated']
        return {'allocated_bytes.all.current': self.allocator.active, 'allocated_bytes.all.peak': self.allocator.peak,
                'reserved_bytes.all.current': self.allocator.reserved, 'active_bytes.all.current': self.allocator.active,
                'requested_bytes.all.current': sum(b['requested_size'] for b in live),
                'allocation.all.current': len(live), 'num_ooms': 0}

    def devices(self) -> List[Dict[str, Any]]:
        reserved = self.allocator.reserved
        return [{'index': 0, 'name': 'CPU (model of the caching allocator)', 'capacityBytes': self._capacity,
                 'reservedBytes': reserved, 'outsideBytes': 0}]

    def attach_oom(self, observer: Callable[[int, int, int, int], None]) -> bool:
        self.observers.append(observer)
        return True

    def address(self, tensor: torch.Tensor) -> Optional[int]:
        return self.addresses.get(tensor.untyped_storage())

SETTINGS = {'PYTORCH_CUDA_ALLOC_CONF': '', 'max_split_size': -1, 'garbage_collection_threshold': 0.0,
            'expandable_segments': False, 'pinned_num_register_threads': 1, 'release_lock_on_cudamalloc': False,
            'pinned_use_cuda_host_register': False, 'roundup_power2_divisions': {'1': 0}}

