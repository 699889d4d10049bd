"""Acts once the program has imported a module, and leaves the moment of the import to the program."""
from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from typing import Any, Callable, Optional


def when_imported(name: str, act: Callable[[], None]) -> Callable[[], None]:
    """Call ``act`` right after the import of the module, or at once. Scripts set threads, allocator and logging before
    torch's import. The result no longer waits.
    """
    if name in sys.modules:
        spec = getattr(sys.modules[name], '__spec__', None)
        if type(spec) is not ModuleSpec or not getattr(spec, '_initializing', False):
            act()
            return lambda: None
        return _at_end_of_import(spec, act)
    awaiting = _Awaiting(name, act)
    sys.meta_path.insert(0, awaiting)
    return awaiting.end


def _at_end_of_import(spec: ModuleSpec, act: Callable[[], None]) -> Callable[[], None]:
    """The module is being imported, and has none of its functions yet: a server's own module often imports torch first,
    at which the recorder starts. Python clears ``_initializing`` at the end of the import.
    """
    class Watched(ModuleSpec):
        def __setattr__(self, name: str, value: Any) -> None:
            super().__setattr__(name, value)
            if name == '_initializing' and not value:
                end()
                if spec.name in sys.modules:    # else its import failed
                    act()

    def end() -> None:
        if type(spec) is Watched:
            spec.__class__ = ModuleSpec
    spec.__class__ = Watched
    return end


class _Awaiting(MetaPathFinder):
    """Finds nothing itself: the other finders do, and it extends the module's loader."""

    def __init__(self, name: str, act: Callable[[], None]) -> None:
        self._name, self._act = name, act

    def end(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Optional[Any]:
        if name != self._name:
            return None
        spec = self._others(name, path, target)
        loader: Any = spec.loader if spec else None
        execute = getattr(loader, 'exec_module', None)
        if execute is None:
            return spec

        def executed(module: Any) -> None:
            execute(module)
            # Not earlier: programs also look for a module without importing it.
            if self in sys.meta_path:
                sys.meta_path.remove(self)
                self._act()

        try:
            loader.exec_module = executed
        except AttributeError:
            pass  # a loader that takes no attributes: nothing is recorded, and the import goes on
        return spec

    def _others(self, name: str, path: Any, target: Any) -> Optional[Any]:
        for finder in list(sys.meta_path):
            find = getattr(finder, 'find_spec', None) if finder is not self else None
            spec = find(name, path, target) if find is not None else None
            if spec is not None:
                return spec
        return None
