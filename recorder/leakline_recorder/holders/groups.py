"""Owners that differ only in an index are one owner: ``history['aux'][37]`` and ``history['aux'][38]``."""
from __future__ import annotations

import dataclasses
import itertools
import os
import re
from typing import AbstractSet, Any, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

import torch

from ..sources import is_machinery, is_users
from .blocks import UNKNOWN, LiveBlock, by_line
from .chains import Chain, cycle_text
from .links import ARRAY, GRADIENT, SAVED, Link
from .operations import EMPTY
from .statements import GROUPS, Holder, Statements
from .tensors import Tensors

MAX_ADDRESSES = 512   # per owner in the sidecar
MAX_NAME = 60         # a longer way to a name is not shown
FIXTURE = re.compile(r".*\.funcargs\['(\w+)'\]")    # the way of pytest to what a test knows by its argument
OPTIMIZERS = os.path.join(os.path.dirname(torch.__file__), 'optim', '')
WEAK_KEYED = frozenset({'WeakKeyDictionary', 'WeakIdKeyDictionary'})    # the second is torch's, also for tensors
CYCLES = Holder('called', itertools.cycle.__name__, None, None, None, True)
FEW_NUMBERED = 5       # as many `conv1`, `conv2`, … are written by hand
FEW_PARTS = 8          # as many keys of an item, or attributes, have names of their own; a model in a list has hundreds


@dataclasses.dataclass
class Holding:
    """One block and its holding: direct, or saved by autograd in a graph with a held root."""

    block: LiveBlock
    chain: Chain
    saved_by: Optional[str] = None   #: kind of graph node, such as 'MulBackward0'


