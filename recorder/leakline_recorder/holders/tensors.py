"""Tensors on the device, block by block, and those that every training needs."""
from __future__ import annotations

from typing import Any, Dict, List, Tuple

import torch

from ..guard import ordinary
from ..memory import DeviceMemory
from ..plain import is_a, namespace
from .blocks import Blocks, LiveBlock
from .deadline import Deadline


class Tensors:
    def __init__(self, objects: List[Any], blocks: Blocks, memory: DeviceMemory, deadline: Deadline) -> None:
        self.on_block: Dict[int, List[torch.Tensor]] = {}
        self.with_graph: List[torch.Tensor] = []
        self.views: List[torch.Tensor] = []
        self.with_gradient: List[torch.Tensor] = []    #: leaves: autograd keeps a gradient from C++, where Python does not look
        self.count = 0
        self._needed: Dict[int, Tuple[str, int]] = {}    # by address: category, and identity of the module or optimizer
        self._memory = memory
        self.are_on_cpu = memory.device_type == 'cpu'
        self._blocks = blocks
        kinds: Dict[int, str] = {}
        self.types: Dict[int, type] = {}    #: of all objects
        for index, value in enumerate(objects):
            if not index & 0x3FF and deadline.passed():
                return
            kind = type(value)
            known = kinds.get(id(kind))
            if known is None:
                self.types[id(kind)] = kind
                known = kinds[id(kind)] = 'tensor' if issubclass(kind, torch.Tensor) else 'module' if issubclass(kind, torch.nn.Module) \
                    else 'optimizer' if issubclass(kind, torch.optim.Optimizer) else ''
            if known:
                self._sort_in(known, value)

    def _sort_in(self, kind: str, value: Any) -> None:
        try:
            if kind == 'tensor':
                self._tensor(value)
            elif kind == 'module':
                self._module(value)
            else:
                self._optimizer(value)
        except ordinary(Exception):
            pass  # half built, or of a class that answers for its tensors itself: it names nothing

    def block(self, tensor: torch.Tensor) -> Any:
        """The live block of a tensor's storage; ``None`` on another device, or for a tensor without storage."""
        try:
            if tensor.device.type != self._memory.device_type:
                return None
            return self._blocks.at(self._memory.address(tensor))
        except ordinary(Exception):
            return None  # wrapper subclasses, fake and functional tensors have no storage of their own

    def is_cut(self, block: LiveBlock) -> bool:
        """True if the views on a block use less than half of its storage, all of which they keep."""
        on_block = self.on_block.get(block.address, ())
        try:
            # Views keep the tensor that they are of as well.
            bases = {id(tensor._base) for tensor in on_block if tensor._is_view()}
            used = sum(tensor.numel() * tensor.element_size() for tensor in on_block if id(tensor) not in bases)
            return bool(on_block) and 2 * used < on_block[0].untyped_storage().nbytes()
        except ordinary(Exception):
            return False    # without storage of their own, or before torch 2.0

    def category(self, block: LiveBlock) -> str:
        """'parameter', 'buffer', 'gradient', 'optimizer' or ''."""
        return self._needed.get(block.address, ('',))[0]

    def needed_by(self, block: LiveBlock) -> int:
        """The identity of the module or the optimizer of a block with a category."""
        return self._needed[block.address][1]

    def _tensor(self, tensor: torch.Tensor) -> None:
        block = self.block(tensor)
        if block is None:
            return
        self.count += 1
        self.on_block.setdefault(block.address, []).append(tensor)
        if tensor.grad_fn is not None:
            self.with_graph.append(tensor)
        elif tensor.grad is not None:
            self.with_gradient.append(tensor)
        if tensor._is_view():
            self.views.append(tensor)

    def _module(self, module: torch.nn.Module) -> None:
        names = namespace(module) or {}
        for parameter in (names.get('_parameters') or {}).values():
            self._mark(parameter, 'parameter', module)
            if is_a(parameter, torch.Tensor) and parameter.is_leaf:
                self._mark(parameter.grad, 'gradient', module)
        for buffer in (names.get('_buffers') or {}).values():
            self._mark(buffer, 'buffer', module)

    def _optimizer(self, optimizer: torch.optim.Optimizer) -> None:
        for state in list((namespace(optimizer) or {}).get('state', {}).values()):
            for value in list(state.values()) if is_a(state, dict) else ():
                self._mark(value, 'optimizer', optimizer)

    def _mark(self, value: Any, category: str, holder: Any) -> None:
        if is_a(value, torch.Tensor):
            block = self.block(value)
            if block is not None:
                self._needed.setdefault(block.address, (category, id(holder)))
