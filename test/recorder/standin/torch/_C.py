from __future__ import annotations

from typing import Any, Callable, List

observers: List[Callable[[int, int, int, int], Any]] = []
_cuda_attach_out_of_memory_observer = observers.append


class OutOfMemoryError(RuntimeError):
    pass


class DisableTorchFunctionSubclass:
    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: Any) -> None:
        pass
