from __future__ import annotations

from typing import Any, Callable, Dict

_hooks: Dict[int, Callable[..., Any]] = {}


class Handle:
    def __init__(self, number: int) -> None:
        self.number = number

    def remove(self) -> None:
        _hooks.pop(self.number, None)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> Handle:
    number = max(_hooks, default=0) + 1
    _hooks[number] = hook
    return Handle(number)


class Optimizer:
    def __init__(self) -> None:
        self.state: Dict[Any, Any] = {}

    def step(self) -> None:
        for hook in list(_hooks.values()):
            hook(self, (), {})
