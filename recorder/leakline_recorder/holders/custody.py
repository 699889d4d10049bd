"""What holders did with their memory from one search to the next: evidence that needs no source."""
from __future__ import annotations

import dataclasses
from typing import Any, Callable, Dict, Iterable, List, Set, Tuple

from .blocks import UNKNOWN, Blocks, LiveBlock

MAX_OWNERS = 1000      # that are remembered
MAX_LENGTHS = 16       # of a container, the newest
#: A block of which the collector has run twice without freeing it is not garbage of a cycle that it can free.
SURVIVED = 2

Identity = Tuple[int, int]    # of a block: its address, and the time of its allocation


@dataclasses.dataclass
class Record:
    """One owner since it was first seen."""

    since_step: int
    searches: int = 0
    blocks: Dict[Identity, int] = dataclasses.field(default_factory=dict)    #: at the last search, with their bytes
    freed: int = 0      #: bytes that it held at a search, and that were free at the next
    moved: int = 0      #: bytes that another owner held at the next
    lengths: List[int] = dataclasses.field(default_factory=list)    #: of the container, one per search


class Custody:
    """``note`` is called once per complete search, with all owners that it found."""

    def __init__(self, full_collections_since: Callable[[int], int]) -> None:
        self._full_collections_since = full_collections_since
        self._records: Dict[str, Record] = {}

    def note(self, step: int, live: Blocks, held: Iterable[Tuple[str, List[LiveBlock], int]]) -> None:
        """``held``: per owner its key, its blocks, and the length of its container (0 without one)."""
        now: Dict[str, Tuple[Dict[Identity, int], int]] = {}
        for key, blocks, length in held:
            now[key] = {(block.address, block.allocated_us): block.size for block in blocks if block.allocated_us != UNKNOWN}, length
        alive: Set[Identity] = {(block.address, block.allocated_us) for block in live.all}
        for key, record in self._records.items():
            blocks, length = now.pop(key, ({}, 0))
            self._compare(record, blocks, alive)
            self._add(record, blocks, length)
        for key, (blocks, length) in now.items():
            if len(self._records) < MAX_OWNERS:
                self._add(self._records.setdefault(key, Record(step)), blocks, length)

    @staticmethod
    def _compare(record: Record, now: Dict[Identity, int], alive: Set[Identity]) -> None:
        for identity, size in record.blocks.items():
            if identity in now:
                continue
            if identity in alive:
                record.moved += size
            elif (identity[0], UNKNOWN) not in alive:
                # The events no longer hold the allocation of an unknown block, so it may be live or freed.
                record.freed += size

    @staticmethod
    def _add(record: Record, blocks: Dict[Identity, int], length: int) -> None:
        record.searches += 1
        record.blocks = blocks
        record.lengths.append(length)
        del record.lengths[:-MAX_LENGTHS]

    def describe(self, key: str) -> Any:
        """``None`` for an owner that no complete search has found."""
        record = self._records.get(key)
        if record is None:
            return None
        survived = sum(size for (_, time_us), size in record.blocks.items() if self._full_collections_since(time_us) >= SURVIVED)
        return {'sinceStep': record.since_step, 'searches': record.searches, 'heldBytes': sum(record.blocks.values()), 'freedBytes': record.freed,
                'movedBytes': record.moved, 'survivedBytes': survived, 'lengths': list(record.lengths)}
