"""A part of the program with steps of its own: its training, or the loop that goes on after it. Each is a run."""
from __future__ import annotations

import functools
from typing import Callable

from .holders import HolderWalk
from .loops import Rounds
from .monitoring import Monitoring
from .options import Options
from .schedule import Schedule
from .step_counter import StepCounter


class Stage:
    def __init__(self, name: str, options: Options, monitoring: Monitoring, holders: HolderWalk,
                 stepped: Callable[[Stage, int], None]) -> None:
        self.name = name    #: in the names of its run and files; '' for the first
        self.steps = StepCounter(functools.partial(stepped, self))
        self.rounds = Rounds(monitoring)
        self.schedule = Schedule(options)
        self.holders = holders
        self.last_full = -1    #: the step of the last full snapshot
