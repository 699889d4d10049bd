"""Counts training steps: from the optimizers, from the program's own marks, or from its loop."""
from __future__ import annotations

import time
import weakref
from typing import Any, Callable, Dict, List, cast

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

from .guard import guarded

#: maximum number of step times in the sidecar: enough to date every event of a well-sized ring
KEPT = 4096
#: maximum number of remembered parts of one optimizer; programs that replace parameters create new ones
MAX_PARTS = 1024
FEW_OPTIMIZERS = 4    # as a program has for the parts of its model
START = -1    # among the parts of an optimizer: the count when it first stepped


class StepCounter:
    """``count`` is the number of finished steps. ``on_step`` is called after each, with the new count. With several
    optimizers, or one that steps group by group (DeepSpeed's ZeRO), the part with the most steps counts. After the
    program's first mark, optimizers do not count.
    """

    def __init__(self, on_step: Callable[[int], None]) -> None:
        self.count = 0
        self.source = 'none'
        self.times_us: List[int] = []     #: Unix microseconds at which steps first_time, first_time + 1, … ended
        self.first_time = 1
        self._on_step = on_step
        self._rounds: Dict[int, Dict[int, int]] = {}    # of optimizers and their parts, by identity: they may not be hashable
        self._hook: Any = None
        self._ends: List[weakref.finalize] = []
        self._is_over = False

    def watch_optimizers(self) -> None:
        self._hook = register_optimizer_step_post_hook(_not_compiled(self._optimizer_stepped))

    def stop(self) -> None:
        self._is_over = True
        for end in self._ends:
            end.detach()
        self._ends.clear()
        if self._hook is not None:
            self._hook.remove()
            self._hook = None

    @property
    def is_known(self) -> bool:
        """False if the program has shown no step yet."""
        return self.source not in ('none', 'requests')

    @property
    def counts_rounds(self) -> bool:
        """True while rounds of the program's loop are its steps, or may be."""
        return not self.is_known or self.source == 'loop'

    def turn(self) -> None:
        """A round of the program's loop, in a program without an optimizer."""
        if self.counts_rounds:
            self.source = 'loop'
            self._advance(self.count + 1)

    def requested(self) -> None:
        """A snapshot on request. In a program that shows no step, it ends one: else all would be of step 0."""
        if not self.is_known:
            self.source = 'requests'
            self._count(self.count + 1)

    def mark(self) -> None:
        self.source = 'marks'
        self._advance(self.count + 1)

    @guarded('could not count a step')
    def _optimizer_stepped(self, optimizer: Any, *_: Any) -> None:
        if self.source == 'marks':
            return
        self.source = 'optimizer'
        known, part = id(optimizer), _first_parameter(optimizer)
        parts = self._rounds.get(known)
        if parts is None:
            # In the first round optimizers share a step; one that appears later (a new trial) continues the count. More
            # than a few in the first round are trials of one step each.
            together = self.count <= 1 and 0 < len(self._rounds) < FEW_OPTIMIZERS
            start = 0 if together else self.count
            parts = self._rounds[known] = {START: start, part: start}
            end = weakref.finalize(optimizer, self._rounds.pop, known, None)
            end.atexit = False
            self._ends = [*(one for one in self._ends if one.alive), end]
        elif part not in parts or len(parts) > 2:
            self._take_turns(parts, part)
        parts[part] += 1
        if parts[part] > self.count:
            self._advance(parts[part])

    @staticmethod
    def _take_turns(parts: Dict[int, int], part: int) -> None:
        """Parts of one round differ by at most one round; any other one continues at the last count."""
        most = max(parts.values())
        if part not in parts:
            if len(parts) >= MAX_PARTS:
                parts.clear()
                parts[START] = most
            # In the optimizer's first round its parts share a step, as optimizers do.
            parts[part] = parts[START] if most <= parts[START] + 1 else most
        elif parts[part] < most - 1:
            parts[part] = most

    def _advance(self, count: int) -> None:
        if self._is_over:
            return    # a call that was counted when recording ended
        self._count(count)
        self._on_step(count)

    def _count(self, count: int) -> None:
        self.count = count
        self.times_us.append(time.time_ns() // 1000)
        if len(self.times_us) > 2 * KEPT:
            del self.times_us[:-KEPT]
        self.first_time = count - len(self.times_us) + 1


def _first_parameter(optimizer: Any) -> int:
    """The identity of the first parameter; 0 for an optimizer with its own way to store parameters."""
    for group in getattr(optimizer, 'param_groups', ()):
        parameters = group['params']
        if parameters:
            return id(parameters[0])
    return 0


def _not_compiled(counted: Callable[..., None]) -> Callable[..., None]:
    """If the program compiles its ``optimizer.step``, this is called, not compiled."""
    def hook(optimizer: Any, *_: Any) -> None:
        counted(optimizer)
    disable = getattr(torch, '_disable_dynamo', None)
    return hook if disable is None else cast(Callable[..., None], disable(hook))
