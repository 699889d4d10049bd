"""The walk itself: old blocks, their tensors, the names that keep them. Its result is the sidecar's ``holders``."""
from __future__ import annotations

import time
from typing import Any, Dict, List, Optional

import torch

from ..memory import DeviceMemory
from .blocks import UNKNOWN, Blocks, LiveBlock, by_line
from .chains import Chain, Chains
from .deadline import Deadline
from .graph import Graphs, sequence
from .groups import Group, Holding
from .heap import Heap
from .roots import Roots
from .statements import Statements
from .tensors import Tensors

MOST_OWNERS = 40


class HolderWalk:
    def __init__(self, memory: DeviceMemory, min_age: int, seconds: float) -> None:
        self._memory = memory
        self._min_age = min_age
        self._seconds = seconds
        self._statements = Statements()

    def walk(self, blocks: Blocks, step: int) -> Optional[Dict[str, Any]]:
        """``None`` if nothing is old enough to ask about: then the walk costs next to nothing."""
        began = time.perf_counter()
        old = [block for block in blocks.all if block.born == UNKNOWN or block.born <= step - self._min_age]
        if not any(block.born != 0 for block in old):
            return None
        deadline = Deadline(self._seconds)
        roots = Roots()
        heap = Heap(deadline)
        tensors = Tensors(heap.objects, blocks, self._memory)
        chains = Chains(heap, roots, deadline)
        # What every training needs and had from the first step on is not asked about.
        asked = {block.address: block for block in old if not (block.born <= 0 and tensors.category(block))}
        held = _direct(asked, tensors, chains, deadline)
        graphs = Graphs(deadline, _unpacking_runs_code(heap.objects))
        _through_graphs(asked, held, tensors, chains, graphs, deadline)
        groups: Dict[str, Group] = {}
        for holding in held.values():
            groups.setdefault(holding.chain.pattern, Group()).add(holding)
        ranked = sorted(groups.values(), key=lambda group: -group.bytes)
        return {
            'minAgeSteps': self._min_age,
            'complete': heap.complete and not deadline.missed,
            'objects': len(heap.objects),
            'tensors': tensors.count,
            'graphNodes': graphs.nodes(),
            'oldBytes': sum(block.size for block in old),
            'askedBytes': sum(block.size for block in asked.values()),
            'heldBytes': sum(group.bytes for group in ranked),
            'categories': _categories(blocks.all, tensors),
            'owners': [group.describe(self._statements) for group in ranked[:MOST_OWNERS]],
            'ownersOmitted': max(0, len(ranked) - MOST_OWNERS),
            'unowned': {'bytes': sum(block.size for address, block in asked.items() if address not in held),
                        'allocatedAt': by_line([block for address, block in asked.items() if address not in held])},
            'seconds': round(time.perf_counter() - began, 6),
        }


def _direct(asked: Dict[int, LiveBlock], tensors: Tensors, chains: Chains, deadline: Deadline) -> Dict[int, Holding]:
    """Blocks whose tensor, or a view of it, hangs on a Python object."""
    held: Dict[int, Holding] = {}
    for address, block in asked.items():
        found: List[Chain] = []
        for tensor in tensors.on_block.get(address, ())[:4]:
            chain = chains.of(tensor)
            if chain.root is not None or chain.cycle:
                found.append(chain)
        if found:
            held[address] = Holding(block, max(found, key=_trust))
        if deadline.passed():
            break
    return held


def _through_graphs(asked: Dict[int, LiveBlock], held: Dict[int, Holding], tensors: Tensors, chains: Chains, graphs: Graphs,
                    deadline: Deadline) -> None:
    """Blocks that autograd saved: attributed to the innermost named tensor whose graph reaches them."""
    for root in sorted(tensors.with_graph, key=sequence):
        if deadline.passed():
            return
        chain = chains.of(root)
        if not _is_named(chain):
            continue
        for saved, kind in graphs.reach(root).saved:
            block = tensors.block(saved)
            if block is not None and block.address in asked and not _is_named_or_cycle(held.get(block.address)):
                held[block.address] = Holding(block, chain, kind)


def _is_named(chain: Chain) -> bool:
    return bool(chain.root is not None and chain.root.users or chain.cycle)


def _is_named_or_cycle(holding: Optional[Holding]) -> bool:
    return holding is not None and _is_named(holding.chain)


def _trust(chain: Chain) -> int:
    return (2 if chain.root is not None and chain.root.users else 1 if chain.cycle else 0) * 100 - len(chain.links)


def _categories(blocks: List[LiveBlock], tensors: Tensors) -> Dict[str, int]:
    """Live bytes of what every training needs, by kind."""
    sums: Dict[str, int] = {}
    for block in blocks:
        category = tensors.category(block)
        if category:
            sums[category] = sums.get(category, 0) + block.size
    return sums


def _unpacking_runs_code(objects: List[Any]) -> bool:
    """Do hooks on saved tensors live in this process (checkpointing, offloading)? Only releases without a way round ask."""
    hooks = torch.autograd.graph.saved_tensors_hooks
    return any(issubclass(type(value), hooks) or type(value).__name__ == '_CheckpointFrame' for value in objects)
