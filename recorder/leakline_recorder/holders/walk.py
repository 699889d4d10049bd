"""The walk: old blocks, their tensors, and the names that hold them. Its result is the sidecar's ``holders``."""
from __future__ import annotations

import dataclasses
import time
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

import torch

from ..memory import DeviceMemory
from ..monitoring import Monitoring
from ..plain import is_a, namespace, type_name
from .afterwards import next_part
from .aliases import aliases
from .blocks import UNKNOWN, Blocks, LiveBlock, by_line
from .chains import Chain, Chains, Pin
from .custody import Custody
from .deadline import Deadline
from .graph import Graphs, sequence
from .groups import Group, Holding
from .heap import Heap
from .lasting import Lasting
from .links import BASE, GRADIENT, GRAPH, SAVED, Link, Shown, attribute
from .native import NATIVE, native_owner
from .passing import Passing
from .releases import Release, Releases, codes
from .replaced import Replaced
from .roots import Root, Roots
from .stale import stale_keys
from .statements import ADDS_GROUP, FILLS, GROUPS, Holder, Statements
from .tensors import Tensors

MAX_OWNERS = 40
MAX_OTHERS = 3      # further holders of one owner's memory
INDEX_SHARE = 0.7    # of the time, for the index of who refers to whom
MAX_LONGER = 4       # times the seconds that a search may take, after ones that ended too early


