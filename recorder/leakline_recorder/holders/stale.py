"""State that an optimizer keeps for parameters that it no longer updates: those that others have replaced."""
from __future__ import annotations

from typing import Any, Optional, Set

import torch

from ..guard import ordinary
from ..plain import is_a
from .aliases import owners_of
from .heap import Heap


def stale_keys(place: int, heap: Heap) -> Optional[int]:
    """The number of such parameters in the container with this identity; ``None`` if it is no state of an optimizer."""
    state = heap.at(place)
    updated = updated_with(state, heap) if is_a(state, dict) else None
    return None if updated is None else sum(1 for key in list(dict.keys(state)) if is_a(key, torch.Tensor) and id(key) not in updated)


def updated_with(state: Any, heap: Heap) -> Optional[Set[int]]:
    """The parameters, by identity, that an optimizer with this state updates; ``None`` if it is no such state."""
    try:
        owners = (owner for parent in heap.referrers(id(state)) for owner in owners_of(parent, heap))
        optimizer = next((one for one in owners if is_a(one, torch.optim.Optimizer) and one.__dict__.get('state') is state), None)
        if optimizer is not None:
            return {id(parameter) for group in optimizer.param_groups for parameter in group['params']}
    except ordinary(Exception):
        pass    # an optimizer that is being changed, or one with groups of its own form
    return None
