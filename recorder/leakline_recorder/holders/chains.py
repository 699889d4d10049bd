"""From an object up to a name: breadth first over referrers."""
from __future__ import annotations

import collections
import contextvars
import dataclasses
import functools
import types
from typing import AbstractSet, Any, Dict, List, Optional, Sequence, Set, Tuple

import torch

from ..guard import ordinary
from ..plain import file_of, is_a, namespace, type_name
from ..sources import is_users
from .deadline import Deadline
from .heap import Heap
from .links import Link, Places, Shown, attribute, closure, is_instance_dict, link
from .roots import Root, Roots
from .stale import updated_with

MAX_LINKS = 14        # a longer chain is no help to anyone
MAX_VISITED = 4000    # objects looked at for one tensor
_COLLECTIONS = ('ModuleDict', 'ModuleList', 'ParameterDict', 'ParameterList')    # of modules; they grow, the parts of others do not
#: Autograd refers to tensors and to contexts of its functions from C++: its graphs are searched apart.
_NEVER_PINNED = (torch.Tensor, torch.autograd.function.BackwardCFunction, types.FrameType, types.TracebackType, type, types.ModuleType)
MAX_STARTS = 64       # objects above an unnamed tensor from which a cycle is looked for


@dataclasses.dataclass(frozen=True)
class Pin:
    """An object that something outside of Python refers to, such as a node of autograd."""

    text: str                   #: 'hook Hook.pre_forward.<locals>.wrapper()', or the type of the object
    name: Optional[str]         #: of the function in its definition, if it is one
    file: Optional[str]
    line: Optional[int]


@dataclasses.dataclass(frozen=True)
class Chain:
    """``root`` then ``links``, from the name down to the tensor. Without a root, ``cycle``, ``pin`` or ``ends`` say why.
    A cycle with a pin cannot be collected.
    """

    root: Optional[Root]
    links: Tuple[Link, ...]
    cycle: Tuple[Link, ...] = ()
    ends: str = ''
    pin: Optional[Pin] = None

    @property
    def text(self) -> str:
        if self.cycle:
            return 'reference cycle ' + cycle_text(self.cycle) + _tail(self.links)
        head = self.root.text if self.root else self.pin.text if self.pin else f'unnamed ({self.ends})'
        return head + _tail(self.links)

    @property
    def is_named(self) -> bool:
        """True if it leads to a place in the program, or to something that survives the running functions."""
        root = self.root
        return bool(root and (root.users or root.kind in ('global', 'class')) or self.cycle or self.pin)

    @property
    def pattern(self) -> str:
        head = 'cycle ' + cycle_text(self.cycle) if self.cycle else self.root.text if self.root else self.pin.text if self.pin else self.ends
        return head + ''.join(part.pattern for part in self.links)

    @property
    def unnumbered(self) -> Optional[str]:
        """The pattern, without a number at the end of an attribute in its last link."""
        if self.cycle or not self.links or self.links[-1].kind != 'attribute' or not self.pattern[-1:].isdigit():
            return None
        return self.pattern.rstrip('0123456789') + '*'


def _tail(links: Sequence[Link]) -> str:
    return ''.join(part.text for part in links)


def cycle_text(cycle: Sequence[Link]) -> str:
    """``Node.parent → Node.children → [*]``, from the same link on for any start of the cycle."""
    parts = [f'{part.owner}{part.pattern}' if part.owner and part.pattern.startswith('.') else part.pattern.strip(' →')
             for part in cycle if part.pattern]
    turns = [parts[index:] + parts[:index] for index in range(len(parts))]
    return ' → '.join(min((turn for turn in turns if not turn[0].startswith('[')), default=parts))


