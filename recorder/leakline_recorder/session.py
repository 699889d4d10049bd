"""One recording in one process: composes steps, schedule, snapshots, sidecars and triggers."""
from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import pickle
import threading
from typing import Any, Dict, Optional

import torch

from . import sidecar
from .collector import CollectorWatch
from .cost import Stopwatch, collector_at_rest
from .files import appearing, make_folder, sweep
from .guard import guarded, say, say_once
from .holders import Blocks, HolderWalk
from .memory import DeviceMemory
from .options import Options
from .run import identify, with_group
from .schedule import Schedule
from .sources import Sources
from .step_counter import StepCounter
from .triggers import Triggers


class Session:
    def __init__(self, options: Options, memory: DeviceMemory) -> None:
        self.options = options
        self.memory = memory
        self.run = identify(options.run)
        self.folder = os.path.join(os.path.abspath(options.out), self.run.id)
        self.steps = StepCounter(self._stepped)
        self._collector = CollectorWatch()
        self._schedule = Schedule(options)
        self._sources = Sources(options.sources)
        self._holders = HolderWalk(memory, options.min_age, options.holders_seconds)
        self._triggers = Triggers(self.dump)
        self._recording = False
        self._dumping = threading.Lock()
        self._pid = os.getpid()
        self._last_full = -1
        self._named = False
        self._forked = False

    def open(self) -> bool:
        """Prepare everything; recording itself begins when the program first uses the device."""
        if not self.memory.available():
            say('this PyTorch has no CUDA allocator: nothing is recorded')
            return False
        self.steps.watch_optimizers()
        if self.options.signal:
            self._triggers.on_signal(self.options.signal)
        if self.options.at_exit:
            self._triggers.at_exit(self.close)
        self.memory.when_ready(self._begin)
        return True

    @guarded('could not begin to record')
    def _begin(self) -> None:
        if os.getpid() != self._pid:
            # The program forked before it used CUDA: what trains is this process, not the one that started.
            self._pid, self._forked = os.getpid(), True
            self._triggers.move_here(self.close if self.options.at_exit else None)
        make_folder(self.folder)
        sweep(self.folder)
        self.memory.record(self.options.max_entries, self.options.stacks)
        self._recording = True
        self._collector.start()
        if not self.memory.attach_oom(self._triggers.out_of_memory):
            say_once('this release cannot tell before it runs out of memory: no snapshot then')
        if not self.options.quiet:
            say(f'recording GPU memory into {self.folder}')

    @guarded('could not stop recording')
    def close(self) -> None:
        """The last snapshot; recording is over afterwards."""
        if self._recording:
            if self._last_full != self.steps.count or not self.steps.count:
                self.dump('exit')
            self._recording = False
            self.memory.stop()
            if self.steps.source == 'none' and not self.options.quiet:
                say('no step of an optimizer of torch was seen: call leakline_recorder.mark_step() after each step')
        elif not self.memory.ready() and not self.options.quiet and os.getpid() == self._pid and multiprocessing.parent_process() is None:
            say('CUDA was never used by this process: nothing was recorded. Processes that it spawns must call leakline_recorder.start()')
        self.steps.stop()
        self._collector.stop()
        self._triggers.remove()

    def _stepped(self, step: int) -> None:
        if self._schedule.full(step):
            self.dump('step')
        elif self.memory.light_snapshots and self._schedule.light(step):
            self._write('light', 'step')

    def dump(self, reason: str) -> None:
        """A full snapshot now."""
        self._write('full', reason)

    @guarded('could not write a snapshot')
    def _write(self, kind: str, reason: str) -> None:
        # A dump can allocate, run out of memory or be interrupted by the signal that asks for one: never nest.
        # Nor beside that of another thread.
        if not self._recording or os.getpid() != self._pid or not self._dumping.acquire(blocking=False):
            return
        try:
            self._write_now(kind, reason)
        finally:
            self._dumping.release()

    def _write_now(self, kind: str, reason: str) -> None:
        watch = Stopwatch()
        if not self._named:
            self._name()
        stem = self._stem(kind, reason)
        path = os.path.join(self.folder, stem)
        with collector_at_rest():
            snapshot = self.memory.snapshot(traces=kind == 'full')
            watch.lap('snapshotSeconds')
            beside = sidecar.describe(stem + '.pickle', kind, reason, self.run, self.steps, self._collector, self.memory, self.options, self._sources, snapshot)
            blocks = Blocks(snapshot, self.steps.first_time, self.steps.times_us) if kind == 'full' and self.options.holders else None
            watch.lap('sidecarSeconds')
            # The sidecar takes its name first: whoever sees the snapshot appear finds it already there.
            with appearing(path + '.pickle') as file:
                pickle.dump(snapshot, file)
                watch.lap('writeSeconds')
                # A snapshot is millions of objects: gone before the walk looks at all that the process has.
                del snapshot
                beside['holders'] = self._walk(blocks) if blocks is not None else None
                watch.lap('holdersSeconds')
                beside['cost'] = {**watch.laps, 'bytes': file.tell()}
                with appearing(path + sidecar.SUFFIX) as text:
                    text.write(json.dumps(beside, ensure_ascii=False, separators=(',', ':')).encode('utf-8', 'surrogatepass'))
        if kind == 'full':
            self._last_full = self.steps.count
            self._report(reason, beside)

    def _name(self) -> None:
        """Not earlier than at the first snapshot: the process group is there by the first step, seldom before."""
        child = self._forked or multiprocessing.parent_process() is not None
        self.run = with_group(self.run, getattr(torch, 'distributed', None), child)
        made, self.folder = self.folder, os.path.join(os.path.dirname(self.folder), self.run.id)
        if self.folder != made:
            make_folder(self.folder)
            with contextlib.suppress(OSError):
                os.rmdir(made)    # fails where a sibling has written into it, as it should
        self._named = True

    @guarded('could not walk who keeps the tensors')
    def _walk(self, blocks: Blocks) -> Optional[Dict[str, Any]]:
        return self._holders.walk(blocks, self.steps.count)

    def _stem(self, kind: str, reason: str) -> str:
        stem = f'rank{self.run.rank}_step{self.steps.count:06d}'
        if kind == 'light':
            return stem + '_light'
        return stem if reason == 'step' else f'{stem}_{reason}'

    def _report(self, reason: str, beside: Dict[str, Any]) -> None:
        if beside['ring'] and beside['ring']['overflowed']:
            say_once(f"the ring of {self.options.max_entries} events is full, the oldest are lost: set max_entries higher, or every lower")
        if self.options.quiet:
            return
        cost = beside['cost']
        seconds = sum(value for name, value in cost.items() if name.endswith('Seconds'))
        rank = f'rank {self.run.rank}, ' if self.run.world_size > 1 else ''
        say(f"{rank}step {self.steps.count} ({reason}): {cost['bytes'] / 1e6:.1f} MB, this step took {seconds:.2f} s longer"
            f" ({cost['holdersSeconds']:.2f} s of it for the owners)")
