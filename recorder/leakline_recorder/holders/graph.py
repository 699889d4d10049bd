"""The storages that an autograd graph holds, and the root tensor that holds the graph. Saved tensors have no Python
owner. So every tensor with a ``grad_fn`` is followed over ``next_functions`` to the tensors that each node saved.
"""
from __future__ import annotations

import dataclasses
from typing import Any, Dict, Iterator, List, Tuple

import torch

from ..guard import ordinary
from ..plain import is_a
from .deadline import Deadline


@dataclasses.dataclass
class Reach:
    """Storages that one root holds, and no earlier root."""

    saved: List[Tuple[torch.Tensor, str]]   #: tensors, and the kind of node that saved each
    leaves: List[torch.Tensor]              #: into which its backward would accumulate gradients
    shared: bool = False                    #: ran into the graph of another root


class Graphs:
    """Walks graphs of several roots, each node once. Call ``reach`` in the order of ``sequence``: shared storages then
    belong to the innermost root, the one to detach (the hidden state, not its loss).
    """

    def __init__(self, deadline: Deadline, unpacking_runs_code: bool) -> None:
        self._deadline = deadline
        self._unpacking_runs_code = unpacking_runs_code
        self._seen: Dict[int, Any] = {}          # keeps the nodes' Python objects alive, so that identities stay theirs
        self._names: Dict[type, List[str]] = {}

    def reach(self, tensor: torch.Tensor) -> Reach:
        found = Reach(saved=[], leaves=[])
        pending = [tensor.grad_fn]
        while pending and not self._deadline.passed():
            node = pending.pop()
            if node is None:
                continue
            if id(node) in self._seen:
                found.shared = True
                continue
            self._seen[id(node)] = node
            kind = type(node).__name__
            if kind == 'AccumulateGrad':
                found.leaves.append(node.variable)
            found.saved.extend((value, kind) for value in self._saved(node))
            pending.extend(following for following, _ in node.next_functions)
        return found

    def saves_itself(self, tensor: torch.Tensor) -> bool:
        """True if the node that made a tensor has saved this object."""
        return any(saved is tensor for saved in self._saved(tensor.grad_fn))

    def nodes(self) -> int:
        return len(self._seen)

    def _saved(self, node: Any) -> Iterator[torch.Tensor]:
        for name in self._saved_names(node):
            yield from self._read(node, name)

    def _saved_names(self, node: Any) -> List[str]:
        names = self._names.get(type(node))
        if names is None:
            every = dir(node)
            raw = [name for name in every if name.startswith('_raw_saved_')]
            names = raw or ['saved_tensors'] * ('saved_tensors' in every)
            self._names[type(node)] = names
        return names

    def _read(self, node: Any, name: str) -> Iterator[torch.Tensor]:
        try:
            value = getattr(node, name)
        except ordinary(RuntimeError, AttributeError):
            return  # freed by backward: this node holds nothing any more
        for saved in value if is_a(value, (tuple, list)) else (value,):
            if is_a(saved, torch.Tensor):
                yield saved
            elif hasattr(saved, 'unpack_hook'):
                # `data` is what is stored, without running hooks: unpacking a checkpoint would compute its forward again
                yield from _tensors(_quietly(saved, 'data'))
            elif saved is not None and not self._unpacking_runs_code:
                # Older releases only unpack; the walk has checked that no hooks of the program would run.
                unpacked = _quietly(node, name.replace('_raw_saved_', '_saved_') if name != '_raw_saved_tensors' else 'saved_tensors')
                yield from _tensors(unpacked)
                return


def sequence(tensor: torch.Tensor) -> int:
    """Order of creation of the tensor's node; nodes without a number (leaves) come first."""
    number = getattr(tensor.grad_fn, '_sequence_nr', None)
    return int(number()) if callable(number) else 0


def _quietly(holder: Any, name: str) -> Any:
    try:
        return getattr(holder, name)
    except ordinary(RuntimeError, AttributeError):
        return None


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if is_a(value, torch.Tensor):
        yield value
    elif is_a(value, (tuple, list)):
        for part in value:
            yield from _tensors(part)
