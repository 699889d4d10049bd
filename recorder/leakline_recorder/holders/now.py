"""All holders of a process's memory now, without a recording: no steps, no ages, no stacks."""
from __future__ import annotations

import gc
from typing import Any, Dict, List, Optional

import torch

from ..collector import at_rest
from ..guard import ordinary
from ..memory import CudaMemory
from ..monitoring import Monitoring
from ..plain import is_a
from .blocks import Blocks
from .deadline import Deadline
from .graph import Graphs
from .links import Shown
from .walk import HolderWalk, unpacking_runs_code


class CpuStorages:
    """The storages of the tensors that exist, as live blocks of an allocator."""

    device_type = 'cpu'

    def snapshot(self, traces: bool) -> Dict[str, Any]:
        sizes: Dict[int, int] = {}
        with torch._C.DisableTorchFunctionSubclass():
            for tensor in _tensors():
                try:
                    if tensor.device.type == 'cpu' and self.address(tensor):
                        sizes[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
                except ordinary(Exception):
                    continue    # wrapper subclasses, fake and functional tensors have no storage of their own
        blocks = [{'address': address, 'size': size, 'state': 'active_allocated'} for address, size in sizes.items() if size]
        return {'segments': [{'blocks': blocks}]}

    def address(self, tensor: torch.Tensor) -> Optional[int]:
        return tensor.untyped_storage().data_ptr() or None


def _tensors() -> List[torch.Tensor]:
    """With gradients, and with what autograd saved: no Python object refers to either."""
    objects = gc.get_objects()
    found: List[torch.Tensor] = [value for value in objects if is_a(value, torch.Tensor)]
    graphs = Graphs(Deadline(1), unpacking_runs_code({type(value) for value in objects}))
    del objects
    for tensor in list(found):
        try:
            if tensor.grad_fn is not None:
                reach = graphs.reach(tensor)
                found += [saved for saved, _ in reach.saved] + reach.leaves
            elif tensor.is_leaf and tensor.grad is not None:
                found.append(tensor.grad)
        except ordinary(Exception):
            continue    # half built, or of a class that answers itself
    return found


def holders_now(device: str, seconds: float = 5.0, names: str = 'source') -> Dict[str, Any]:
    """Rows, largest first. Their bytes, those of other holders and those without a holder are all live bytes.
    ``seconds``: maximum for the search. :raises ValueError: for a device that is not there
    """
    if device not in ('cuda', 'cpu'):
        raise ValueError(f"device: {device!r} is neither 'cuda' nor 'cpu'")
    if device == 'cuda' and not torch.cuda.is_initialized():
        raise ValueError('this process has not used a GPU. The option --device cpu counts CPU tensors')
    memory: Any = CudaMemory() if device == 'cuda' else CpuStorages()
    monitoring = Monitoring()
    try:
        with at_rest():
            blocks = Blocks(memory.snapshot(traces=False), 1, ())
            found = HolderWalk(memory, 0, seconds, monitoring, Shown(names == 'all')).walk(blocks, 0, None) or {}
    finally:
        monitoring.stop()
        if device == 'cuda':
            memory.leave()
    owners = found.get('owners', [])
    rows = [{name: one[name] for name in ('name', 'kind', 'bytes', 'blocks', 'file', 'line', 'text')} for one in owners + found.get('needed', [])]
    total, listed, unheld = sum(block.size for block in blocks.all), sum(row['bytes'] for row in rows), found.get('unowned', {}).get('bytes', 0)
    return {'device': device, 'bytes': total, 'holders': sorted(rows, key=lambda row: -row['bytes']), 'omitted': found.get('ownersOmitted', 0),
            'omittedBytes': total - listed - unheld, 'unheldBytes': unheld, 'complete': found.get('complete', True)}
