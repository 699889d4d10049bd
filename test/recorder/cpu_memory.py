"""A model of the CUDA caching allocator, fed with the tensors that CPU PyTorch really allocates and frees.

What is real: every storage's size, the Python stack that allocated it and the stack that let go of it, in order.
What is modelled: addresses, rounding, segments. Not modelled: streams, C++ frames, memory that kernels take for
themselves (cuBLAS and cuDNN workspaces).

As on a GPU, work that autograd's backward does has no Python frames, except those of a custom Function's own
``backward``: CUDA backward runs on the engine's thread, where the training loop is not on the stack.
"""
from __future__ import annotations

import pickle
import sys
import time
import weakref
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_iter
from torch.utils.weak import WeakIdKeyDictionary

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
SMALL_LIMIT = 1 * MIB          # requests up to this come from the small pool
SMALL_SEGMENT = 2 * MIB
LARGE_SEGMENT = 20 * MIB       # for requests below LARGE_LIMIT
LARGE_LIMIT = 10 * MIB
SEGMENT_ROUND = 2 * MIB
BLOCK_ROUND = 512
FIRST_ADDRESS = 0x7F2A00000000

Frame = Dict[str, Any]
Block = Dict[str, Any]
Segment = Dict[str, Any]


class OutOfModelMemory(Exception):
    """The model's capacity is spent; carries the sizes an observer is told."""

    def __init__(self, wanted: int, free: int) -> None:
        super().__init__(wanted, free)
        self.wanted, self.free = wanted, free


