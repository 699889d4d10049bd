"""All objects that Python's collector tracks, with their referrers: built once per walk. ``gc.get_referrers`` per
tensor is far slower, and finds the walk's own lists. The walk does not collect: freeing cycles would change the run.
"""
from __future__ import annotations

import gc
import sys
import types
from typing import Any, Dict, List, Sequence, Union

import torch

from ..plain import is_a, namespace
from .deadline import Deadline

#: no edges: everything refers to them, or they refer to nothing that could lead to an owner
_NOT_FOLLOWED = frozenset(map(id, (type, str, int, float, bool, bytes, complex, type(None), types.CodeType, types.BuiltinFunctionType,
                           types.GetSetDescriptorType, types.MemberDescriptorType, types.WrapperDescriptorType,
                           types.MethodDescriptorType, types.ClassMethodDescriptorType, property, staticmethod)))   # by identity: a metaclass of the program may not be hashable
_FOLLOWED = frozenset(map(id, (types.FunctionType, types.MethodType, types.ModuleType)))
#: With more objects than this, objects that cannot lead to a tensor are left out, such as a data set's rows
MANY = 1_000_000
ROW = 64    # parts of such a row at most
SLICE = 1 << 16


class Heap:
    """``objects`` at the time of ``read``; ``referrers(x)`` are those among them that refer to ``x``."""

    def __init__(self) -> None:
        self.objects: List[Any] = []
        self.complete = True
        self._parents: Dict[int, Union[int, List[int]]] = {}    # most have one, which needs no list
        self._indices: Dict[int, int] = {}    # by identity, made when first needed

    def read(self, deadline: Deadline) -> None:
        self.objects = gc.get_objects()
        own, are_many = id(self.objects), len(self.objects) > MANY
        are_modules: Dict[int, bool] = {}    # by the identity of the class
        for index, holder in enumerate(self.objects):
            if not index & 0x3FF and deadline.passed():
                self.complete = False
                break
            kind = id(type(holder))
            is_module = are_modules.get(kind)
            if is_module is None:
                is_module = are_modules[kind] = is_a(holder, types.ModuleType)
            children = _referents(holder) if is_module else gc.get_referents(holder)
            if len(children) <= SLICE:
                self._note(index, children, own, are_many)
                continue
            for start in range(0, len(children), SLICE):
                if deadline.passed():
                    self.complete = False
                    break
                self._note(index, children[start:start + SLICE], own, are_many)

    def _note(self, index: int, children: List[Any], own: int, are_many: bool) -> None:
        parents, get, skipped, followed = self._parents, self._parents.get, _NOT_FOLLOWED, _FOLLOWED
        # Untracked objects refer to no tracked ones.
        for child in filter(gc.is_tracked, children):
            kind = id(type(child))
            if kind in skipped:
                continue
            identity = id(child)
            known = get(identity)
            if known is None:
                if identity != own and not (are_many and kind not in followed and _leads_nowhere(child)):
                    parents[identity] = index
            elif type(known) is int:
                parents[identity] = [known, index]
            else:
                known.append(index)

    def add_arrays(self, deadline: Deadline) -> None:
        """Adds NumPy's arrays that share memory with a tensor. The collector tracks none, nor dictionaries and tuples that
        contain nothing else.
        """
        array = getattr(sys.modules.get('numpy'), 'ndarray', None)
        if array is None:
            return
        kinds = frozenset(map(id, (array, dict, tuple)))
        self._indices.clear()
        for index in range(len(self.objects)):
            if not index & 0x3FF and deadline.passed():
                self.complete = False
                return
            children = _referents(self.objects[index])
            if not kinds.isdisjoint(map(id, map(type, children))):
                self._add_untracked(index, children, array)

    def _add_untracked(self, index: int, children: List[Any], array: Any) -> None:
        for child in children:
            if type(child) is array:
                held = [child.base] if _is_shared(child, array) else []
            elif (type(child) is dict or type(child) is tuple) and not gc.is_tracked(child):
                held = [part for part in gc.get_referents(child) if _is_shared(part, array)]
            else:
                continue
            known = self._parents.get(id(child))
            if known is not None:
                self._parents[id(child)] = [*self._parents_of(id(child)), index]
            elif held:
                self._parents[id(child)] = index
                self.objects.append(child)
                at = len(self.objects) - 1
                self._note(at, held, 0, False)
                self._add_untracked(at, held, array)

    def close(self) -> None:
        """Releases everything. The list contains this object, which would otherwise wait for the collector."""
        self.objects.clear()
        self._parents.clear()
        self._indices.clear()

    def at(self, identity: int) -> Any:
        """A tracked object by its identity."""
        return self.objects[self._index(identity)]

    def has_outside_references(self, identity: int) -> bool:
        """True if more refers to a tracked object than the tracked objects do: C++, or a running function without a
        name for it. False if that is not certain.
        """
        index = self._index(identity)
        # Two more: this list and the argument.
        return self.complete and sys.getrefcount(self.objects[index]) > len(self._parents_of(identity)) + 2

    def _index(self, identity: int) -> int:
        if not self._indices:
            self._indices = {id(value): index for index, value in enumerate(self.objects)}
        return self._indices[identity]

    def referrers(self, identity: int) -> List[Any]:
        return [self.objects[index] for index in self._parents_of(identity)]

    def _parents_of(self, identity: int) -> Sequence[int]:
        known = self._parents.get(identity, ())
        return (known,) if isinstance(known, int) else known


def _referents(value: Any) -> List[Any]:
    """The references of an object, of a module only its dictionary: Python 3.12's ``_asyncio`` also tells freed objects, which then live again, and
    the next visit of it never ends.
    """
    if is_a(value, types.ModuleType):
        return [namespace(value)]
    return gc.get_referents(value)


def _is_shared(value: Any, array: Any) -> bool:
    """True for an array in the memory of a tensor."""
    is_array = type(value) is array
    while type(value) is array:
        value = value.base
    return is_array and is_a(value, torch.Tensor)


def _leads_nowhere(value: Any) -> bool:
    """True if it contains only numbers and texts, and is not a tensor."""
    if is_a(value, torch.Tensor):
        return False
    parts = _referents(value)
    if len(parts) > ROW:
        return False
    for part in parts:
        if id(type(part)) not in _NOT_FOLLOWED and gc.is_tracked(part):
            return False
    return True
