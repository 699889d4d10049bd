"""Other reasons for a snapshot than steps: out of memory, a signal, the end of the process."""
from __future__ import annotations

import _thread
import atexit
import multiprocessing.util
import os
import signal
import sys
import threading
from typing import Any, Callable, Optional

from .guard import say

Dump = Callable[[str], None]
FIRST_SHORTAGES = 4    # each has a snapshot; afterwards every time that their number has doubled


class Triggers:
    def __init__(self, dump: Dump) -> None:
        self._dump = dump
        self._pid = os.getpid()
        self._previous: Any = None
        self._signal = 0
        self._shortages = 0
        self.is_due = False    # the main thread has not dumped yet, as it waits

    def on_signal(self, name: str) -> None:
        """Dump when the signal arrives, then call the previous handler."""
        number = getattr(signal, name, None)
        if number is None:
            return  # Windows has no SIGUSR1
        if threading.current_thread() is not threading.main_thread():
            say(f'no snapshots on {name}: started outside the main thread')
            return
        self._signal = int(number)
        self._previous = signal.signal(number, self._signalled)

    def at_exit(self, close: Callable[[], None]) -> None:
        atexit.register(self._in_this_process, close)

    def at_end_of_child(self, close: Callable[[], None]) -> None:
        """Children of ``multiprocessing`` that were forked, by the process or by a server for it, end without ``atexit``."""
        multiprocessing.util.Finalize(None, close, exitpriority=100)

    def move_here(self) -> None:
        """True in a fork of the process that started the recording."""
        self._pid = os.getpid()

    def out_of_memory(self, device: int, wanted: int, limit: int, free: int) -> None:
        """torch calls this before it raises, with the whole stack still in place."""
        self._shortages += 1
        # Programs that try smaller batches, or skip large ones, run out repeatedly.
        if self._shortages <= FIRST_SHORTAGES or self._shortages & (self._shortages - 1) == 0:
            self._in_this_process(self._dump, 'oom')

    @property
    def signal(self) -> Optional[str]:
        """The name of the signal that triggers a snapshot; ``None`` without one, or if the program has replaced the handler:
        the signal may end the process then.
        """
        return signal.Signals(self._signal).name if self._signal and signal.getsignal(self._signal) == self._signalled else None

    @property
    def can_interrupt(self) -> bool:
        """False if the program handles the signal, too: its handler would miss one that arrives at the same time."""
        return self.signal is not None and not callable(self._previous) and sys.version_info >= (3, 10)

    def interrupt(self) -> None:
        """Dump in the main thread, between two of its instructions: as if the signal had arrived."""
        self.is_due = True
        _thread.interrupt_main(self._signal)

    def remove(self) -> None:
        if self._signal and threading.current_thread() is threading.main_thread():
            # None: the previous handler was not installed from Python, and cannot be restored
            if signal.getsignal(self._signal) == self._signalled:
                signal.signal(self._signal, signal.SIG_DFL if self._previous is None else self._previous)
            self._signal = 0
        atexit.unregister(self._in_this_process)

    def _signalled(self, number: int, frame: Any) -> None:
        is_due, self.is_due = self.is_due, False
        self._in_this_process(self._dump, 'time' if is_due else 'signal')
        if callable(self._previous):
            self._previous(number, frame)

    def _in_this_process(self, act: Callable[..., None], *args: Any) -> None:
        """A forked child (a data loader's worker) inherits handlers, and must not overwrite its parent's files."""
        if os.getpid() == self._pid:
            act(*args)