class Group:
    def __init__(self, lengths: Dict[int, int]) -> None:
        self._lengths = lengths
        self.holdings: Dict[int, Holding] = {}
        self.roots: Dict[Tuple[Any, ...], Chain] = {}     # distinct chains, by their text and their containers
        self._numbered = False                # their last names differ in a number
        self._shared: Optional[str] = None    # the pattern of the container whose items it holds parts of
        self._repeated: Optional[Link] = None    # the attribute through which the objects of a linked list refer to the next

    @classmethod
    def of(cls, holdings: Iterable[Holding], lengths: Dict[int, int]) -> List['Group']:
        """By pattern; names that differ in a number, as from ``setattr`` in a loop, are one owner too, and many parts of the
        items of one container. ``lengths``: of containers at the last search.
        """
        groups: Dict[str, Group] = {}
        for holding in holdings:
            groups.setdefault(holding.chain.pattern, cls(lengths)).add(holding)
        numbered: Dict[str, List[Group]] = {}
        for group in groups.values():
            numbered.setdefault(next(iter(group.roots.values())).unnumbered or str(id(group)), []).append(group)
        found = [group for alike in numbered.values() for group in (alike if len(alike) < FEW_NUMBERED else [cls._merged(alike, lengths, True)])]
        shared: Dict[str, List[Group]] = {}
        for group in found:
            shared.setdefault(group._items_pattern or str(id(group)), []).append(group)
        return [group for pattern, parts in shared.items()
                for group in (parts if len(parts) <= FEW_PARTS else [cls._merged(parts, lengths, shared=pattern)])]

    @classmethod
    def alone(cls, holding: Holding, lengths: Dict[int, int]) -> 'Group':
        group = cls(lengths)
        group.add(holding)
        return group

    @classmethod
    def _merged(cls, alike: List['Group'], lengths: Dict[int, int], numbered: bool = False, shared: Optional[str] = None) -> 'Group':
        merged = cls(lengths)
        merged._numbered, merged._shared = numbered, shared
        for group in alike:
            for holding in group.holdings.values():
                merged.add(holding)
        return merged

    def add(self, holding: Holding) -> None:
        self.holdings[holding.block.address] = holding
        self._repeated = self._repeated or next((part for part in holding.chain.links if part.is_repeated), None)
        self.roots.setdefault((holding.chain.text, *_containers(holding.chain)), holding.chain)

    @property
    def _items_pattern(self) -> Optional[str]:
        """The pattern up to an item of the container that grows; ``None`` if the items are the tensors."""
        chain, split = self.newest.chain, self.growing
        if split is None or chain.cycle or split == len(chain.links) - 1 or chain.links[split].kind not in ('item', 'cached'):
            return None
        return dataclasses.replace(chain, links=chain.links[:split + 1]).pattern

    @property
    def bytes(self) -> int:
        return sum(holding.block.size for holding in self.holdings.values())

    @property
    def key(self) -> str:
        """Identifies the owner in each search."""
        chain = next(iter(self.roots.values()))
        return self._shared or (chain.unnumbered or chain.pattern if self._numbered else chain.pattern)

    @property
    def blocks(self) -> List[LiveBlock]:
        return [holding.block for holding in self.holdings.values()]

    def keep_old(self, old: AbstractSet[int]) -> bool:
        """Leaves out young blocks if there are old ones, by address; true if there are."""
        kept = {address: holding for address, holding in self.holdings.items() if address in old}
        self.holdings = kept or self.holdings
        return bool(kept)

    @property
    def is_growing(self) -> bool:
        """True if a container on the way to the newest block is longer than at the last search."""
        return any(length > self._lengths.get(place, length) for place, length in self.containers())

    @property
    def length(self) -> int:
        """Length of the container; 0 without one."""
        return self.container.length if self.container else 0

    def containers(self) -> Iterator[Tuple[int, int]]:
        """Identity and length of each container on the way to the newest block."""
        return ((part.place, part.length) for part in self.newest.chain.links if part.container)

    def name_and_place(self, statements: Statements) -> Dict[str, Any]:
        chain, split = self.newest.chain, self.growing
        holder = self.holder()
        lines = self._found(holder, statements)
        return {'name': name_of(self.to_list, holder, split), 'text': chain.text, 'file': lines[0]['file'] if lines else None, 'line': lines[0]['line'] if lines else None}

    def _found(self, holder: Optional[Holder], statements: Statements) -> List[Dict[str, Any]]:
        """The statements of the holder. A constructor may set the attribute of a linked list: then those that name its
        first object.
        """
        split = self.growing
        is_cycled = split is not None and _is_cycled(self.newest.chain, split)
        lines = (statements.find(CYCLES) if is_cycled else []) or (statements.told(holder, _name_above(self.newest.chain, split)) if holder else [])
        if lines or not self.is_linked:
            return lines
        chain = self.to_list
        first = holder_of(dataclasses.replace(chain, links=chain.links[:-1]), None)
        return statements.find(first) if first else []

    @property
    def container(self) -> Optional[Link]:
        split = self.growing
        found = self.newest.chain.links[split] if split is not None else None
        return found if found is not None and found.container else None

    def holder(self) -> Optional[Holder]:
        return holder_of(self.to_list, self.growing)

    def objects(self) -> List[Holder]:
        """The program's names of objects on the way to the holder: ``traj`` of ``traj.obs``."""
        chain, split = self.to_list, self.growing
        attributes = [part for part in chain.links[:split] if part.kind == 'attribute' and part.text and part.name]
        found = [Holder('attribute', part.name or '', part.owner, part.file, None, True, classes=part.classes) for part in attributes[:-1]
                 if part.file and is_users(part.file)]
        root = chain.root
        if attributes and root is not None and root.users and root.name != 'self':
            found.append(Holder('variable', root.name, root.function, root.file, None, True, root.line))
        return found

    def attached(self) -> Optional[Holder]:
        """The attribute that the program adds to an object of torch or of the standard library, if its items grow."""
        split = self.growing
        links = self.newest.chain.links[:split] if split is not None else ()
        part = next((one for one in reversed(links) if one.kind not in ('key', 'item') and one.text), None)
        if part is None or part.kind != 'attribute' or not part.name or not part.file or not is_machinery(part.file):
            return None
        return Holder('attribute', part.name, part.owner, None, None, True)

    @property
    def is_linked(self) -> bool:
        """True for a linked list: its objects hold the memory, and nothing but the next object holds each of them."""
        return self._repeated in self.newest.chain.links and self.growing is None

    @property
    def to_list(self) -> Chain:
        """The chain to the newest block, of a linked list only that to its objects."""
        chain = self.newest.chain
        if not self.is_linked or self._repeated is None:
            return chain
        return dataclasses.replace(chain, links=chain.links[:chain.links.index(self._repeated) + 1])

    def describe(self, holder: Optional[Holder], statements: Statements, tensors: Tensors, texts: bool) -> Dict[str, Any]:
        holdings = list(self.holdings.values())
        chain, split = self.newest.chain, self.growing
        saved = [holding for holding in holdings if holding.saved_by]
        allocated = sorted({holding.block.allocated for holding in holdings if holding.block.allocated != UNKNOWN})
        lines = self._found(holder, statements)
        container = self.container
        pin = _pin(chain, statements)
        name = name_of(self.to_list, holder, split)
        place = lines[0] if lines else {'file': holder.file, 'line': holder.line} if holder and holder.line else pin or {'file': None, 'line': None}
        return {
            'kind': 'linked' if self.is_linked else _kind(chain, bool(saved) and len(saved) == len(holdings)),
            'text': chain.text,
            'name': re.sub(r'\d+$', '*', name) if self._numbered else name,
            'expression': self.expression(split),
            'file': place['file'],
            'line': place['line'],
            'statements': lines if texts else [{**entry, 'text': None} for entry in lines],
            'links': [{'kind': part.kind, 'text': part.text, 'name': part.name, 'owner': part.owner} for part in chain.links],
            'cycle': [{'text': part.text, 'owner': part.owner, 'file': part.file} for part in chain.cycle] or None,
            'pinnedBy': pin and {**pin, 'text': chain.pin.text if chain.pin else ''},
            'container': _container(container) if container else None,
            'isDirect': _is_direct(self.to_list, holder, split),
            'items': self._items(holder, tensors) if container else {'kind': 'tee', 'type': None} if _is_teed(chain) else None,
            'bytes': self.bytes,
            'blocks': len(holdings),
            'graphBytes': sum(holding.block.size for holding in saved),
            'roots': len(self.roots),
            'savedBy': sorted({holding.saved_by for holding in saved if holding.saved_by})[:8],
            'allocatedSteps': {'first': allocated[0], 'last': allocated[-1], 'steps': len(allocated)} if allocated else None,
            'allocatedAt': by_line([holding.block for holding in holdings]),
            'addresses': sorted(self.holdings)[:MAX_ADDRESSES],
        }

    @property
    def is_of_groups(self) -> bool:
        """True for what the groups of an optimizer hold."""
        return any(part.name == GROUPS.name and part.file and part.file.startswith(OPTIMIZERS) for part in self.newest.chain.links)

    def _items(self, holder: Optional[Holder], tensors: Tensors) -> Optional[Dict[str, Any]]:
        """What the container has as items; ``None`` for whole tensors."""
        if holder is GROUPS:
            return {'kind': 'group', 'type': None}
        cut = sum(holding.block.size for holding in self.holdings.values() if not holding.saved_by and tensors.is_cut(holding.block))
        if 2 * cut > self.bytes:
            return {'kind': 'view', 'type': None}
        return None if self.growing is None else _items(self.newest.chain, self.growing)

    @property
    def newest(self) -> Holding:
        return max(self.holdings.values(), key=lambda holding: holding.block.allocated)

    @property
    def growing(self) -> Optional[int]:
        """The link that is an item of the container that grows. Of nested ones that are longer than at the last search, these
        are the hooks, whose functions may fill the others, else the innermost; else the first link that differs between members.
        """
        chain = self.newest.chain
        grown = [index for index, part in enumerate(chain.links) if part.container and part.length > self._lengths.get(part.place, part.length)]
        hooks = [index for index in grown if index and chain.links[index - 1].kind == 'hook']
        if grown:
            return (hooks or grown)[-1]
        chains = [other for other in self.roots.values() if len(other.links) == len(chain.links)]
        for index, part in enumerate(chain.links):
            # Keys of a dictionary may look alike, but their items do not share containers.
            if part.container and len({(other.links[index].text, *_containers(other, index + 1)[:1]) for other in chains}) > 1:
                # Each object of a linked list may have a container of its own.
                return None if self._repeated in chain.links[:index] else index
        if len(self.roots) == 1 and len(self.holdings) > 1 and all(holding.saved_by for holding in self.holdings.values()):
            return None    # one tensor holds all of it through its graph
        items = [index for index, part in enumerate(chain.links) if part.container and part.kind in ('item', 'cached')]
        return items[-1] if items else None

    def expression(self, split: Optional[int]) -> str:
        """The container in words of the root: ``train.py: train() local model.pyramid.visited``."""
        chain = self.newest.chain
        whole = chain.text
        for part in reversed(chain.links[split:] if split is not None else ()):
            if part.text and whole.endswith(part.text):
                whole = whole[:-len(part.text)]
        return whole


