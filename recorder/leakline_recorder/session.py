"""One recording in one process: composes steps, schedule, snapshots, sidecars and triggers."""
from __future__ import annotations

import dataclasses
import json
import multiprocessing
import os
import pickle
import shlex
import sys
import threading
import time
from typing import Any, Dict, List, Optional

import torch

from . import sidecar
from .collector import PERIOD_SECONDS, CollectorWatch, at_rest
from .files import SIDECAR, Budget, appearing, exists, make_folder, make_output, sweep
from .guard import NO_GPU, guarded, ordinary, say, say_once
from .holders import Ages, Blocks, HolderWalk, Shown
from .increments import Increments
from .memory import DeviceMemory, allocations
from .monitoring import Monitoring
from .options import Options
from .run import Run, chosen, identify, with_group
from .schedule import Intervals
from .sources import Sources
from .stage import Stage
from .step_finder import Evaluations, LoopSteps, NamedSteps
from .triggers import Triggers

ON_THE_CPU = 'The option --device cpu records on the CPU, over a model of the allocator'
NO_STEP = ('no steps were found, so {}: call leakline_recorder.mark_step() after each step, or name the function that answers a '
           'request: --step MODULE:FUNCTION')
NO_VERDICT = NO_STEP.format('growth has no verdict')
BY_TIME = NO_STEP.format('a snapshot is taken every {:.0f} s, and later less often. For growth per step')
MANY_ALLOCATIONS = 2_000    # far fewer than a training run makes in the seconds between two snapshots
MAX_AT_FAILURE = 10    # holders of most memory when it ran out
MIN_ROUNDS = 15    # of a loop after the training: fewer have no verdict, and need no run
MANY_STEPS = 4    # as many allocations after the last step are worth a snapshot at exit


class Stopwatch:
    """Seconds per named part of a job."""

    def __init__(self) -> None:
        self.laps: Dict[str, float] = {}
        self._since = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = round(now - self._since, 6)
        self._since = now


