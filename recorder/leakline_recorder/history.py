"""Detects that the program records memory history itself: its history is never cleared here."""
from __future__ import annotations

import contextlib
from typing import Any, Callable, Dict, Iterator

import torch

#: the function behind every way to switch it on or off
_SWITCHES = ('_cuda_record_memory_history', '_cuda_record_memory_history_legacy')


class ProgramsHistory:
    """``is_on`` from the program's call that switches it on until one that switches it off."""

    def __init__(self, is_on: bool) -> None:
        self.is_on = is_on
        self._is_ours = False
        self._plain: Dict[str, Callable[..., Any]] = {}
        for name in _SWITCHES:
            plain = getattr(torch._C, name, None)
            if plain is not None:
                self._plain[name] = plain
                setattr(torch._C, name, self._noting(plain))

    @contextlib.contextmanager
    def call_of_ours(self) -> Iterator[None]:
        self._is_ours = True
        try:
            yield
        finally:
            self._is_ours = False

    def stop(self) -> None:
        for name, plain in self._plain.items():
            setattr(torch._C, name, plain)
        self._plain.clear()

    def _noting(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        def switch(enabled: Any, *args: Any, **kwargs: Any) -> Any:
            if not self._is_ours:
                self.is_on = bool(enabled)
            return plain(enabled, *args, **kwargs)
        return switch
