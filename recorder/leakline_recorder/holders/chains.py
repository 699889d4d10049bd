"""From an object up to a name: breadth first over referrers."""
from __future__ import annotations

import dataclasses
import types
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ..guard import ordinary
from ..plain import is_a
from ..sources import is_users
from .deadline import Deadline
from .heap import Heap
from .links import Link, Places, Shown, attribute, is_instance_dict, link
from .roots import Root, Roots

MOST_LINKS = 14        # a longer chain is no help to anyone
MOST_VISITED = 4000    # objects looked at for one tensor
_MODULE_LISTS = ('ModuleList', 'ParameterList')    # they grow; the items of others are parts, each with a place of its own
MOST_STARTS = 64       # objects above an unnamed tensor from which a cycle is looked for


@dataclasses.dataclass(frozen=True)
class Chain:
    """``root`` then ``links``, from the name down to the tensor. Without a root, ``cycle`` or ``ends`` say why."""

    root: Optional[Root]
    links: Tuple[Link, ...]
    cycle: Tuple[Link, ...] = ()
    ends: str = ''

    @property
    def text(self) -> str:
        if self.cycle:
            return 'reference cycle ' + cycle_text(self.cycle) + _tail(self.links)
        head = self.root.text if self.root else f'unnamed ({self.ends})'
        return head + _tail(self.links)

    @property
    def pattern(self) -> str:
        head = 'cycle ' + cycle_text(self.cycle) if self.cycle else self.root.text if self.root else self.ends
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

    def of(self, target: Any) -> Chain:
        """The shortest chain to a name in the program's own code, else in a library's, else to an obstacle."""
        try:
            found = self._search(target)
        except ordinary(Exception):
            return Chain(None, (), ends='behind an object that does not let itself be looked at')
        links = _merge_modules(found.links)
        if len(links) > MOST_LINKS:
            return dataclasses.replace(found, links=links[:MOST_LINKS], ends='longer')
        return dataclasses.replace(found, links=links)

    def _search(self, target: Any) -> Chain:
        back: Dict[int, Tuple[Any, Any]] = {}      # object -> (object, the one below it on the way to the target)
        level, fallback, visited = [target], None, 0
        seen = {id(target)}
        for _ in range(3 * MOST_LINKS):            # a dictionary and its instance are two objects, but one link
            following: List[Any] = []
            for child in level:
                found = self._named(child, back)
                if found is not None and found.root is not None and found.root.users:
                    return self._remember(found, child, back)
                fallback = fallback or found
                for parent in self._heap.referrers(id(child)):
                    if id(parent) in seen or self._is_noise(parent, child):
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
                    seen.add(id(parent))
                    back[id(parent)] = (parent, child)
                    following.append(parent)
                    visited += 1
                    if not visited & 0xFF and self._deadline.passed():
                        return fallback or Chain(None, (), ends='not found in time')
            if not following:
                return fallback or self._ownerless(target, back)
            if visited > MOST_VISITED or self._deadline.passed():
                return fallback or Chain(None, (), ends='not found in time')
            level = following
        return fallback or Chain(None, (), ends=f'further than {MOST_LINKS} links')

    def _named(self, child: Any, back: Dict[int, Tuple[Any, Any]]) -> Optional[Chain]:
        known = self._known.get(id(child))
        if known is not None:
            return Chain(known.root, known.links + self._down(child, back))
        names = self._roots.of(child)
        if not names:
            return None
        # outermost frame last in the list: `main() local history` helps more than a callee's argument of the same object
        best = max(enumerate(names), key=lambda item: (item[1].users, item[1].name != 'self', item[1].kind == 'local', item[0]))[1]
        return Chain(best, self._down(child, back))

    def _remember(self, chain: Chain, top: Any, back: Dict[int, Tuple[Any, Any]]) -> Chain:
        """Store the chain of each object on the way, so that the next tensor in the same list is found at once."""
        known = self._known.get(id(top))
        above = known.links if known is not None else ()
        step = top
        while id(step) in back:
            # A dictionary may be an instance's `__dict__`, where a chain cannot be split.
            if id(step) not in self._known and not is_a(step, dict):
                self._known[id(step)] = Chain(chain.root, above + self._down(top, back, step))
            step = back[id(step)][1]
        return chain

    def _down(self, top: Any, back: Dict[int, Tuple[Any, Any]], stop: Any = None) -> Tuple[Link, ...]:
        """Links from ``top`` down to the target, or to ``stop`` on the way there."""
        walk = [top]
        while id(walk[-1]) in back and walk[-1] is not stop:
            walk.append(back[id(walk[-1])][1])
        return self._spell(walk)

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
        return False

    def _ownerless(self, target: Any, back: Dict[int, Tuple[Any, Any]]) -> Chain:
        """Nothing above has a name: a cycle that waits for the collector, or a holder outside of Python."""
        above = [target] + [parent for parent, _ in back.values()]
        above.sort(key=lambda value: is_a(value, dict))   # start at an instance, not at its dictionary
        members = {id(value) for value in above}
        for start in above[:MOST_STARTS]:
            path = self._circle(start, members)
            if path:
                return Chain(None, (), cycle=path)
        if not back:
            return Chain(None, (), ends='no Python owner')
        return Chain(None, (), ends='a temporary of a running function, or native code')

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


def _merge_modules(links: Sequence[Link]) -> Tuple[Link, ...]:
    """The program writes ``.pyramid`` for ``._modules['pyramid']``."""
    merged: List[Link] = []
    for index, part in enumerate(links):
        if merged and merged[-1].kind == 'attribute' and not merged[-1].text and part.container and part.name:
            holder = merged.pop()
            text = f'[{part.name}]' if part.name.isdigit() else f'.{part.name}'
            # An item that holds something by an attribute of the program is not the holder: that attribute is.
            if holder.owner in _MODULE_LISTS and not any(later.file and is_users(later.file) for later in links[index + 1:]):
                merged.append(Link('item', text, '[*]', container=holder.owner, length=part.length, place=part.place))
            else:
                merged.append(dataclasses.replace(holder, text=text, pattern=text, name=part.name))
        else:
            merged.append(part)
    return tuple(merged)
