"""Owners that differ only in an index are one owner: ``history['aux'][37]`` and ``history['aux'][38]``."""
from __future__ import annotations

import dataclasses
import re
from typing import Any, Dict, Iterable, List, Optional, Sequence

from ..sources import is_users
from .blocks import UNKNOWN, LiveBlock, by_line
from .chains import Chain, cycle_text
from .links import GRADIENT, Link
from .statements import Holder, Statements

MOST_ADDRESSES = 512   # per owner in the sidecar
FEW_NUMBERED = 5       # as many `conv1`, `conv2`, … are written by hand


@dataclasses.dataclass
class Holding:
    """One block and its holding: direct, or saved by autograd in a graph with a held root."""

    block: LiveBlock
    chain: Chain
    saved_by: Optional[str] = None   #: kind of graph node, such as 'MulBackward0'


class Group:
    def __init__(self) -> None:
        self.holdings: Dict[int, Holding] = {}
        self.roots: Dict[str, Chain] = {}     # distinct chains by their text
        self._numbered = False                # their last names differ in a number

    @classmethod
    def of(cls, holdings: Iterable[Holding]) -> List['Group']:
        """By pattern; names that differ in a number, as from ``setattr`` in a loop, are one owner too."""
        groups: Dict[str, Group] = {}
        for holding in holdings:
            groups.setdefault(holding.chain.pattern, cls()).add(holding)
        numbered: Dict[str, List[Group]] = {}
        for group in groups.values():
            numbered.setdefault(next(iter(group.roots.values())).unnumbered or str(id(group)), []).append(group)
        return [group for alike in numbered.values() for group in (alike if len(alike) < FEW_NUMBERED else [cls._merged(alike)])]

    @classmethod
    def _merged(cls, alike: List['Group']) -> 'Group':
        merged = cls()
        merged._numbered = True
        for group in alike:
            for holding in group.holdings.values():
                merged.add(holding)
        return merged

    def add(self, holding: Holding) -> None:
        self.holdings[holding.block.address] = holding
        self.roots.setdefault(holding.chain.text, holding.chain)

    @property
    def bytes(self) -> int:
        return sum(holding.block.size for holding in self.holdings.values())

    def describe(self, statements: Statements, texts: bool) -> Dict[str, Any]:
        holdings = list(self.holdings.values())
        chain, split = self.newest.chain, self.growing
        holder = holder_of(chain, split)
        saved = [holding for holding in holdings if holding.saved_by]
        allocated = sorted({holding.block.allocated for holding in holdings if holding.block.allocated != UNKNOWN})
        lines = statements.find(holder) if holder else []
        container = chain.links[split] if split is not None else None
        return {
            'kind': _kind(chain, bool(saved) and len(saved) == len(holdings)),
            'text': chain.text,
            'name': re.sub(r'\d+$', '*', name_of(chain, holder)) if self._numbered else name_of(chain, holder),
            'expression': self.expression(split),
            'file': lines[0]['file'] if lines else holder.file if holder else None,
            'line': lines[0]['line'] if lines else holder.line if holder else None,
            'statements': lines if texts else [{**entry, 'text': None} for entry in lines],
            'links': [{'kind': part.kind, 'text': part.text, 'name': part.name, 'owner': part.owner} for part in chain.links],
            'cycle': [{'text': part.text, 'owner': part.owner, 'file': part.file} for part in chain.cycle] or None,
            'container': _container(container) if container and container.container else None,
            'bytes': self.bytes,
            'blocks': len(holdings),
            'graphBytes': sum(holding.block.size for holding in saved),
            'roots': len(self.roots),
            'savedBy': sorted({holding.saved_by for holding in saved if holding.saved_by})[:8],
            'allocatedSteps': {'first': allocated[0], 'last': allocated[-1], 'steps': len(allocated)} if allocated else None,
            'allocatedAt': by_line([holding.block for holding in holdings]),
            'addresses': sorted(self.holdings)[:MOST_ADDRESSES],
        }

    @property
    def newest(self) -> Holding:
        return max(self.holdings.values(), key=lambda holding: holding.block.allocated)

    @property
    def growing(self) -> Optional[int]:
        """The first link that differs between members: an item of the container that grows."""
        chain = self.newest.chain
        chains = [other for other in self.roots.values() if len(other.links) == len(chain.links)]
        for index, part in enumerate(chain.links):
            if part.container and len({other.links[index].text for other in chains}) > 1:
                return index
        items = [index for index, part in enumerate(chain.links) if part.kind in ('item', 'cached')]
        return items[-1] if items else None

    def expression(self, split: Optional[int]) -> str:
        """The container in words of the root: ``train.py: train() local model.pyramid.visited``."""
        chain = self.newest.chain
        whole = chain.text
        for part in reversed(chain.links[split:] if split is not None else ()):
            if part.text and whole.endswith(part.text):
                whole = whole[:-len(part.text)]
        return whole


