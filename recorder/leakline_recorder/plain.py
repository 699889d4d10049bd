"""Facts of an object, without running code of the program: proxies would create their targets, mocks pretend, and lazy
modules import.
"""
from __future__ import annotations

import dis
import functools
import sys
import types
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple, Type, Union

from .guard import ordinary

_NAME: Any = type.__dict__['__name__']
_COPIES_LOCALS = sys.version_info < (3, 13)   # f_locals is a dict that keeps what it was filled with
_OPTIMIZED = 0x1                              # CO_OPTIMIZED: a function's frame, not a module's or a class body's
_BUILTIN_SEERS = frozenset({'locals', 'vars', 'dir', 'eval', 'exec'})
_FRAME_SEERS = frozenset({'_getframe', 'currentframe'})

#: The emptied copies of running functions' locals: while one is stored here, no other function's has its identity.
HELD_LOCALS: Dict[int, Dict[str, Any]] = {}


def is_a(value: Any, kinds: Union[type, Tuple[type, ...]]) -> bool:
    """``isinstance`` by the real type: ``isinstance`` itself also asks for ``__class__``."""
    return issubclass(type(value), kinds)


def namespace(holder: Any) -> Optional[Dict[str, Any]]:
    """``__dict__``, if it is a dictionary."""
    try:
        found = object.__getattribute__(holder, '__dict__')
    except ordinary(AttributeError, TypeError):
        return None
    return found if is_a(found, dict) else None


def type_name(kind: Type[Any]) -> str:
    """``__name__``, which a metaclass may override."""
    return str(_NAME.__get__(kind))


def modules() -> Iterator[Tuple[str, Dict[str, Any], Optional[str]]]:
    """Loaded modules: name, names in them, source file."""
    for name, module in list(sys.modules.items()):
        names = namespace(module) if is_a(module, types.ModuleType) else None
        if names is not None:
            yield name, names, _text(names.get('__file__'))


def file_of(kind: Type[Any]) -> Optional[str]:
    """The source file of the module that a class names; of a class in a notebook, the cell of its methods."""
    own = type.__getattribute__(kind, '__dict__')
    module = sys.modules.get(_text(own.get('__module__')) or '')
    file = _text((namespace(module) or {}).get('__file__'))
    return file or next((value.__code__.co_filename for value in list(own.values()) if is_a(value, types.FunctionType)), None)


def _text(value: Any) -> Optional[str]:
    return value if is_a(value, str) else None


def read_locals(frame: types.FrameType) -> List[Tuple[str, Any]]:
    """A frame's local variables, without the copy that Python up to 3.12 attaches to the frame: it would hold this
    step's tensors until the function ends.
    """
    found = frame.f_locals
    pairs = list(found.items())
    # frame, `found` and the call's argument: with more references, the program itself holds this dict (it called
    # locals())
    if _COPIES_LOCALS and frame.f_code.co_flags & _OPTIMIZED and sys.getrefcount(found) <= 3 + (id(found) in HELD_LOCALS):
        found.clear()
    return pairs


def mark_of(value: Any) -> Any:
    """Differs from that of another value: an integer itself, else a text with the identity."""
    return value if type(value) is int else str(id(value))


def _sees_locals(code: types.CodeType) -> bool:
    return not _FRAME_SEERS.isdisjoint(code.co_names) or not _BUILTIN_SEERS.isdisjoint(code.co_names) and _calls_seer(code)


@functools.lru_cache(maxsize=1 << 10)
def _calls_seer(code: types.CodeType) -> bool:
    """Not ``model.eval()``, which most programs call: methods may have the names of these builtins."""
    return any(part.opname == 'LOAD_GLOBAL' and part.argval in _BUILTIN_SEERS for part in dis.get_instructions(code))


def locals_of(frame: types.FrameType, names: Iterable[str]) -> Tuple[int, bool, Dict[str, Any]]:
    """The call of its function that the frame is, whether that is certain, and the marks of some local variables."""
    code = frame.f_code
    if not code.co_flags & _OPTIMIZED:
        found = frame.f_locals
        return id(found), found is frame.f_globals, {name: mark_of(found.get(name)) for name in names}
    # A function that reads its own locals would see changes; later Pythons attach no copy that identifies calls.
    if not _COPIES_LOCALS or _sees_locals(code):
        return id(frame), False, {}
    found = frame.f_locals
    values = {name: mark_of(found.get(name)) for name in names}
    if sys.getrefcount(found) <= 3 + (id(found) in HELD_LOCALS):
        found.clear()
        HELD_LOCALS[id(found)] = found
        return id(found), True, values
    return id(frame), False, values
