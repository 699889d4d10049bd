"""Young memory that grows from snapshot to snapshot: a tensor that each step replaces by a longer one."""
from __future__ import annotations

from typing import Dict, List, Tuple

from .blocks import LiveBlock

#: Number of snapshots, one after another, at which a line had more memory. What a step has for a while rises less often.
RISES = 4

Line = Tuple[str, int]


class Replaced:
    """``grown`` is called once per full snapshot."""

    def __init__(self) -> None:
        self._sizes: Dict[Line, List[int]] = {}    # of the young blocks of each line at the last snapshots

    def grown(self, young: List[LiveBlock]) -> List[LiveBlock]:
        """The young blocks of lines that had more memory at each of the last snapshots."""
        lines: Dict[Line, List[LiveBlock]] = {}
        for block in young:
            if block.frame is not None:
                lines.setdefault((block.frame['filename'], block.frame['line']), []).append(block)
        self._sizes = {line: [*self._sizes.get(line, ())[-RISES:], sum(block.size for block in blocks)] for line, blocks in lines.items()}
        return [block for line, blocks in lines.items() if _rises(self._sizes[line]) for block in blocks]


def _rises(sizes: List[int]) -> bool:
    return len(sizes) > RISES and all(before < after for before, after in zip(sizes, sizes[1:]))
