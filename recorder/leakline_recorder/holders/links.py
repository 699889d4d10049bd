"""One step of a chain: how an object holds another, in words that lead to a place in the source."""
from __future__ import annotations

import collections
import dataclasses
import functools
import sys
import types
from typing import Any, Dict, Optional, Tuple

import torch

from .roots import read_locals

_MODULE_DICTS = ('_modules', '_parameters', '_buffers')
_HOOK_DICTS = ('_forward_hooks', '_forward_pre_hooks', '_backward_hooks', '_backward_pre_hooks')
FEW_KEYS = 16    # a dictionary with more string keys than this is a table: its keys tell its items apart, they name nothing
_GENERATORS = (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType)


@dataclasses.dataclass(frozen=True)
class Link:
    """``text`` continues the expression so far (``.visited``, ``[12]``); ``pattern`` is the same for all members of a group."""

    kind: str                       #: 'attribute', 'item', 'key', 'closure', 'local', 'hook', 'cached', 'other'
    text: str
    pattern: str
    name: Optional[str] = None      #: attribute's, variable's or function's name
    owner: Optional[str] = None     #: class that has the attribute, function that has the variable
    file: Optional[str] = None
    line: Optional[int] = None
    container: Optional[str] = None # type of a list, dict, … whose item this is
    length: int = 0
    maxlen: Optional[int] = None    # items that the container holds at most, where Python tells


GRADIENT = Link('other', '.grad', '.grad', owner='Tensor')
GRADIENT_GRAPH = Link('other', ' → its graph', ' → its graph')


def link(parent: Any, child: Any) -> Optional[Link]:
    """How ``parent`` holds ``child``; ``None`` if that cannot be said."""
    try:
        return _link(parent, child)
    except Exception:
        return None  # a proxy or a half-built object of the program; the chain goes on without this step


def namespace(holder: Any) -> Optional[Dict[str, Any]]:
    """``__dict__`` without running code of the program: proxies answer for something else, or create it."""
    try:
        found = object.__getattribute__(holder, '__dict__')
    except (AttributeError, TypeError):
        return None
    return found if isinstance(found, dict) else None


def _link(parent: Any, child: Any) -> Optional[Link]:
    if isinstance(parent, dict):
        return _dict(parent, child)
    if isinstance(parent, (list, tuple, collections.deque)):
        return _sequence(parent, child)
    if isinstance(parent, (set, frozenset)):
        return Link('item', '{…}', '{*}', container=type(parent).__name__, length=len(parent))
    if isinstance(parent, types.CellType):
        return Link('other', '', '')
    if isinstance(parent, types.FunctionType):
        return _function(parent, child)
    if isinstance(parent, types.MethodType):
        return Link('other', '.__self__', '.__self__')
    if isinstance(parent, functools.partial):
        return Link('other', '.args', '.args', name=getattr(parent.func, '__name__', None))
    if isinstance(parent, types.FrameType):
        return _frame(parent, child, 'frame')
    if isinstance(parent, types.TracebackType):
        return Link('other', '', '')
    if isinstance(parent, _GENERATORS):
        frame = getattr(parent, 'gi_frame', None) or getattr(parent, 'cr_frame', None) or getattr(parent, 'ag_frame', None)
        return _frame(frame, child, 'generator') if frame is not None else None
    if type(parent).__name__ == '_lru_cache_wrapper':
        return _cached(parent, child)
    if isinstance(parent, torch.Tensor):
        return _tensor(parent, child)
    return _attribute(parent, child)


def is_instance_dict(container: Any, holder: Any) -> bool:
    """Is ``container`` the ``__dict__`` of ``holder``? Such pairs are one step: an attribute."""
    return isinstance(container, dict) and not isinstance(holder, (dict, type, types.ModuleType)) \
        and namespace(holder) is container


def attribute(holder: Any, name: str) -> Link:
    if name in _HOOK_DICTS:
        return Link('hook', f'.{name}', f'.{name}', name=name, owner=type(holder).__name__)
    text = '' if isinstance(holder, torch.nn.Module) and name in _MODULE_DICTS else f'.{name}'
    if isinstance(holder, torch.autograd.function.BackwardCFunction):
        function = getattr(type(holder), '_forward_cls', type(holder))
        text = f' → {function.__name__} ctx.{name}'
        return Link('attribute', text, text, name=name, owner=function.__name__, file=_file_of(function))
    return Link('attribute', text, text, name=name, owner=type(holder).__name__, file=_file_of(type(holder)))


