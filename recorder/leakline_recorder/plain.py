"""What an object is and has, without running code of the program.

Proxies answer for something else, or create it when they are asked; mocks pretend; lazy modules import.
"""
from __future__ import annotations

import sys
import types
from typing import Any, Dict, Iterator, Optional, Tuple, Type, Union

_NAME: Any = type.__dict__['__name__']


def is_a(value: Any, kinds: Union[type, Tuple[type, ...]]) -> bool:
    """``isinstance`` by the real type: ``isinstance`` itself also asks for ``__class__``."""
    return issubclass(type(value), kinds)


def namespace(holder: Any) -> Optional[Dict[str, Any]]:
    """``__dict__``, if it is a dictionary."""
    try:
        found = object.__getattribute__(holder, '__dict__')
    except (AttributeError, TypeError):
        return None
    return found if is_a(found, dict) else None


def type_name(kind: Type[Any]) -> str:
    """``__name__``, which a metaclass may answer for."""
    return str(_NAME.__get__(kind))


def modules() -> Iterator[Tuple[str, Dict[str, Any], Optional[str]]]:
    """Loaded modules: name, names in them, source file."""
    for name, module in list(sys.modules.items()):
        names = namespace(module) if is_a(module, types.ModuleType) else None
        if names is not None:
            yield name, names, _text(names.get('__file__'))


def file_of(kind: Type[Any]) -> Optional[str]:
    """The source file of the module that a class says it is from."""
    module = sys.modules.get(_text(type.__getattribute__(kind, '__dict__').get('__module__')) or '')
    return _text((namespace(module) or {}).get('__file__'))


def _text(value: Any) -> Optional[str]:
    return value if is_a(value, str) else None
