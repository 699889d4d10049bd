"""One step of a chain: how an object holds another, in words that lead to a place in the source."""
from __future__ import annotations

import collections
import dataclasses
import functools
import types
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

import torch

from ..guard import ordinary
from ..plain import file_of, is_a, modules, namespace, read_locals, type_name
from ..sources import is_machinery, is_users, text_of

_MODULE_DICTS = ('_modules', '_parameters', '_buffers')
FEW_KEYS = 16    # a dictionary with more string keys than this is a table: its keys tell its items apart, they name nothing
FEW_ITEMS = 8    # a longer tuple may be one that the program makes again with one more item
MAX_NAME, MAX_NUMBER = 20, 1_000_000    # a longer name or a larger number may identify a person
MAX_KNOWN, MAX_SOURCES = 10_000, 200
_SEQUENCES: Any = (list, tuple, collections.deque)
_CONSTANTS = (type(None), bool, int, float, complex, str, bytes, tuple, frozenset, type)
_GENERATORS = (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType)


@dataclasses.dataclass(frozen=True)
class Link:
    """``text`` continues the expression so far (``.visited``, ``[12]``); ``pattern`` is the same for all members of a group."""

    kind: str                       #: 'attribute', 'item', 'key', 'closure', 'default', 'local', 'hook', 'cached', 'other'
    text: str
    pattern: str
    name: Optional[str] = None      #: attribute's, variable's or function's name
    owner: Optional[str] = None     #: class that has the attribute, function that has the variable
    file: Optional[str] = None
    line: Optional[int] = None
    container: Optional[str] = None # type of a list, dict, … whose item this is
    length: int = 0
    maxlen: Optional[int] = None    # items that the container holds at most, where Python tells
    place: int = 0                  # identity of the container
    is_repeated: bool = dataclasses.field(default=False, compare=False)    # stands for several: `.previous` of a linked list
    classes: Tuple[Tuple[str, str], ...] = ()    # of an attribute's object: file and name, without torch and the standard library


GRADIENT = Link('other', '.grad', '.grad', owner='Tensor')
GRAPH = Link('other', ' → its graph', ' → its graph')
ARRAY = Link('other', ' → the tensor whose memory it shares', '')
SAVED = Link('other', '.saved_tensors', '.saved_tensors', owner='Tensor.grad_fn')
BASE = Link('other', ' → the tensor that it is a view of', ' → the tensor that it is a view of')


class Shown:
    """The shown keys of dictionaries: short names, and keys in the program's source. Other keys may be secrets, so only
    type and length are shown.
    """

    def __init__(self, all_of_them: bool = False) -> None:
        self._all = all_of_them
        self._known: Dict[str, bool] = {}
        self._sources: Optional[List[str]] = None
        self._libraries: Optional[List[str]] = None

    def __call__(self, key: Any) -> str:
        """Short, and never a tensor's repr: that prints its values, and reads them from the device."""
        kind = type(key)
        if kind is str:
            return _short(repr(key)) if self.is_shown(key) else f'<str of {len(key)}>'
        if kind in (bool, type(None)) or kind is int and abs(key) < MAX_NUMBER:
            return repr(key)
        if kind in (int, float):
            return _short(repr(key)) if self._all else f'<{kind.__name__}>'
        if is_a(key, tuple) and len(key) <= 4:
            return '(' + ', '.join(self(part) for part in key) + ')'
        return f'<{type_name(type(key))}>'

    def is_shown(self, key: str) -> bool:
        if self._all or len(key) <= MAX_NAME and key.isidentifier() or len(key) < 7 and key.isdigit():
            return True
        if len(self._known) < MAX_KNOWN and key not in self._known:
            self._known[key] = self._in_source(key)
        return self._known.get(key, False)

    def _in_source(self, key: str) -> bool:
        if self._sources is None:
            self._sources = []
            for _, _, path in modules():
                if path and path.endswith('.py') and is_users(path) and len(self._sources) < MAX_SOURCES:
                    self._sources.append(text_of(path))
        if len(key) > 1 and any(f"'{key}'" in text or f'"{key}"' in text for text in self._sources):
            return True
        return key.isidentifier() and self._is_attribute(key)

    def _is_attribute(self, name: str) -> bool:
        """True if a library's source has it as an attribute: some classes share one dictionary among their instances."""
        if self._libraries is None:
            paths = {path for _, _, path in modules() if path and path.endswith('.py') and not is_users(path) and not is_machinery(path)}
            self._libraries = [text_of(path) for path in sorted(paths)[:MAX_SOURCES]]
        return any(f'self.{name}' in text for text in (self._sources or []) + self._libraries)


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + '…'