def _containers(chain: Chain, first: int = 0) -> List[Optional[int]]:
    """Identities of the containers on the way to the tensor, from a link on."""
    return [part.place for part in chain.links[first:] if part.container]


def _container(part: Link) -> Dict[str, Any]:
    told = {} if part.maxlen is None else {'maxlen': part.maxlen}
    return {'type': part.container, 'length': part.length, **told}


def _kind(chain: Chain, only_graph: bool) -> str:
    if chain.cycle:
        return 'cycle'
    if chain.root is None:
        return 'nativeReference' if chain.pin else 'unnamed'
    kinds = {part.kind for part in chain.links}
    for kind in ('hook', 'cached', 'default', 'closure'):
        if kind in kinds:
            return kind
    if chain.root.kind == 'handled' or any('__traceback__' in part.text or part.text.startswith(' → frame ') for part in chain.links):
        return 'traceback'
    return 'graph' if only_graph else 'attribute' if 'attribute' in kinds else chain.root.kind


def _pin(chain: Chain, statements: Statements) -> Optional[Dict[str, Any]]:
    """The statement that registers the pinned function, else where that is defined."""
    pin = chain.pin
    if pin is None:
        return None
    found = statements.find(Holder('registered', pin.name, None, pin.file, None, False, pin.line)) if pin.name else []
    return {'file': found[0]['file'], 'line': found[0]['line']} if found else {'file': pin.file, 'line': pin.line}