class CachingAllocator:
    """Best fit, 512 B rounding, 2 MiB and 20 MiB segments, splitting and merging. Sizes in bytes."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.segments: List[Segment] = []
        self.reserved = 0
        self.active = 0
        self.peak = 0
        self._next = FIRST_ADDRESS

    def malloc(self, nbytes: int, frames: List[Frame], on_segment: Callable[[int, int], None]) -> Tuple[Segment, Block]:
        size = max(BLOCK_ROUND, (nbytes + BLOCK_ROUND - 1) // BLOCK_ROUND * BLOCK_ROUND)
        kind = 'small' if size <= SMALL_LIMIT else 'large'
        found = self._best_fit(size, kind)
        if found is None:
            found = self._new_segment(size, kind, frames)
            on_segment(found[0]['address'], found[0]['total_size'])
        segment, block = found
        rest = block['size'] - size
        if rest >= (BLOCK_ROUND if kind == 'small' else SMALL_LIMIT + 1):
            at = segment['blocks'].index(block)
            segment['blocks'].insert(at + 1, _free_block(block['address'] + size, rest))
            block['size'] = size
        block.update(state='active_allocated', requested_size=nbytes, frames=frames)
        self.active += block['size']
        self.peak = max(self.peak, self.active)
        return segment, block

    def free(self, segment: Segment, block: Block) -> None:
        self.active -= block['size']
        block.update(state='inactive', frames=[])
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

    def _new_segment(self, size: int, kind: str, frames: List[Frame]) -> Tuple[Segment, Block]:
        if kind == 'small':
            total = SMALL_SEGMENT
        elif size < LARGE_LIMIT:
            total = LARGE_SEGMENT
        else:
            total = (size + SEGMENT_ROUND - 1) // SEGMENT_ROUND * SEGMENT_ROUND
        if self.reserved + total > self.capacity:
            raise OutOfModelMemory(total, self.capacity - self.reserved)
        block = _free_block(self._next, total)
        segment = {'address': self._next, 'total_size': total, 'kind': kind, 'frames': frames, 'blocks': [block]}
        self._next += total + SEGMENT_ROUND
        self.reserved += total
        self.segments.append(segment)
        return segment, block


def _free_block(address: int, size: int) -> Block:
    return {'address': address, 'size': size, 'requested_size': 0, 'state': 'inactive', 'frames': []}


class CpuMemory(TorchDispatchMode):
    """Watches tensor storages come and go, and answers what ``torch.cuda.memory`` answers on a GPU.

    It is also the device-memory port of the recorder (``leakline_recorder.memory.DeviceMemory``).
    """

    device_type = 'cpu'
    light_snapshots = True

    def __init__(self, capacity: int = 24 * GIB, hide: Tuple[str, ...] = ()) -> None:
        super().__init__()
        self.allocator = CachingAllocator(capacity)
        self.trace: List[Dict[str, Any]] = []
        self.recording = False
        self.max_entries = sys.maxsize
        self.observers: List[Callable[[int, int, int, int], None]] = []
        self.hide = (__file__,) + hide       # files whose frames a GPU build would not show
        self.dropped = 0
        self.addresses = WeakIdKeyDictionary()
        self._frame_cache: Dict[Tuple[Any, int], Frame] = {}

    # -- watching tensors ---------------------------------------------------------------------------------------

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        result = func(*args, **(kwargs or {}))
        for value in tree_iter(result):
            if isinstance(value, torch.Tensor) and value.device.type == 'cpu':
                self._see(value.untyped_storage())
        return result

    def _see(self, storage: torch.UntypedStorage) -> None:
        nbytes = storage.nbytes()
        if not nbytes or storage in self.addresses:
            return
        frames = self._stack()
        try:
            segment, block = self.allocator.malloc(nbytes, frames, lambda a, n: self._event('segment_alloc', a, n, frames))
        except OutOfModelMemory as oom:
            self._out_of_memory(oom, nbytes, frames)
        self.addresses[storage] = block['address']
        self._event('alloc', block['address'], nbytes, frames)
        weakref.finalize(storage, self._gone, segment, block, nbytes).atexit = False

    def _gone(self, segment: Segment, block: Block, nbytes: int) -> None:
        frames = self._stack()
        self._event('free_requested', block['address'], nbytes, frames)
        self._event('free_completed', block['address'], nbytes, frames)
        self.allocator.free(segment, block)

    def _out_of_memory(self, oom: OutOfModelMemory, nbytes: int, frames: List[Frame]) -> None:
        if self.recording:
            self._append({'action': 'oom', 'device_free': oom.free, 'size': nbytes, 'stream': 0, 'time_us': _now_us(), 'frames': frames})
        for observer in self.observers:
            observer(0, oom.wanted, self.allocator.capacity, oom.free)
        raise torch.OutOfMemoryError(f'CUDA out of memory. Tried to allocate {nbytes / MIB:.2f} MiB (allocator model).')

    def _stack(self) -> List[Frame]:
        """Innermost first; a fresh list over shared frames, as the CUDA build returns them."""
        if not self.recording:
            return []
        frame, out = sys._getframe(2), []
        while frame is not None:
            code = frame.f_code
            if code.co_name == '_engine_run_backward':
                break
            name = code.co_filename
            if name not in self.hide and not name.endswith(OWN_MACHINERY):
                out.append(self._frame(code, frame.f_lineno))
            frame = frame.f_back
        return out

    def _frame(self, code: Any, line: int) -> Frame:
        key = (code, line)
        known = self._frame_cache.get(key)
        if known is None:
            known = self._frame_cache[key] = {'name': code.co_name, 'filename': code.co_filename, 'line': line}
        return known

    def _event(self, action: str, address: int, size: int, frames: Optional[List[Frame]]) -> None:
        if not self.recording:
            return
        entry = {'action': action, 'addr': address, 'size': size, 'stream': 0, 'time_us': _now_us(),
                 'compile_context': 'N/A', 'user_metadata': ''}
        if frames is not None:
            entry['frames'] = frames
        self._append(entry)

    def _append(self, entry: Dict[str, Any]) -> None:
        self.trace.append(entry)
        if len(self.trace) > self.max_entries + 4096 and len(self.trace) > 2 * self.max_entries:
            del self.trace[:-self.max_entries]

    # -- what torch.cuda.memory answers -------------------------------------------------------------------------

    def record_memory_history(self, enabled: Optional[str] = 'all', *_: Any, max_entries: int = sys.maxsize, **__: Any) -> None:
        self.recording = enabled is not None
        self.max_entries = max_entries
        if not self.recording:
            self.trace.clear()

    def memory_snapshot(self, include_traces: bool = True) -> Dict[str, Any]:
        segments = []
        for held in self.allocator.segments:
            live = [b for b in held['blocks'] if b['state'] == 'active_allocated']
            active = sum(b['size'] for b in live)
            segments.append({
                'device': 0, 'address': held['address'], 'total_size': held['total_size'], 'allocated_size': active,
                'active_size': active, 'requested_size': sum(b['requested_size'] for b in live), 'stream': 0,
                'segment_type': held['kind'], 'segment_pool_id': (0, 0), 'is_expandable': False,
                'frames': held['frames'], 'blocks': [dict(b) for b in held['blocks']]})
        trace = self.trace[-self.max_entries:] if include_traces else []
        self._event('snapshot', 0, self.allocator.active, None)
        return {'segments': segments, 'device_traces': [list(trace)], 'allocator_settings': dict(SETTINGS), 'external_annotations': []}

    def dump_snapshot(self, filename: str = 'dump_snapshot.pickle', **_: Any) -> None:
        with open(filename, 'wb') as file:
            pickle.dump(self.memory_snapshot(), file)

    def install(self) -> None:
        """Make the private recording functions of ``torch.cuda.memory`` answer for this model."""
        memory = torch.cuda.memory
        memory._record_memory_history = self.record_memory_history
        memory._snapshot = lambda *_, **__: self.memory_snapshot()
        memory._dump_snapshot = self.dump_snapshot
        memory.memory_snapshot = lambda *_, **__: self.memory_snapshot()['segments']

    # -- the recorder's port ------------------------------------------------------------------------------------

    def available(self) -> bool:
        return True

    def record(self, max_entries: int, stacks: str) -> None:
        self.record_memory_history('all', max_entries=max_entries)

    def stop(self) -> None:
        self.record_memory_history(None)

    def snapshot(self, traces: bool) -> Dict[str, Any]:
        return self.memory_snapshot(include_traces=traces)

    def stats(self) -> Dict[str, int]:
        live = [b for s in self.allocator.segments for b in s['blocks'] if b['state'] == 'active_allocated']
        return {'allocated_bytes.all.current': self.allocator.active, 'allocated_bytes.all.peak': self.allocator.peak,
                'reserved_bytes.all.current': self.allocator.reserved, 'active_bytes.all.current': self.allocator.active,
                'requested_bytes.all.current': sum(b['requested_size'] for b in live),
                'allocation.all.current': len(live), 'num_ooms': 0}

    def devices(self) -> List[Dict[str, Any]]:
        reserved = self.allocator.reserved
        return [{'index': 0, 'name': 'CPU (model of the caching allocator)', 'capacityBytes': self.allocator.capacity,
                 'reservedBytes': reserved, 'outsideBytes': 0}]

    def attach_oom(self, observer: Callable[[int, int, int, int], None]) -> bool:
        self.observers.append(observer)
        return True

    def address(self, tensor: torch.Tensor) -> Optional[int]:
        return self.addresses.get(tensor.untyped_storage())


OWN_MACHINERY = ('_python_dispatch.py', 'weakref.py', '_dynamo/eval_frame.py', 'torch/_compile.py')  # how this model is called

SETTINGS = {'PYTORCH_CUDA_ALLOC_CONF': '', 'max_split_size': -1, 'garbage_collection_threshold': 0.0,
            'expandable_segments': False, 'pinned_num_register_threads': 1, 'release_lock_on_cudamalloc': False,
            'pinned_use_cuda_host_register': False, 'roundup_power2_divisions': {'1': 0}}


def _now_us() -> int:
    return time.time_ns() // 1000