class Places:
    """Places of items in their containers: a walk looks up thousands in one list, and reads it once."""

    def __init__(self, shown: Optional[Shown] = None) -> None:
        self.shown = shown or Shown()
        self._known: Dict[Tuple[int, str], Dict[int, Any]] = {}

    def index(self, sequence: Any, item: Any) -> Optional[int]:
        """Index of the first equal item, in a list, tuple or deque."""
        kind = next(kind for kind in _SEQUENCES if is_a(sequence, kind))
        return self._of(sequence, 'item', lambda: enumerate(list(kind.__iter__(sequence)))).get(id(item))

    def key(self, container: Dict[Any, Any], value: Any) -> Optional[Tuple[Any]]:
        """The key of a value, in a tuple of its own: the key may be ``None``."""
        return self._of(container, 'value', lambda: (((key,), held) for key, held in list(dict.items(container)))).get(id(value))

    def is_key(self, container: Dict[Any, Any], part: Any) -> bool:
        """A key, or in a tuple that is one."""
        return id(part) in self._of(container, 'key', lambda: (
            (True, each) for key in list(dict.keys(container)) for each in (key, *(key if type(key) is tuple else ()))))

    def _of(self, container: Any, part: str, places: Callable[[], Iterable[Tuple[Any, Any]]]) -> Dict[int, Any]:
        known = self._known.get((id(container), part))
        if known is None:
            known = self._known[id(container), part] = {}
            for place, item in places():
                known.setdefault(id(item), place)
        return known


def link(parent: Any, child: Any, places: Places) -> Optional[Link]:
    """How ``parent`` holds ``child``; ``None`` if that cannot be said."""
    try:
        return _link(parent, child, places)
    except ordinary(Exception):
        return None  # a proxy or a half-built object of the program; the chain goes on without this step


def _link(parent: Any, child: Any, places: Places) -> Optional[Link]:
    if is_a(parent, dict):
        return _dict(parent, child, places)
    if is_a(parent, _SEQUENCES):
        return _sequence(parent, child, places)
    if is_a(parent, (set, frozenset)):
        return Link('item', '{…}', '{*}', container=type_name(type(parent)), length=len(parent), place=id(parent))
    if is_a(parent, types.CellType):
        return Link('other', '', '')
    if is_a(parent, types.FunctionType):
        return _function(parent, child)
    if is_a(parent, types.MethodType):
        return Link('other', '.__self__', '.__self__')
    if is_a(parent, functools.partial):
        return Link('other', '.args', '.args', name=getattr(parent.func, '__name__', None))
    if is_a(parent, types.FrameType):
        return _frame(parent, child, 'frame')
    if is_a(parent, types.TracebackType):
        return Link('other', '', '')
    if is_a(parent, _GENERATORS):
        frame = getattr(parent, 'gi_frame', None) or getattr(parent, 'cr_frame', None) or getattr(parent, 'ag_frame', None)
        return _frame(frame, child, 'generator') if frame is not None else None
    if type_name(type(parent)) == '_lru_cache_wrapper':
        return _cached(parent, child)
    if is_a(parent, torch.Tensor):
        return _tensor(parent, child)
    if type_name(type(parent)) == 'ndarray':
        return ARRAY if is_a(child, torch.Tensor) else Link('other', '', '')    # a slice of another array
    return _attribute(parent, child)


def is_instance_dict(container: Any, holder: Any) -> bool:
    """Is ``container`` the ``__dict__`` of ``holder``? Such pairs are one step: an attribute."""
    return is_a(container, dict) and not is_a(holder, (dict, type, types.ModuleType)) \
        and namespace(holder) is container


def attribute(holder: Any, name: str) -> Link:
    if is_a(holder, torch.nn.Module) and name.endswith('_hooks') and is_a((namespace(holder) or {}).get(name), dict):
        return Link('hook', f'.{name}', f'.{name}', name=name, owner=type_name(type(holder)), classes=_classes_of(type(holder)))
    text = '' if is_a(holder, torch.nn.Module) and name in _MODULE_DICTS else f'.{name}'
    if is_a(holder, torch.autograd.function.BackwardCFunction):
        function = getattr(type(holder), '_forward_cls', type(holder))
        text = f' → {function.__name__} ctx.{name}'
        return Link('attribute', text, text, name=name, owner=function.__name__, file=file_of(function))
    return Link('attribute', text, text, name=name, owner=type_name(type(holder)), file=file_of(type(holder)), classes=_classes_of(type(holder)))