def _name_above(chain: Chain, split: Optional[int]) -> Optional[str]:
    """The program's name of the library's object that has the holder: ``precision`` of ``self.precision.preds``."""
    attributes = [part for part in (chain.links if split is None else chain.links[:split]) if part.kind == 'attribute' and part.text]
    if not attributes:
        return None
    root = chain.root.name if chain.root is not None and chain.root.users else None
    return next((part.name for part in reversed(attributes[:-1]) if part.file and is_users(part.file)), root)


def holder_of(chain: Chain, split: Optional[int]) -> Optional[Holder]:
    """The name nearest to the tensors for which a statement can be searched."""
    holder = _named_on(chain, split)
    likely = next((part.name for part in reversed(chain.links[:split or 0]) if part.kind == 'item' and part.name), None)
    return holder if holder is None or likely is None else dataclasses.replace(holder, likely=likely)


def _named_on(chain: Chain, split: Optional[int]) -> Optional[Holder]:
    if chain.cycle:
        if GRADIENT in chain.cycle:
            return Holder('create_graph', 'backward', None, None, None, False)
        if SAVED in chain.cycle:
            return Holder('saved', 'saved_tensors_hooks', None, None, None, False)
        part = _weakest(chain.cycle)
        is_container = part is not None and chain.cycle[(chain.cycle.index(part) + 1) % len(chain.cycle)].kind == 'item'
        return Holder('cycle', part.name or '', part.owner, part.file, None, is_container, classes=part.classes) if part else None
    if chain.root is None and chain.pin is None:
        return None
    root = chain.root
    if root is not None and root.kind == 'handled':
        return Holder('handled', root.name, root.function, root.file, None, False, root.line)
    container = split is not None
    near = next(((part.file, part.owner or '') for part in chain.links[split or 0:] if part.kind == 'closure' and part.file), None)
    key = None
    for part in reversed(chain.links[:split] if container else chain.links):
        if part.kind == 'key' and key is None and part.name:
            key = part.name
        elif part.kind == 'cached':
            return Holder('cached', part.name or '', part.owner, part.file, None, True, part.line)
        elif part.kind == 'attribute' and part.name and part.file and not is_machinery(part.file):
            return Holder('attribute', part.name, part.owner, part.file, key, container or key is not None, classes=part.classes)
        elif part.kind == 'hook':
            return Holder('hook', part.name or '', part.owner, near[0] if near else None, None, True, near=near)
        elif part.kind in ('closure', 'default', 'local') and part.name and part.file and not is_machinery(part.file):
            return Holder('variable', part.name, part.owner, part.file, key, container or key is not None, part.line)
    if container and chain.links[split].kind == 'cached':
        part = chain.links[split]
        return Holder('cached', part.name or '', part.owner, part.file, None, True, part.line)
    if root is None:
        return None
    first = chain.links[0] if chain.links else None
    if root.kind == 'class' and first is not None and first.kind == 'key' and first.name and first.name.isidentifier() and split != 0:
        # The dictionary that all instances share as theirs.
        return Holder('attribute', first.name, root.name.split('.', 1)[0], root.file, None, container)
    if root.kind == 'class':
        return Holder('attribute', root.name.rsplit('.', 1)[-1], root.name.split('.', 1)[0], root.file, key, container or key is not None)
    owner = root.function if root.kind == 'local' else None
    return Holder('variable', root.name, owner, root.file, key, container or key is not None, root.line)


