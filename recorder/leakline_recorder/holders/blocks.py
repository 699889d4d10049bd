"""The allocator's live blocks: place, size, step and allocating line."""
from __future__ import annotations

import bisect
import dataclasses
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ..sources import is_users

#: allocated in a step that the ring of events no longer reaches, or before recording
UNKNOWN = -1
#: maximum number of allocating lines, the largest
MAX_LINES = 20


@dataclasses.dataclass
class LiveBlock:
    address: int
    size: int                        #: bytes, as rounded by the allocator
    allocated: int                   #: steps that were finished when it was allocated, or UNKNOWN
    allocated_us: int                #: time of its allocation, or UNKNOWN; with the address, the identity of the block
    frame: Optional[Dict[str, Any]]  #: innermost frame of the program itself


#: by address, the step and time of a block's allocation
Ages = Dict[int, Tuple[int, int]]


class Blocks:
    """Finds the block of an address. ``ages`` has the ages of live blocks that are older than the trace."""

    def __init__(self, snapshot: Dict[str, Any], first_step: int, step_ends_us: Sequence[int], ages: Optional[Ages] = None) -> None:
        times = _allocated_us(snapshot)
        self.all: List[LiveBlock] = []
        for segment in snapshot['segments']:
            for block in segment['blocks']:
                if block['state'] == 'inactive':
                    continue
                time_us = times.get(block['address'])
                if time_us is None:
                    allocated, time_us = (ages or {}).get(block['address'], (UNKNOWN, UNKNOWN))
                else:
                    # bisect counts the ended steps, of those with a known end
                    allocated = first_step - 1 + bisect.bisect_right(step_ends_us, time_us)
                self.all.append(LiveBlock(block['address'], block['size'], allocated, time_us, _users_frame(block.get('frames', ()))))
        self.all.sort(key=lambda block: block.address)
        self._starts = [block.address for block in self.all]

    def ages(self) -> Ages:
        return {block.address: (block.allocated, block.allocated_us) for block in self.all}

    def at(self, address: Optional[int]) -> Optional[LiveBlock]:
        if address is None:
            return None
        index = bisect.bisect_right(self._starts, address) - 1
        if index < 0:
            return None
        block = self.all[index]
        return block if address < block.address + block.size else None


def _allocated_us(snapshot: Dict[str, Any]) -> Dict[int, int]:
    """Time of the last allocation at each address, in the snapshot's own microseconds."""
    times: Dict[int, int] = {}
    for trace in snapshot.get('device_traces', ()):
        for event in trace:
            if event['action'] == 'alloc' and 'time_us' in event:
                times[event['addr']] = event['time_us']
    return times


def _users_frame(frames: Sequence[Dict[str, Any]]) -> Optional[Dict[str, Any]]:
    return next((frame for frame in frames if is_users(frame['filename'])), None)


def by_line(blocks: Sequence[LiveBlock]) -> List[Dict[str, Any]]:
    """Bytes and blocks per allocating line, largest first."""
    lines: Dict[Tuple[str, int, str], List[int]] = {}
    for block in blocks:
        if block.frame is not None:
            sums = lines.setdefault((block.frame['filename'], block.frame['line'], block.frame['name']), [0, 0])
            sums[0] += block.size
            sums[1] += 1
    ranked = sorted(lines.items(), key=lambda item: -item[1][0])[:MAX_LINES]
    return [{'file': file, 'line': line, 'function': function, 'bytes': size, 'blocks': count}
            for (file, line, function), (size, count) in ranked]
