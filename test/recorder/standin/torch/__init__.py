"""A stand-in for PyTorch, where none is installed: just what the recorder touches, over a toy allocator.

Tensors are bytes at an address; there is no arithmetic and no autograd. Tests that need those use CPU PyTorch.
"""
from __future__ import annotations

import types
from typing import Any, Optional

from . import _C, autograd, cuda, nn, optim
from .release import RELEASE

__version__ = '.'.join(map(str, RELEASE)) + '.0+standin'
version = types.SimpleNamespace(cuda='13.0', hip=None)
backends = types.SimpleNamespace(cuda=types.SimpleNamespace(is_built=lambda: True))
OutOfMemoryError = _C.OutOfMemoryError


class Device:
    type = 'cuda'


class Tensor:
    """``nbytes`` of the toy allocator, freed with the object."""

    device = Device()
    grad_fn = None
    grad: Optional['Tensor'] = None
    is_leaf = True

    def __init__(self, nbytes: int) -> None:
        self._address = cuda.allocator.malloc(nbytes)

    def untyped_storage(self) -> 'Tensor':
        return self

    def data_ptr(self) -> int:
        return self._address

    def _is_view(self) -> bool:
        return False

    def __del__(self) -> None:
        if hasattr(self, '_address'):
            cuda.allocator.free(self._address)


if RELEASE >= (2, 4):
    def is_autocast_enabled(device_type: Any = None) -> bool:
        return False
else:
    def is_autocast_enabled() -> bool:
        return False


def is_autocast_cache_enabled() -> bool:
    return True