class Chains:
    """Finds chains, and remembers the way to its name for every object passed."""

    def __init__(self, heap: Heap, roots: Roots, deadline: Deadline, shown: Shown) -> None:
        self._heap = heap
        self._roots = roots
        self._deadline = deadline
        self._known: Dict[int, Chain] = {}
        self._places = Places(shown)
        self._avoided: AbstractSet[int] = frozenset()
        self._updated: Dict[int, AbstractSet[int]] = {}    # by the optimizer's state
        self._below: Dict[int, int] = {}    # of the last search that found no name

    def of(self, target: Any) -> Chain:
        """The shortest chain to a name in the program's own code, else in a library's, else to an obstacle."""
        try:
            found = self._search(target) or self._ownerless(target)
        except ordinary(Exception):
            return Chain(None, (), ends='behind an object that does not let itself be looked at')
        links = _folded(_merge_modules(found.links))
        if len(links) > MAX_LINKS:
            return dataclasses.replace(found, links=links[:MAX_LINKS], ends='longer')
        return dataclasses.replace(found, links=links)

    def around(self, target: Any, passed: Set[int]) -> Chain:
        """Another chain, which goes through none of these containers."""
        self._avoided, known, self._known = passed, self._known, {}
        try:
            return self.of(target)
        finally:
            self._avoided, self._known = frozenset(), known

    def _search(self, target: Any) -> Optional[Chain]:
        """``None`` if nothing above has a name."""
        back: Dict[int, Tuple[Any, Any]] = {}      # object -> (object, the one below it on the way to the target)
        level, fallback, visited = [target], None, 0
        seen = {id(target)}
        for _ in range(3 * MAX_LINKS):            # a dictionary and its instance are two objects, but one link
            following: List[Any] = []
            for child in level:
                found = self._named(child, back)
                if found is not None and found.root is not None and found.root.users:
                    return self._remember(found, child, back)
                fallback = fallback or found
                for parent in self._heap.referrers(id(child)):
                    if id(parent) in seen or id(parent) in self._avoided or self._is_noise(parent, child):
                        continue
                    # a class refers to its dictionary, and that to the value: the name is two objects up
                    value = back[id(child)][1] if is_a(parent, type) and id(child) in back else child
                    root = self._roots.in_namespace(parent, value)
                    if root is not None:
                        chain = Chain(root, self._down(value, back))
                        if root.users:
                            return self._remember(chain, value, back)
                        fallback = fallback or chain
                        continue
                    if self._roots.is_namespace(parent):
                        continue
                    named = self._variable(parent, child, back)
                    if named is not None:
                        if named[0].root is not None and named[0].root.users:
                            return self._remember(*named, back)
                        fallback = fallback or named[0]
                    seen.add(id(parent))
                    back[id(parent)] = (parent, child)
                    following.append(parent)
                    visited += 1
                    if not visited & 0xFF and self._deadline.passed():
                        return fallback or Chain(None, (), ends='not found in time')
            if not following:
                # Stored as numbers, because references of the search would look like those from outside of Python.
                self._below = {above: id(below) for above, (_, below) in back.items()}
                return fallback
            if visited > MAX_VISITED or self._deadline.passed():
                return fallback or Chain(None, (), ends='not found in time')
            level = following
        return fallback or Chain(None, (), ends=f'further than {MAX_LINKS} links')

    def _named(self, child: Any, back: Dict[int, Tuple[Any, Any]]) -> Optional[Chain]:
        known = self._known.get(id(child))
        if known is not None:
            return Chain(known.root, _folded(known.links + self._down(child, back)))
        names = self._roots.of(child)
        if not names:
            return None
        # outermost frame last in the list: `main() local history` helps more than a callee's argument of the same object
        best = max(enumerate(names), key=lambda item: (item[1].users, item[1].name != 'self', item[1].kind == 'local', item[0]))[1]
        return Chain(best, self._down(child, back))

    def _variable(self, parent: Any, child: Any, back: Dict[int, Tuple[Any, Any]]) -> Optional[Tuple[Chain, Any]]:
        """If the parent is the context of something that runs or will run: the chain from its variable, and the value."""
        if not is_a(parent, contextvars.Context) or not self._heap.has_outside_references(id(parent)):
            return None
        found = self._roots.in_context(parent, _walk(child, back))
        return found and (Chain(found[0], self._down(found[1], back)), found[1])

    def _remember(self, chain: Chain, top: Any, back: Dict[int, Tuple[Any, Any]]) -> Chain:
        """Store the chain of each object on the way, so that the next tensor in the same list is found at once."""
        known = self._known.get(id(top))
        above = known.links if known is not None else ()
        step = top
        while id(step) in back:
            # A dictionary may be an instance's `__dict__`, where a chain cannot be split.
            if id(step) not in self._known and not is_a(step, dict):
                self._known[id(step)] = Chain(chain.root, _folded(above + self._down(top, back, step)))
            step = back[id(step)][1]
        return chain

    def _down(self, top: Any, back: Dict[int, Tuple[Any, Any]], stop: Any = None) -> Tuple[Link, ...]:
        """Links from ``top`` down to the target, or to ``stop`` on the way there."""
        return self._spell(_walk(top, back, stop))

    def _spell(self, walk: List[Any]) -> Tuple[Link, ...]:
        """Each object of a walk holds the next. An instance's ``__dict__`` between it and what it holds is no link."""
        links: List[Link] = []
        index = 0
        while index < len(walk) - 1:
            holder, held = walk[index], walk[index + 1]
            if is_instance_dict(held, holder) and index + 2 < len(walk):
                name = next((name for name, value in list(held.items()) if value is walk[index + 2]), None)
                if is_a(name, str):
                    links.append(attribute(holder, name))
                index += 2
                continue
            if is_a(holder, types.FunctionType) and held is holder.__closure__ and index + 3 < len(walk):
                # The cell between them says which variable it is.
                links.append(closure(holder, walk[index + 2]))
                index += 3
                continue
            found = link(holder, held, self._places)
            if found is not None and (found.text or found.name):
                links.append(found)
            index += 1
        return tuple(links)

    def _is_noise(self, parent: Any, child: Any) -> bool:
        """Objects that refer to almost everything, or that belong to the walk."""
        if is_a(parent, types.ModuleType) or parent is self._heap.objects:
            return True
        if is_a(parent, types.FrameType):
            return id(parent) in self._roots.frames
        if is_a(parent, types.FunctionType):
            return child is parent.__globals__
        return is_a(child, torch.Tensor) and is_a(parent, collections.defaultdict) and id(child) in self._updated_with(parent)

    def _updated_with(self, state: Dict[Any, Any]) -> AbstractSet[int]:
        """The parameters that the optimizer with this state updates: they are in its groups, which hold them as long."""
        if id(state) not in self._updated:
            self._updated[id(state)] = updated_with(state, self._heap) or frozenset()
        return self._updated[id(state)]

    def _ownerless(self, target: Any) -> Chain:
        """A cycle, or a holder outside of Python, or both."""
        below = self._below
        walk = self._walk_down(self._pinned(below), target, below)
        pin, walk = _pin(walk)
        members = [target] + [self._heap.at(identity) for identity in below]
        members.sort(key=lambda value: is_a(value, dict))   # start at an instance, not at its dictionary
        identities = {id(value) for value in members}
        for start in members[:MAX_STARTS]:
            path = self._circle(start, identities)
            if path:
                return Chain(None, (), cycle=path, pin=pin)
        if pin is not None:
            return Chain(None, self._spell(walk), pin=pin)
        return Chain(None, (), ends='a temporary of a running function' if below else 'no Python owner')

    def _pinned(self, below: Dict[int, int]) -> Optional[int]:
        """The nearest object above the target with a reference from outside of Python."""
        return next((identity for identity in below if self._heap.has_outside_references(identity) and _may_be_pinned(self._heap.at(identity))), None)

    def _walk_down(self, top: Optional[int], target: Any, below: Dict[int, int]) -> List[Any]:
        walk = []
        while top in below:
            walk.append(self._heap.at(top))
            top = below[top]
        return walk + [target] if walk else []

    def _circle(self, start: Any, members: Any) -> Tuple[Link, ...]:
        """The shortest way from an object over its referrers back to itself, as links downwards."""
        back: Dict[int, Tuple[Any, Any]] = {}
        level = [start]
        while level and not self._deadline.passed():
            following = []
            for child in level:
                for parent in self._heap.referrers(id(child)):
                    if id(parent) not in members:
                        continue
                    if parent is start:
                        walk = [start, child]
                        while walk[-1] is not start:
                            walk.append(back[id(walk[-1])][1])
                        return self._spell(walk)
                    if id(parent) not in back:
                        back[id(parent)] = (parent, child)
                        following.append(parent)
            level = following
        return ()