class HolderWalk:
    """``shown``: the shown keys of dictionaries; ``texts``: true with texts of statements; ``full_collections_since``:
    counts those of Python's garbage collector since a time.
    """

    def __init__(self, memory: DeviceMemory, min_age: int, seconds: float, monitoring: Optional[Monitoring] = None,
                 shown: Optional[Shown] = None, texts: bool = False, full_collections_since: Callable[[int], int] = lambda _: 0) -> None:
        self._memory = memory
        self._min_age = min_age
        self._seconds, self._most_seconds = seconds, MAX_LONGER * seconds
        self._shown, self._texts = shown or Shown(), texts
        self._monitoring = monitoring or Monitoring()
        self._statements = Statements(self._monitoring)
        self._releases = Releases(self._monitoring, self._statements)
        self._custody = Custody(full_collections_since)
        self._lengths: Dict[int, int] = {}    # of containers at the last search, by identity
        self._counts: List[int] = []          # of live blocks in the last snapshots
        self._replaced = Replaced()

    def walk(self, blocks: Blocks, step: int, loops: Optional[Sequence[Dict[str, Any]]] = ()) -> Optional[Dict[str, Any]]:
        """``None`` if nothing is old enough, nor grows: then the walk costs next to nothing. ``loops``: those around the
        step; ``None`` in a program whose steps are not known. All holders are described then, and nothing is watched.
        """
        began = time.perf_counter()
        youngest = step - self._min_age
        old = [block for block in blocks.all if block.allocated == UNKNOWN or block.allocated <= youngest]
        old += self._replaced.grown([block for block in blocks.all if block.allocated > youngest])
        # Hooks that are never removed replace what each of them holds in every step: all of it is young, and grows.
        self._counts = [*self._counts[-2:], len(blocks.all)]
        asked = blocks.all if len(self._counts) > 2 and self._counts[0] < self._counts[1] < self._counts[2] else old
        if not any(block.allocated != 0 for block in asked):
            return None
        roots, heap = Roots(), Heap()
        # A signal handler of the program may end the search anywhere, which must keep nothing then.
        try:
            self._statements.begin(Deadline(self._seconds), lambda: codes(heap.objects, roots.frames.values()),
                                   (frame.f_code for frame in roots.frames.values()))
            # An incomplete index still names most owners, so time is left to query it.
            heap.read(Deadline(INDEX_SHARE * self._seconds))
            # Classes derived from Tensor may compute its properties; this walk reads the real ones.
            with torch._C.DisableTorchFunctionSubclass():
                return self._ask(blocks, old, asked, roots, heap, Deadline(began + self._seconds - time.perf_counter()), began, step, loops)
        finally:
            self._statements.forget()
            heap.close()
            roots.close()

    def releases(self) -> Optional[List[Dict[str, Any]]]:
        """``None`` if statements cannot be counted."""
        return self._releases.runs() if self._monitoring.is_open() else None

    def _ask(self, blocks: Blocks, old: List[LiveBlock], selected: List[LiveBlock], roots: Roots, heap: Heap, deadline: Deadline, began: float,
             step: int, loops: Optional[Sequence[Dict[str, Any]]]) -> Dict[str, Any]:
        tensors = Tensors(heap.objects, blocks, self._memory, deadline)
        # Memory that every training needs from the first step on is left out: of any age, if all holders are described.
        asked = {block.address: block for block in selected if not ((loops is None or block.allocated <= 0) and tensors.category(block))}
        graphs = Graphs(deadline, unpacking_runs_code(tensors.types.values()))
        chains = Chains(heap, roots, deadline, self._shown)
        holdings = Search(asked, tensors, chains, graphs, heap, Passing(self._statements, loops), deadline).all()
        unowned = [block for address, block in asked.items() if address not in holdings]
        native = native_owner(unowned, self._memory.device_type, roots, self._texts)
        found = Group.of(holdings.values(), self._lengths)
        ancient = {block.address for block in old}
        ranked = sorted((group for group in found if group.keep_old(ancient) or group.is_growing), key=lambda group: -group.bytes)
        complete = heap.complete and not deadline.missed
        if complete:
            # An incomplete search misses holders: their memory would seem to have left.
            held = [(group.key, group.blocks, group.length) for group in ranked]
            self._custody.note(step, blocks, [*held, (NATIVE, unowned if native else [], 0)])
            self._lengths = {place: length for group in found for place, length in group.containers()}
        lasting = Lasting(self._statements, loops)
        owners = [self._describe(group, tensors, chains, heap, roots, loops, lasting, deadline) for group in ranked[:MAX_OWNERS]]
        if not complete or any(owner['releases'] is None for owner in owners):
            # A search that always ends too early costs its time for nothing.
            self._seconds = min(2 * self._seconds, self._most_seconds)
        return {
            'minAgeSteps': self._min_age,
            'complete': complete,
            'objects': len(heap.objects),
            'tensors': tensors.count,
            'graphNodes': graphs.nodes(),
            'oldBytes': sum(block.size for block in old),
            'askedBytes': sum(block.size for block in asked.values()),
            'heldBytes': sum(group.bytes for group in ranked),
            'categories': _categories(blocks.all, tensors),
            **({'needed': self._needed(blocks.all, tensors, chains, heap)} if loops is None else {}),
            'owners': owners + ([{**native, 'custody': self._custody.describe(NATIVE)}] if native else []),
            'ownersOmitted': max(0, len(ranked) - MAX_OWNERS),
            'next': next_part(self._statements, loops) if loops is not None and len(loops) == 1 and not deadline.missed else None,
            'unowned': {'bytes': sum(block.size for block in unowned), 'allocatedAt': by_line(unowned)},
            'seconds': round(time.perf_counter() - began, 6),
        }

    def _needed(self, blocks: List[LiveBlock], tensors: Tensors, chains: Chains, heap: Heap) -> List[Dict[str, Any]]:
        """Memory that every training needs, by kind and by the name that the program gave to the model or the optimizer."""
        sums: Dict[Any, Dict[str, Any]] = {}
        for block in blocks:
            category = tensors.category(block)
            if not category:
                continue
            chain = chains.of(heap.at(tensors.needed_by(block)))
            one = sums.get((category, chain.root))
            if one is None:
                one = sums[category, chain.root] = {**self._place(chain.root), 'kind': category, 'text': chain.root.text if chain.root else chain.text,
                                                    'bytes': 0, 'blocks': 0}
            one['bytes'] += block.size
            one['blocks'] += 1
        return list(sums.values())

    def _place(self, root: Optional[Root]) -> Dict[str, Any]:
        if root is None:
            return {'name': 'unnamed', 'file': None, 'line': None}
        lines = self._statements.find(Holder('variable', root.name, root.function, root.file, None, False, root.line))
        place = lines[0] if lines else {'file': root.file, 'line': root.line}
        return {'name': root.name, 'file': place['file'], 'line': place['line']}

    def _describe(self, group: Group, tensors: Tensors, chains: Chains, heap: Heap, roots: Roots, loops: Optional[Sequence[Dict[str, Any]]],
                  lasting: Lasting, deadline: Deadline) -> Dict[str, Any]:
        stale = stale_keys(group.container.place, heap) if group.container else None
        # State of parameters that are updated ends with the groups that the program adds.
        is_grouped = (stale == 0 or group.is_of_groups) and bool(self._statements.find(ADDS_GROUP))
        named = [GROUPS] if is_grouped else self._names(group, heap, roots, deadline)
        releases = [] if loops is None else None if deadline.missed else self._releases_of(named, group.objects(), loops)
        self._releases.watch(releases or [])
        holder = named[0] if named else None
        return {**group.describe(holder, self._statements, tensors, self._texts), 'custody': self._custody.describe(group.key),
                'releases': None if releases is None else self._releases.describe(releases),
                'outlivesLoops': lasting(holder, group.to_list, group.growing),
                'staleKeys': stale,
                'also': [] if deadline.missed else self._others(group, tensors, chains)}

    def _releases_of(self, named: List[Holder], objects: List[Holder], loops: Sequence[Dict[str, Any]]) -> Optional[List[Release]]:
        """``None`` if the time ran out before all were found."""
        found: Dict[Release, None] = {}
        for name, is_object in (*((name, False) for name in named), *((name, True) for name in objects)):
            releases = self._releases.find(name, loops, is_object)
            if releases is None:
                return None
            found.update(dict.fromkeys(releases))
        return list(found)

    def _names(self, group: Group, heap: Heap, roots: Roots, deadline: Deadline) -> List[Holder]:
        """The holder, and its other names. The first of them that a statement fills comes first."""
        holder, container = group.holder(), group.container
        if holder is None:
            return []
        if container is None or holder.kind not in ('variable', 'attribute') or holder.key is not None or deadline.missed:
            return [holder]
        attached = group.attached()
        every = [holder, *([attached] if attached else []), *(one for one in aliases(container.place, heap, roots) if one != holder)]
        # A statement that fills an attached one has no points for the file or class of its object.
        return sorted(every, key=lambda one: -min(FILLS, max((entry['score'] + (one is attached) for entry in self._statements.find(one)), default=0)))

    def _others(self, group: Group, tensors: Tensors, chains: Chains) -> List[Dict[str, Any]]:
        """Further holders that keep the newest block alive without the first one."""
        holding, found = group.newest, []    # type: Holding, List[Dict[str, Any]]
        passed = {part.place for part in holding.chain.links if part.place}
        if holding.saved_by or not passed:
            return []
        for tensor in tensors.on_block.get(holding.block.address, ())[:1]:
            while len(found) < MAX_OTHERS:
                chain = chains.around(tensor, passed)
                places = {part.place for part in chain.links if part.place}
                if chain.root is None or not chain.root.users or not places - passed:
                    break
                found.append(Group.alone(Holding(holding.block, chain), self._lengths).name_and_place(self._statements))
                passed |= places
        return found