def _dict(parent: Dict[Any, Any], child: Any) -> Optional[Link]:
    for key, value in list(dict.items(parent)):
        if value is child:
            shown = key_text(key)
            few = isinstance(key, str) and len(parent) <= FEW_KEYS
            return Link('item' if not few else 'key', f'[{shown}]', f'[{shown}]' if few else '[*]', name=key if isinstance(key, str) else None,
                        container=type(parent).__name__, length=len(parent))
        if key is child:
            return Link('item', '{key}', '{key}', container=type(parent).__name__, length=len(parent))
        if isinstance(key, tuple) and any(part is child for part in key):
            return Link('item', '{key}', '{key}', container=type(parent).__name__, length=len(parent))
    return None


def key_text(key: Any) -> str:
    """Short, and never a tensor's repr: that prints its values, and reads them from the device."""
    if isinstance(key, (str, int, float, bool, type(None))):
        return repr(key) if len(repr(key)) <= 40 else repr(key)[:37] + '…'
    if isinstance(key, tuple) and len(key) <= 4:
        return '(' + ', '.join(key_text(part) for part in key) + ')'
    return f'<{type(key).__name__}>'


def _sequence(parent: Any, child: Any) -> Optional[Link]:
    for index, value in enumerate(list(parent)):
        if value is child:
            return Link('item', f'[{index}]', '[*]' if not isinstance(parent, tuple) else f'[{index}]',
                        container=type(parent).__name__, length=len(parent),
                        maxlen=parent.maxlen if isinstance(parent, collections.deque) else None)
    return None


def _function(parent: types.FunctionType, child: Any) -> Optional[Link]:
    code = parent.__code__
    place = {'owner': parent.__qualname__, 'file': code.co_filename, 'line': code.co_firstlineno}
    for name, cell in zip(code.co_freevars, parent.__closure__ or ()):
        if cell is child:
            text = f'{parent.__name__}() closure {name}'
            return Link('closure', f' → {text}', f' → {text}', name=name, **place)
    if child is parent.__closure__:
        text = f'{parent.__name__}() closure'
        return Link('closure', f' → {text}', f' → {text}', name=(code.co_freevars or (None,))[0], **place)
    if child is parent.__defaults__ or child is parent.__kwdefaults__:
        return Link('other', f' → default of {parent.__name__}()', f' → default of {parent.__name__}()', name=parent.__name__, **place)
    if child is parent.__dict__:
        return Link('other', '', '')
    return None


def _frame(frame: types.FrameType, child: Any, kind: str) -> Optional[Link]:
    code = frame.f_code
    for name, value in read_locals(frame):
        if value is child:
            base = code.co_filename.rsplit('/', 1)[-1].rsplit('\\', 1)[-1]
            text = f' → {kind} {code.co_name} ({base}:{frame.f_lineno}) local {name}'
            return Link('local', text, text, name=name, owner=code.co_name, file=code.co_filename, line=frame.f_lineno)
    return None


def _cached(parent: Any, child: Any) -> Link:
    function = getattr(parent, '__wrapped__', None)
    code = getattr(function, '__code__', None)
    name = getattr(function, '__qualname__', 'function')
    info = parent.cache_info() if hasattr(parent, 'cache_info') else None
    return Link('cached', f' → cache of {name}()', f' → cache of {name}()', name=getattr(function, '__name__', None), owner=name,
                file=getattr(code, 'co_filename', None), line=getattr(code, 'co_firstlineno', None), container='cache',
                length=info.currsize if info else 0, maxlen=info.maxsize if info else None)


def _tensor(parent: torch.Tensor, child: Any) -> Optional[Link]:
    if isinstance(child, torch.autograd.function.BackwardCFunction):
        return Link('other', '.grad_fn', '.grad_fn', owner='Tensor')
    if isinstance(child, dict) and getattr(parent, '_backward_hooks', None) is child:
        return Link('hook', '._backward_hooks', '._backward_hooks', name='register_hook', owner='Tensor')
    return _attribute(parent, child)


def _attribute(parent: Any, child: Any) -> Optional[Link]:
    held = namespace(parent)
    if held is not None:
        if held is child:
            return Link('other', '', '')
        for name, value in list(held.items()):
            if value is child and isinstance(name, str):
                return attribute(parent, name)
    for name in _slots(type(parent)):
        try:
            if getattr(parent, name) is child:
                return attribute(parent, name)
        except Exception:
            continue
    if isinstance(parent, BaseException) and isinstance(child, (types.TracebackType, BaseException)):
        return Link('other', '.__traceback__' if isinstance(child, types.TracebackType) else '.__context__', '.__traceback__')
    return Link('other', f' → {type(parent).__name__}', f' → {type(parent).__name__}', name=type(parent).__name__)


def _slots(kind: type) -> Tuple[str, ...]:
    found = []
    for base in kind.__mro__:
        slots = base.__dict__.get('__slots__', ())
        found.extend([slots] if isinstance(slots, str) else slots)
    return tuple(found)


def _file_of(kind: Any) -> Optional[str]:
    return getattr(sys.modules.get(getattr(kind, '__module__', '')), '__file__', None)
