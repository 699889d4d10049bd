"""All objects that Python's collector tracks, and for each one who refers to it: built once per walk.

Asking ``gc.get_referrers`` per tensor is far slower, and keeps finding the walker's own lists. Nothing is collected
first: a cycle that waits for the collector is what a sawtooth is made of, and freeing it would change the run.
"""
from __future__ import annotations

import gc
import types
from typing import Any, Dict, List

from .deadline import Deadline

#: never worth an edge: everything refers to them, or they refer to nothing that could lead to a tensor's owner
_NOT_FOLLOWED = frozenset(map(id, (type, str, int, float, bool, bytes, complex, type(None), types.CodeType, types.BuiltinFunctionType,
                           types.GetSetDescriptorType, types.MemberDescriptorType, types.WrapperDescriptorType,
                           types.MethodDescriptorType, types.ClassMethodDescriptorType, property, staticmethod)))   # by identity: a metaclass of the program may not be hashable


class Heap:
    """``objects`` at the time of the walk; ``referrers(x)`` are those among them that refer to ``x``."""

    def __init__(self, deadline: Deadline) -> None:
        self.objects: List[Any] = gc.get_objects()
        self.complete = True
        self._parents: Dict[int, List[int]] = {}
        parents, referents = self._parents, gc.get_referents
        own = id(self.objects)
        for index, holder in enumerate(self.objects):
            if not index & 0x3FFF and deadline.passed():
                self.complete = False
                break
            for child in referents(holder):
                if id(type(child)) in _NOT_FOLLOWED or id(child) == own:
                    continue
                known = parents.get(id(child))
                if known is None:
                    parents[id(child)] = [index]
                else:
                    known.append(index)

    def close(self) -> None:
        """Let go of everything. The list holds this very object: without this, it would wait for the collector."""
        self.objects.clear()
        self._parents.clear()

    def referrers(self, identity: int) -> List[Any]:
        return [self.objects[index] for index in self._parents.get(identity, ())]
