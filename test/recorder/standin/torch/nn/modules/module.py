"""Modules call the global hooks, as torch's do."""
from __future__ import annotations

from typing import Any, Callable, Dict

_hooks: Dict[int, Callable[..., Any]] = {}


class _Handle:
    def __init__(self, key: int) -> None:
        self._key = key

    def remove(self) -> None:
        _hooks.pop(self._key, None)


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> _Handle:
    _hooks[id(hook)] = hook
    return _Handle(id(hook))


class Module:
    def __init__(self) -> None:
        self._modules, self._parameters, self._buffers = {}, {}, {}

    def __call__(self, *args: Any) -> Any:
        for hook in list(_hooks.values()):
            hook(self, args)
        return self.forward(*args)

    training = True

    def train(self, mode: bool = True) -> Any:
        self.training = mode
        return self

    def eval(self) -> Any:
        return self.train(False)