def _container(part: Link) -> Dict[str, Any]:
    told = {} if part.maxlen is None else {'maxlen': part.maxlen}
    return {'type': part.container, 'length': part.length, **told}


def _kind(chain: Chain, only_graph: bool) -> str:
    if chain.cycle:
        return 'cycle'
    if chain.root is None:
        return 'unnamed'
    kinds = {part.kind for part in chain.links}
    for kind in ('hook', 'cached', 'closure'):
        if kind in kinds:
            return kind
    if chain.root.kind == 'handled' or any('__traceback__' in part.text for part in chain.links):
        return 'traceback'
    return 'graph' if only_graph else 'attribute' if 'attribute' in kinds else chain.root.kind


def holder_of(chain: Chain, split: Optional[int]) -> Optional[Holder]:
    """The name nearest to the tensors for which a statement can be searched."""
    if chain.cycle:
        if GRADIENT in chain.cycle:
            return Holder('create_graph', 'backward', None, None, None, False)
        part = _weakest(chain.cycle)
        return Holder('cycle', part.name or '', part.owner, part.file, None, False) if part else None
    if chain.root is None:
        return None
    if chain.root.kind == 'handled':
        return Holder('handled', chain.root.name, chain.root.function, chain.root.file, None, False, chain.root.line)
    container = split is not None
    key = None
    for part in reversed(chain.links[:split] if container else chain.links):
        if part.kind == 'key' and key is None and part.name:
            key = part.name
        elif part.kind == 'cached':
            return Holder('cached', part.name or '', part.owner, part.file, None, True, part.line)
        elif part.kind == 'attribute' and part.name and part.file and is_users(part.file):
            return Holder('attribute', part.name, part.owner, part.file, key, container or key is not None)
        elif part.kind == 'hook':
            return Holder('hook', part.name or '', part.owner, None, None, True)
        elif part.kind in ('closure', 'local') and part.name:
            return Holder('variable', part.name, part.owner, part.file, key, container or key is not None, part.line)
    if container and chain.links[split].kind == 'cached':
        part = chain.links[split]
        return Holder('cached', part.name or '', part.owner, part.file, None, True, part.line)
    root = chain.root
    if root.kind == 'class':
        return Holder('attribute', root.name.rsplit('.', 1)[-1], root.name.split('.', 1)[0], root.file, key, container or key is not None)
    owner = root.function if root.kind == 'local' else None
    return Holder('variable', root.name, owner, root.file, key, container or key is not None, root.line)


def _weakest(cycle: Sequence[Link]) -> Optional[Link]:
    """The attribute at which to cut: one that refers to a single object rather than to a list of them."""
    following = {id(part): cycle[(index + 1) % len(cycle)] for index, part in enumerate(cycle)}
    attributes = [part for part in cycle if part.kind == 'attribute']
    return min(attributes, key=lambda part: (following[id(part)].kind == 'item', part.text), default=None)


def name_of(chain: Chain, holder: Optional[Holder]) -> str:
    """Short enough for the end of a line: ``FeaturePyramid.visited``, ``history['aux']``."""
    if chain.cycle:
        return 'cycle ' + cycle_text(chain.cycle)
    if holder is None:
        return chain.ends or 'unnamed'
    if holder.kind == 'handled':
        return f'{holder.name} being handled in {holder.owner}()'
    if holder.kind == 'cached':
        return f'cache of {holder.owner}()'
    head = f'{holder.owner}.{holder.name}' if holder.kind in ('attribute', 'hook') and holder.owner else holder.name
    return head + (f'[{holder.key!r}]' if holder.key is not None else '')