def _items(chain: Chain, split: int) -> Optional[Dict[str, Any]]:
    """What the container has as items: objects of a class, methods of one, functions, hooks, callbacks of an ``ExitStack``,
    states of a metric, arrays, tensors as keys, values of weak keys, an optimizer's state for parameters, or what ``itertools.cycle`` repeats;
    ``None`` for tensors.
    """
    kind = 'object'
    if _is_cycled(chain, split):
        return {'kind': 'cycle', 'type': None}
    if chain.links[split].text == '{key}' and split == len(chain.links) - 1:
        above = chain.links[split - 1] if split else None
        is_state = above is not None and above.name == 'state' and above.file is not None and above.file.startswith(OPTIMIZERS)
        return {'kind': 'state' if is_state else 'key', 'type': None}
    if split and any(name == 'Metric' and 'torchmetrics' in file for file, name in chain.links[split - 1].classes):
        return {'kind': 'metric', 'type': None}
    if split and chain.links[split - 1].kind == 'hook':
        return {'kind': 'hook', 'type': None}
    if split and chain.links[split - 1].name == '_exit_callbacks':
        return {'kind': 'exit', 'type': None}
    if split and chain.links[split - 1].name == 'data' and chain.links[split - 1].owner in WEAK_KEYED:
        return {'kind': 'weak', 'type': None}
    for part in chain.links[split + 1:]:
        if part.kind in ('item', 'key'):
            continue    # in tuples and plain containers
        if part == ARRAY:
            return {'kind': 'array', 'type': None}
        if part.kind == 'closure':
            return {'kind': 'function', 'type': None}
        if part.kind == 'other' and part.name in ('Task', 'Future'):    # of asyncio, whose attributes are in C
            return {'kind': 'object', 'type': part.name}
        if part.text == '.__self__':
            kind = 'method'
        elif part.kind == 'attribute':
            return {'kind': kind, 'type': part.owner}
        else:
            return None
    return None


def _is_cycled(chain: Chain, split: int) -> bool:
    """True for the list in which ``itertools.cycle`` keeps its first pass."""
    above = chain.links[split - 1] if split else None
    return above is not None and above.kind == 'other' and above.name == CYCLES.name


def _is_teed(chain: Chain) -> bool:
    """True for what one iterator of ``itertools.tee`` has taken, and another one has not."""
    return any(part.kind == 'other' and part.name == '_tee' for part in chain.links)


def _is_direct(chain: Chain, holder: Optional[Holder], split: Optional[int]) -> bool:
    """False if an object of torch or of the standard library stands between the holder and the memory: its code may
    release it in ways that were not read.
    """
    links = chain.links[:split] if split is not None else chain.links
    for part in reversed(links):
        if part.kind in ('key', 'item') or not part.text or part.owner in EMPTY:
            continue
        return part.kind != 'attribute' or holder is None or part.name == holder.name
    return True


def _weakest(cycle: Sequence[Link]) -> Optional[Link]:
    """The attribute at which to cut: one that refers to a single object rather than to a list of them."""
    following = {id(part): cycle[(index + 1) % len(cycle)] for index, part in enumerate(cycle)}
    attributes = [part for part in cycle if part.kind == 'attribute']
    return min(attributes, key=lambda part: (following[id(part)].kind == 'item', part.text), default=None)


def name_of(chain: Chain, holder: Optional[Holder], split: Optional[int]) -> str:
    """Short enough for the end of a line: ``FeaturePyramid.visited``, ``history['aux']``. A library's attribute is named
    by the way to it from the program's own name: ``accelerator._dataloaders``.
    """
    if chain.cycle:
        return 'cycle ' + cycle_text(chain.cycle)
    if holder is None:
        return chain.pin.text if chain.pin else chain.ends or 'unnamed'
    if holder.kind == 'handled':
        return f'{holder.name} being handled in {holder.owner}()'
    if holder.kind == 'cached':
        return f'cache of {holder.owner}()'
    key = f'[{holder.key!r}]' if holder.key is not None else ''
    if holder.kind == 'attribute' and chain.root is not None and chain.root.users and not (holder.file and is_users(holder.file)):
        links = chain.links[:split] if split is not None else chain.links
        # State of an optimizer is on the way, where its groups are the holder.
        names = (holder.name, 'state') if holder is GROUPS else (holder.name,)
        last = max((index for index, part in enumerate(links) if part.kind == 'attribute' and part.name in names), default=-1)
        way = ''.join(part.text for part in links[:last + 1])
        top = links[0].owner if chain.root.name == 'self' and last > 0 and links[0].owner else chain.root.name
        name = FIXTURE.sub(r'\1', top + (re.sub(r'\w+$', holder.name, way) if holder is GROUPS else way))
        if len(name) <= MAX_NAME and ' ' not in name:
            return name + key
    head = f'{holder.owner}.{holder.name}' if holder.kind in ('attribute', 'hook') and holder.owner else holder.name
    return head + key