class Session:
    def __init__(self, options: Options, memory: DeviceMemory, inherited_rank: str = '') -> None:
        self.options = options
        self.memory = memory
        self.run = identify(options.run)
        self._out = os.path.abspath(options.out)    # the program may go to another folder
        self.folder = os.path.join(self._out, self.run.id)
        self._monitoring = Monitoring()
        self._collector = CollectorWatch(self._look_for_steps)
        self._shown = Shown(options.names == 'all')
        self.stage = self._training = self._new_stage('')
        self._afterwards: Optional[Stage] = None
        self._named_steps: Optional[NamedSteps] = None
        self._loop_steps = LoopSteps(self._training.steps, memory, self._monitoring)
        self._evaluations: Optional[Evaluations] = None
        self._intervals = Intervals(options, PERIOD_SECONDS)
        self._sources = Sources(options.sources)
        self._triggers = Triggers(self.dump)
        self.searches = options.holders
        self._recording = False
        self._dumping = threading.Lock()
        self._pid = os.getpid()
        self._allocated_at_full = 0
        self._named = False
        self._is_chosen = False
        self._budget = Budget(options.budget)
        self._forked = False
        self._inherited_rank = inherited_rank
        self._cost_seconds = 0.0    # of the last full snapshot
        self._events: List[int] = []    # of each device's trace, in the full snapshot before, unless it was cleared since
        self._increments = Increments(memory)
        self._ages: Ages = {}    # of the blocks that were live when the history was cleared

    def _new_stage(self, name: str) -> Stage:
        walk = HolderWalk(self.memory, self.options.min_age, self.options.holders_seconds, self._monitoring,
                          self._shown, self.options.sources, self._collector.full_since)
        return Stage(name, self.options, self._monitoring, walk, self._stepped)

    def open(self, on_device: bool = False) -> bool:
        """Prepare everything; recording begins when the program first uses the device, or is about to now."""
        if not self.memory.available():
            say_once(f'this PyTorch has no CUDA allocator: nothing is recorded. {ON_THE_CPU}', NO_GPU)
            return False
        if self.options.step:
            self._named_steps = NamedSteps(self._training.steps, self.options.step)
        else:
            self._training.steps.watch_optimizers()
        if self.options.signal:
            self._triggers.on_signal(self.options.signal)
        if self.options.at_exit:
            self._triggers.at_exit(self.close)
            if on_device:
                self._triggers.at_end_of_child(self.close)
        if on_device:
            self._begin()
        else:
            self.memory.when_ready(self._begin)
        return True

    @guarded('could not begin to record')
    def _begin(self) -> None:
        if os.getpid() != self._pid:
            # The program forked before it used CUDA: this process trains, not its parent.
            self._pid, self._forked = os.getpid(), True
            self._triggers.move_here()
            if self.options.at_exit:
                self._triggers.at_end_of_child(self.close)
        # The run's own folder comes with its first snapshot: only then is the name of a child's run certain.
        make_output(self._out)
        self._choose()
        self._recording = True
        self._collector.start()
        if self._named_steps is None:
            self._loop_steps.start()
            self._evaluations = Evaluations(self._look_past_training)
        else:
            self._named_steps.look()
        if not self.memory.attach_oom(self._triggers.out_of_memory):
            say_once('this PyTorch release does not report out of memory: no snapshot is taken then')
        if not self._is_child():
            self._say_where()

    @property
    def is_recording(self) -> bool:
        return self._recording

    @property
    def _records_here(self) -> bool:
        """False in a fork of the process that records."""
        return self._recording and os.getpid() == self._pid

    def _is_child(self) -> bool:
        return self._forked or multiprocessing.parent_process() is not None

    def _say_where(self) -> None:
        if not self.options.quiet:
            texts = 'and the texts of source files' if self.options.sources else 'but no source text'
            say(f'recording GPU memory into {self.folder}: stacks, sizes, paths, names of variables, {texts}; no values')

    @guarded('could not look for steps')
    def _look_for_steps(self) -> Optional[float]:
        """Returns the seconds until the next call."""
        if self._training.steps.source != 'optimizer':
            return self._without_steps()
        self._look_past_training()
        return None

    @guarded('could not look for steps after the training')
    def _look_past_training(self) -> None:
        """Once the program has left the loops of its training, rounds of the loop that it runs then are steps of another run."""
        if not self._records_here or self._training.steps.source != 'optimizer':
            return
        if self.stage is self._training and not self._loop_steps.looks and self._training.rounds.is_left():
            self._afterwards = self._afterwards or self._new_stage(f'after-step-{self._training.steps.count}')
            self._loop_steps = LoopSteps(self._afterwards.steps, self.memory, self._monitoring)
            self._loop_steps.start(beside_optimizers=True)

    def _without_steps(self) -> Optional[float]:
        """While the program shows no steps, the time decides."""
        if self.stage.steps.is_known or not self._records_here:
            return None
        if self._triggers.is_due or self._allocated() - self._allocated_at_full < MANY_ALLOCATIONS:
            return None
        if not self._triggers.can_interrupt:
            self._advise(NO_VERDICT)
            return None
        self._advise(BY_TIME.format(PERIOD_SECONDS))
        wait = self._intervals.after(self._cost_seconds)
        if wait is not None:
            self._triggers.interrupt()
        return wait

    def _advise(self, text: str) -> None:
        if not self.options.quiet:
            say_once(text, NO_STEP)

    @guarded('could not stop recording')
    def close(self) -> None:
        """Writes the last snapshot, and ends the recording."""
        if self._recording:
            if self._has_more():
                self.dump('exit')
            self._recording = False
            self.memory.stop()
            if self.stage.steps.source == 'none':
                self._advise((self._named_steps.missed if self._named_steps else '') or NO_VERDICT)
            elif not self.options.quiet and not self._is_child() and self.run.rank == 0 and self.stage.last_full >= 0:
                say(f'the recording is complete. Open its folder in VS Code, or run: leakline analyze --root . {shlex.quote(self.folder)}')
        elif not self.memory.ready() and not self.options.quiet and os.getpid() == self._pid and not self._is_child():
            say(f'nothing was recorded: this process never used CUDA. {ON_THE_CPU}. If it starts other commands, run them with leakline_recorder')
        self._loop_steps.stop()
        if self._evaluations is not None:
            self._evaluations.stop()
        if self._named_steps is not None:
            self._named_steps.stop()
        for stage in filter(None, (self._training, self._afterwards)):
            stage.steps.stop()
            stage.rounds.stop()
        self._monitoring.stop()
        self._collector.stop()
        self._triggers.remove()

    def _has_more(self) -> bool:
        """True if the last full snapshot lacks a step, or more than some steps' worth of allocations, as of an evaluation."""
        steps = self.stage.steps
        if self.stage.last_full != steps.count or not steps.is_known:
            return True
        since = self._allocated() - self._allocated_at_full
        return since * steps.count > MANY_STEPS * self._allocated_at_full > 0

    def _allocated(self) -> int:
        """The number of allocations of all devices so far; 0 if the device does not tell."""
        try:
            return allocations(self.memory)
        except ordinary(Exception):
            return 0

    def _stepped(self, stage: Stage, step: int) -> None:
        self._collector.raise_dropped()
        if stage.steps.source != 'loop':
            self._loop_steps.stop()
        stage.rounds.stepped(sys._getframe())
        if stage is not self.stage:
            if stage is not self._training and step < MIN_ROUNDS:
                return
            self._enter(stage)
        if self._records_here and self._is_chosen:
            self.memory.keep_watching()
            if not self.memory.history_is_on():
                self.memory.record(self.options.max_entries, self.options.stacks)
                self._increments.forget()
                say_once('the program turned memory history off: it is on again, and allocations in between have no stack')
        if self._dumping.locked():
            return    # steps of other threads do not wait for the snapshot of this one; the next one is due then
        if stage.schedule.full(step):
            self.dump('step')
        elif self.memory.light_snapshots and stage.schedule.light(step):
            self._write('light', 'step')

    def _enter(self, stage: Stage) -> None:
        if stage is not self._training and self.stage.last_full != self.stage.steps.count:
            self.dump('exit')    # of the training
        self.stage = stage
        self._ages = {}    # in steps of the other one

    def dump(self, reason: str) -> None:
        """A full snapshot now."""
        if reason in ('signal', 'asked', 'time') and self._recording:
            self.stage.steps.requested()
        if self._is_chosen or self.memory.light_snapshots:
            self._write('full' if self._is_chosen else 'light', reason)

    def _choose(self) -> None:
        """Ranks outside of the selection have no history, but light snapshots if the release supports them."""
        was, self._is_chosen = self._is_chosen, chosen(self.options.ranks, self.run.rank)
        if self._is_chosen and not was:
            self.memory.record(self.options.max_entries, self.options.stacks)
        elif was and not self._is_chosen:
            self.memory.stop()

    @guarded('could not write a snapshot')
    def _write(self, kind: str, reason: str) -> None:
        # A dump can allocate, run out of memory or be interrupted by a signal: dumps never nest, nor run in two
        # threads.
        if not self._records_here or not self._dumping.acquire(blocking=False):
            return
        try:
            with at_rest():
                self._write_now(kind, reason)
        finally:
            self._dumping.release()

    def _write_now(self, kind: str, reason: str) -> None:
        watch = Stopwatch()
        if not self._named:
            self._name()
        if not exists(self.folder):
            self._make_folder()    # the program has emptied its output
        stage, stem, step = self.stage, self._stem(kind, reason), self.stage.steps.count    # other threads go on counting
        path = os.path.join(self.folder, stem)
        if kind == 'full':
            self._increments.begin()
        snapshot = self.memory.snapshot(traces=kind == 'full')
        behind = self._increments.behind(snapshot) if kind == 'full' else []
        watch.lap('snapshotSeconds')
        beside = sidecar.describe(stem + '.pickle', kind, reason, self._run_of(stage), stage.steps, self._collector, self.memory,
                                  self.options, self._sources, snapshot, self._events, behind, stage.rounds)
        beside['process']['signal'] = self._triggers.signal
        ages = {} if None in behind else self._ages
        # At exit, the variables of the program are gone, and no verdict asks for holders unless it is the only snapshot.
        searches = self.searches and kind == 'full' and (reason != 'exit' or stage.last_full < 0)
        blocks = Blocks(snapshot, stage.steps.first_time, stage.steps.times_us, ages) if searches else None
        watch.lap('sidecarSeconds')
        # The sidecar gets its name first: a reader that sees the snapshot finds it beside.
        with appearing(path + '.pickle') as file:
            pickle.dump(snapshot, file)
            watch.lap('writeSeconds')
            # A snapshot is millions of objects: released before the walk examines all objects.
            del snapshot
            beside['holders'] = self._walk(blocks) if blocks is not None else None
            beside['atFailure'] = self._walk_all(blocks) if blocks is not None and reason == 'oom' else None
            beside['releases'] = stage.holders.releases() if kind == 'full' else None
            watch.lap('holdersSeconds')
            beside['cost'] = {**watch.laps, 'bytes': file.tell()}
            with appearing(path + SIDECAR) as text:
                text.write(json.dumps(beside, ensure_ascii=False, separators=(',', ':')).encode('utf-8', 'surrogatepass'))
                size = beside['cost']['bytes'] + text.tell()
        self._budget.written(path, size, light=kind == 'light', keep=reason == 'oom')
        if kind == 'full':
            stage.last_full, self._allocated_at_full = step, self._allocated()
            self._cost_seconds = sum(watch.laps.values())
            self._events = beside['ring']['events']
            # Other snapshots are taken in the middle of a step: the next trace has their events too.
            if reason == 'step' and self._increments.clear(beside['takenAtUs']):
                self._events, self._ages = [], blocks.ages() if blocks is not None else {}
            self._report(reason, beside)

    def _name(self) -> None:
        """Not before the first snapshot: the process group exists by the first step, seldom before."""
        self.run = with_group(self.run, getattr(torch, 'distributed', None), self._is_child(), self._inherited_rank)
        self._choose()
        self.folder = os.path.join(self._out, self.run.id, *[f'rank{self.run.rank}'] * (self.run.world_size > 1))
        self._named = True
        self._make_folder()
        sweep(self.folder)
        if self._is_child():
            self._say_where()

    def _run_of(self, stage: Stage) -> Run:
        return dataclasses.replace(self.run, id=f'{self.run.id}-{stage.name}') if stage.name else self.run

    def _make_folder(self) -> None:
        make_output(self._out)
        make_folder(self.folder)

    @guarded('could not find the holders of the tensors')
    def _walk(self, blocks: Blocks) -> Optional[Dict[str, Any]]:
        return self.stage.holders.walk(blocks, self.stage.steps.count, self.stage.rounds.describe() or ())

    @guarded('could not find the holders of all memory')
    def _walk_all(self, blocks: Blocks) -> Optional[Dict[str, Any]]:
        """What ran out is memory of any age. A walk of its own: the others compare what holders freed between them."""
        walk = HolderWalk(self.memory, 0, self.options.holders_seconds, self._monitoring, self._shown)
        found = walk.walk(blocks, self.stage.steps.count, None)
        return found and {'complete': found['complete'], 'owners': found['owners'][:MAX_AT_FAILURE]}

    def _stem(self, kind: str, reason: str) -> str:
        name = '_'.join(part for part in (f'rank{self.run.rank}', self.stage.name) if part)
        stem = f'{name}_step{self.stage.steps.count:06d}'
        if kind == 'light':
            return stem + '_light' if reason == 'step' else f'{stem}_{reason}_light'
        return stem if reason == 'step' else f'{stem}_{reason}'

    def _report(self, reason: str, beside: Dict[str, Any]) -> None:
        if beside['ring'] and beside['ring']['overflowed']:
            say_once(f"the ring of {max(beside['ring']['events'])} events is full, the oldest events are lost: increase max_entries, or decrease every")
        if self.options.quiet:
            return
        cost = beside['cost']
        seconds = sum(value for name, value in cost.items() if name.endswith('Seconds'))
        rank = f'rank {self.run.rank}, ' if self.run.world_size > 1 else ''
        part = f'{self.stage.name}, ' if self.stage.name else ''
        why = '' if reason == 'step' else f' ({reason})'
        say(f"{rank}{part}step {self.stage.steps.count}{why}: wrote {cost['bytes'] / 1e6:.1f} MB in {seconds:.2f} s"
            f" ({cost['holdersSeconds']:.2f} s of it to find holders)")
