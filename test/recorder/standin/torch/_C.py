from __future__ import annotations

from typing import Any, Callable, List

observers: List[Callable[[int, int, int, int], Any]] = []
_cuda_attach_out_of_memory_observer = observers.append


class MemPoolContext:
    """The pool that is used until this object is freed."""

    active: Any = None

    def __init__(self, pool: Any) -> None:
        self._before, MemPoolContext.active = MemPoolContext.active, pool

    def __del__(self) -> None:
        MemPoolContext.active = self._before

    @staticmethod
    def active_pool() -> Any:
        return MemPoolContext.active


class OutOfMemoryError(RuntimeError):
    pass


class DisableTorchFunctionSubclass:
    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: Any) -> None:
        pass