def _walk(top: Any, back: Dict[int, Tuple[Any, Any]], stop: Any = None) -> List[Any]:
    """Objects from one down to the target, or to ``stop`` on the way there."""
    walk = [top]
    while id(walk[-1]) in back and walk[-1] is not stop:
        walk.append(back[id(walk[-1])][1])
    return walk


def _pin(walk: List[Any]) -> Tuple[Optional[Pin], List[Any]]:
    """The object at the top of a walk, in words, and the walk from there on: a function if there is one."""
    for index, value in enumerate(walk):
        function = value.__func__ if is_a(value, types.MethodType) else value.func if is_a(value, functools.partial) else value
        if is_a(function, types.FunctionType):
            code = function.__code__
            return Pin(f'hook {function.__qualname__}()', code.co_name, code.co_filename, code.co_firstlineno), walk[index:]
    return (Pin(type_name(type(walk[0])), None, file_of(type(walk[0])), None) if walk else None), walk


def _may_be_pinned(value: Any) -> bool:
    """False for what running functions hold without a name: iterators, generators, ``with`` statements, arguments."""
    if is_a(value, types.MethodType):
        return value.__name__ not in ('__exit__', '__aexit__')
    if is_a(value, dict):
        return any(callable(held) for held in list(dict.values(value))[:4])
    return is_a(value, (types.FunctionType, functools.partial)) or type_name(type(value)) == 'BackwardHook' \
        or not is_a(value, _NEVER_PINNED) and namespace(value) is not None


def _folded(links: Tuple[Link, ...]) -> Tuple[Link, ...]:
    """``.parent.parent.parent`` of a linked list as ``.parent``."""
    folded: List[Link] = []
    for part in links:
        if folded and part.kind == 'attribute' and part == folded[-1]:
            folded[-1] = dataclasses.replace(part, is_repeated=True)
        else:
            folded.append(part)
    return tuple(folded)


def _merge_modules(links: Sequence[Link]) -> Tuple[Link, ...]:
    """The program writes ``.pyramid`` for ``._modules['pyramid']``."""
    merged: List[Link] = []
    for index, part in enumerate(links):
        if merged and merged[-1].kind == 'attribute' and not merged[-1].text and part.container and part.name:
            holder = merged.pop()
            text = f'[{part.name}]' if part.name.isdigit() else f'.{part.name}'
            # An item that holds something by an attribute of the program is not the holder: that attribute is.
            if holder.owner in _COLLECTIONS and not any(later.file and is_users(later.file) for later in links[index + 1:]):
                merged.append(Link('item', text, '[*]', container=holder.owner, length=part.length, place=part.place))
            else:
                merged.append(dataclasses.replace(holder, text=text, pattern=text, name=part.name))
        else:
            merged.append(part)
    return tuple(merged)