def _classes_of(kind: type) -> Tuple[Tuple[str, str], ...]:
    found = ((file_of(base), type_name(base)) for base in type.__getattribute__(kind, '__mro__'))
    return tuple((file, name) for file, name in found if file and not is_machinery(file))


def _dict(parent: Dict[Any, Any], child: Any, places: Places) -> Optional[Link]:
    kind, length = type_name(type(parent)), dict.__len__(parent)
    found = places.key(parent, child)
    if found is not None:
        key, = found
        shown, name = places.shown(key), key if type(key) is str and places.shown.is_shown(key) else None
        few = is_a(key, str) and length <= FEW_KEYS
        return Link('item' if not few else 'key', f'[{shown}]', f'[{shown}]' if few else '[*]', name=name, container=kind, length=length, place=id(parent))
    return Link('item', '{key}', '{key}', container=kind, length=length, place=id(parent)) if places.is_key(parent, child) else None


def _sequence(parent: Any, child: Any, places: Places) -> Optional[Link]:
    index = places.index(parent, child)
    if index is None:
        return None
    if is_a(parent, tuple) and tuple.__len__(parent) <= FEW_ITEMS:
        return Link('item', f'[{index}]', f'[{index}]')
    return Link('item', f'[{index}]', '[*]', container=type_name(type(parent)), length=next(kind for kind in _SEQUENCES if is_a(parent, kind)).__len__(parent),
                maxlen=parent.maxlen if is_a(parent, collections.deque) else None, place=id(parent))


def closure(function: types.FunctionType, cell: Any) -> Link:
    """The variable of a function around it, by its cell."""
    code = function.__code__
    name = next((name for name, one in zip(code.co_freevars, function.__closure__ or ()) if one is cell), None)
    text = f' → {code.co_name}() closure {name}'
    return Link('closure', text, text, name=name, **_place(function))


def _place(function: types.FunctionType) -> Dict[str, Any]:
    """As the source has it: a decorator's function has the name of the one that it decorates."""
    code, name = function.__code__, function.__qualname__
    return {'owner': name if name.rpartition('.')[2] == code.co_name else code.co_name, 'file': code.co_filename, 'line': code.co_firstlineno}


def _function(parent: types.FunctionType, child: Any) -> Optional[Link]:
    called, place = parent.__code__.co_name, _place(parent)
    if child is parent.__defaults__ or child is parent.__kwdefaults__:
        name = _default_that_grows(parent)
        text = f' → default {name} of {called}()' if name else f' → default of {called}()'
        return Link('default' if name else 'other', text, text, name=name or called, **place)
    if child is parent.__dict__:
        return Link('other', '', '')
    return None


def _default_that_grows(function: types.FunctionType) -> Optional[str]:
    """The parameter whose default is a container or an object, if there is only one."""
    code, defaults = function.__code__, function.__defaults__ or ()
    positional = zip(code.co_varnames[code.co_argcount - len(defaults):code.co_argcount], defaults)
    grown = [name for name, value in (*positional, *(function.__kwdefaults__ or {}).items()) if type(value) not in _CONSTANTS]
    return grown[0] if len(grown) == 1 else None


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
                length=info.currsize if info else 0, maxlen=info.maxsize if info else None, place=id(parent))


def _tensor(parent: torch.Tensor, child: Any) -> Optional[Link]:
    if is_a(child, torch.autograd.function.BackwardCFunction):
        return Link('other', '.grad_fn', '.grad_fn', owner='Tensor')
    if is_a(child, dict) and getattr(parent, '_backward_hooks', None) is child:
        return Link('hook', '._backward_hooks', '._backward_hooks', name='register_hook', owner='Tensor')
    return _attribute(parent, child)


def _attribute(parent: Any, child: Any) -> Optional[Link]:
    held = namespace(parent)
    if held is not None:
        if held is child:
            return Link('other', '', '')
        for name, value in list(held.items()):
            if value is child and is_a(name, str):
                return attribute(parent, name)
    for name in _slots(type(parent)):
        try:
            if getattr(parent, name) is child:
                return attribute(parent, name)
        except ordinary(Exception):
            continue
    if is_a(parent, BaseException) and is_a(child, (types.TracebackType, BaseException)):
        return Link('other', '.__traceback__' if is_a(child, types.TracebackType) else '.__context__', '.__traceback__')
    return Link('other', f' → {type_name(type(parent))}', f' → {type_name(type(parent))}', name=type_name(type(parent)))


def _slots(kind: type) -> Tuple[str, ...]:
    found = []
    for base in kind.__mro__:
        slots = base.__dict__.get('__slots__', ())
        found.extend([slots] if is_a(slots, str) else slots)
    return tuple(found)