class Search:
    """Finds holdings for as many of the selected blocks as possible, the most reliable kind first."""

    def __init__(self, asked: Dict[int, LiveBlock], tensors: Tensors, chains: Chains, graphs: Graphs, heap: Heap, passing: Passing,
                 deadline: Deadline) -> None:
        self._asked, self._tensors, self._chains, self._graphs, self._heap, self._deadline = asked, tensors, chains, graphs, heap, deadline
        self._passing = passing
        self._held: Dict[int, Holding] = {}

    def all(self) -> Dict[int, Holding]:
        self._directly()
        self._through_graphs()
        self._as_gradients()
        self._held_by_own_graph()
        self._held_by_own_attribute()
        self._saved_by_own_graph()
        self._through_arrays()
        return self._held

    def _directly(self) -> None:
        """A Python object holds the tensor on the block, or a view of it."""
        # The newest block of a linked list goes first: the way to the next block is the way to this one and one link.
        for block in sorted(self._asked.values(), key=lambda block: -block.allocated_us):
            if self._is_explained(block):
                continue
            found = [self._chains.of(tensor) for tensor in self._tensors.on_block.get(block.address, ())[:4]]
            found = [chain for chain in found if chain.root is not None or chain.cycle or chain.pin]
            if found:
                # A variable of one round, such as a view of a history, holds nothing from one round to the next.
                self._held[block.address] = Holding(block, max(found, key=lambda chain: (not self._passing(chain), _trust(chain))))
            if self._deadline.passed():
                return

    def _through_graphs(self) -> None:
        """Autograd saved it: attributed to the innermost named tensor whose graph reaches it, of those that go on into the
        next round if there are some.
        """
        passing: List[Tuple[torch.Tensor, Chain]] = []
        for root in sorted(self._tensors.with_graph, key=sequence):
            if self._deadline.passed():
                return
            chain = self._chains.of(root)
            if chain.is_named and not self._deadline.passed():
                if self._passing(chain):
                    passing.append((root, chain))
                else:
                    self._saved_under(root, chain)
        for root, chain in passing:
            self._saved_under(root, chain)

    def _as_gradients(self) -> None:
        """A parameter with a name holds its gradient from C++."""
        for tensor in self._tensors.with_gradient:
            if self._deadline.passed():
                return
            block = self._tensors.block(tensor.grad)
            if self._is_open(block):
                chain = self._chains.of(tensor)
                if chain.is_named:
                    self._held[block.address] = Holding(block, dataclasses.replace(chain, links=chain.links + (GRADIENT,)))

    def _held_by_own_graph(self) -> None:
        """``backward(create_graph=True)``: the gradient's graph leads back to its tensor, through C++, so the collector
        never frees this cycle.
        """
        chain = _pinned_cycle(GRADIENT, GRAPH)
        for tensor in self._tensors.with_gradient:
            if self._deadline.passed():
                return
            gradient = tensor.grad
            if gradient is None or gradient.grad_fn is None or self._chains.of(tensor).is_named:
                continue
            for value in (tensor, gradient):
                block = self._tensors.block(value)
                if self._is_open(block):
                    self._held[block.address] = Holding(block, chain)
            self._saved_under(gradient, chain)

    def _held_by_own_attribute(self) -> None:
        """``p.update = -rate * gradient``, whose graph leads back to ``p``; or an attribute that is a view of its own tensor."""
        for value in self._tensors.views + self._tensors.with_graph:
            if self._deadline.passed():
                return
            for owner, name in self._having(value):
                block = self._tensors.block(owner)
                if not self._is_open(block) or self._chains.of(owner).is_named:
                    continue
                is_base = value._base is owner
                chain = _pinned_cycle(attribute(owner, name), BASE if is_base else GRAPH)
                if is_base:
                    self._held[block.address] = Holding(block, chain)
                else:
                    self._saved_under(value, chain)

    def _saved_by_own_graph(self) -> None:
        """``saved_tensors_hooks`` whose first function returns its argument: the result that a node saves so leads back to
        the node.
        """
        chain = _pinned_cycle(SAVED)
        for root in sorted(self._tensors.with_graph, key=sequence):
            if self._deadline.passed():
                return
            block = self._tensors.block(root)
            if self._is_open(block) and self._graphs.saves_itself(root):
                self._held[block.address] = Holding(block, chain)
                self._saved_under(root, chain)

    def _through_arrays(self) -> None:
        """An array of NumPy shares the memory of a CPU tensor that no object holds otherwise."""
        if self._tensors.are_on_cpu and any(self._is_open(block) for block in self._asked.values() if block.address in self._tensors.on_block):
            self._heap.add_arrays(self._deadline)
            self._directly()

    def _having(self, value: torch.Tensor) -> Iterator[Tuple[torch.Tensor, str]]:
        """Tensors that have a value as an attribute, and its name."""
        for held in self._heap.referrers(id(value)):
            for owner in self._heap.referrers(id(held)) if type(held) is dict else ():
                if is_a(owner, torch.Tensor) and namespace(owner) is held:
                    yield from ((owner, name) for name, one in list(held.items()) if one is value)

    def _saved_under(self, root: torch.Tensor, chain: Chain) -> None:
        reach = self._graphs.reach(root)
        # A leaf with another holder, for instance a parameter of a module, holds its gradient itself.
        leaves = [leaf for leaf in reach.leaves if self._is_open(self._tensors.block(leaf))]
        with_gradients = [value for leaf in leaves for value in (leaf, leaf.grad) if value is not None]
        for saved, kind in reach.saved + [(value, 'AccumulateGrad') for value in with_gradients]:
            block = self._tensors.block(saved)
            if self._is_open(block):
                self._held[block.address] = Holding(block, chain, kind)

    def _is_open(self, block: Optional[LiveBlock]) -> bool:
        """True for a selected block without a holder yet."""
        return block is not None and block.address in self._asked and not self._is_explained(block)

    def _is_explained(self, block: LiveBlock) -> bool:
        holding = self._held.get(block.address)
        return holding is not None and holding.chain.is_named


def _pinned_cycle(*links: Link) -> Chain:
    """A cycle through C++, which the collector never frees."""
    return Chain(None, (), cycle=links, pin=Pin('node of autograd', None, None, None))


def _trust(chain: Chain) -> int:
    return (2 if chain.root is not None and chain.root.users else 1 if chain.is_named else 0) * 100 - len(chain.links)


def _categories(blocks: List[LiveBlock], tensors: Tensors) -> Dict[str, int]:
    """Live bytes of memory that every training needs, by kind."""
    sums: Dict[str, int] = {}
    for block in blocks:
        category = tensors.category(block)
        if category:
            sums[category] = sums.get(category, 0) + block.size
    return sums


def unpacking_runs_code(kinds: Iterable[type]) -> bool:
    """True if the process has hooks on saved tensors (checkpointing, offloading). Only releases without an alternative
    need it.
    """
    hooks = torch.autograd.graph.saved_tensors_hooks
    return any(issubclass(kind, hooks) or type_name(kind) == '_CheckpointFrame' for kind in kinds)
