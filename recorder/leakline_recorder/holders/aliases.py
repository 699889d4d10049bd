"""Other names of a container: what is filled under one name may be emptied under another."""
from __future__ import annotations

from typing import Any, Iterable, Iterator, List

from ..plain import is_a
from ..sources import is_machinery
from .heap import Heap
from .links import Places, is_instance_dict, link
from .roots import Roots
from .statements import Holder

MAX_ALIASES = 8        # of one container
MAX_REFERRERS = 1000   # of one container


def aliases(place: int, heap: Heap, roots: Roots) -> List[Holder]:
    """Attributes of objects, global variables and variables of what runs, all of the container with this identity."""
    parents = heap.referrers(place)[:MAX_REFERRERS]
    variables = [Holder('variable', root.name, root.function, root.file, None, True, root.line) for root in roots.at(place) if root.users]
    if len(parents) + len(variables) < 2:
        return []
    others = _names_in(parents, heap.at(place), heap, roots)
    return list(dict.fromkeys([*others, *variables]))[:MAX_ALIASES]


def owners_of(parent: Any, heap: Heap) -> List[Any]:
    """The objects that have what ``parent`` refers to. Up to Python 3.10, ``parent`` is their dictionary of attributes."""
    return [one for one in heap.referrers(id(parent)) if is_instance_dict(parent, one)] if is_a(parent, dict) else [parent]


def _names_in(parents: Iterable[Any], container: Any, heap: Heap, roots: Roots) -> Iterator[Holder]:
    places = Places()
    for parent in parents:
        root = roots.in_namespace(parent, container) if roots.is_namespace(parent) else None
        if root is not None and root.users:
            yield Holder('variable', root.name, None, root.file, None, True)
        for owner in owners_of(parent, heap):
            part = link(owner, container, places)
            if part is not None and part.kind == 'attribute' and part.name and part.file and not is_machinery(part.file):
                yield Holder('attribute', part.name, part.owner, part.file, None, True, classes=part.classes)
