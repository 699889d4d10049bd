"""What the recorder costs: per step, per snapshot, per search for holders.

    PYTHONPATH=recorder:test/recorder python test/recorder/overhead.py [dumps]

``dumps``: only the table of snapshots over 1,000 steps, on the CPU over the model of the allocator (``cpu_memory.py``).

With a GPU the training loop runs on it, with and without the recorder; without one the loop runs on the CPU over an
allocator that records nothing, which leaves the recorder's own part. Prints Markdown.
"""
from __future__ import annotations

import gc
import os
import pickle
import platform
import statistics
import sys
import tempfile
import time
from typing import Any, Dict, List

import torch
from leakline_recorder import api
from leakline_recorder.collector import at_rest
from leakline_recorder.holders import Blocks, HolderWalk
from leakline_recorder.loops import Rounds
from leakline_recorder.monitoring import Monitoring
from leakline_recorder.options import Options
from torch import nn

ON_GPU = torch.cuda.is_available()
DEVICE = 'cuda' if ON_GPU else 'cpu'
STEPS = 60       # of one loop; loops with and without the recorder take turns
TURNS = 5


class Idle:
    """An allocator without a history: what is left is the recorder itself."""

    device_type, light_snapshots, clearable = 'cpu', True, False

    def available(self) -> bool: return True
    def ready(self) -> bool: return True
    def when_ready(self, begin: Any) -> None: begin()
    def record(self, max_entries: int, stacks: str) -> None: pass
    def history_is_on(self) -> bool: return True
    def keep_watching(self) -> None: pass
    def clear(self) -> None: pass
    def counters(self) -> List[Any]: return []
    def stop(self) -> None: pass
    def snapshot(self, traces: bool) -> Dict[str, Any]: return {'segments': [], 'device_traces': [[]]}
    def stats(self) -> Dict[str, int]: return {}
    def devices(self) -> List[Dict[str, Any]]: return []
    def attach_oom(self, observer: Any) -> bool: return True
    def address(self, tensor: torch.Tensor) -> int: return tensor.untyped_storage().data_ptr()


def loop() -> float:
    """Milliseconds of a training step: the first decile, since other programs only ever add to it."""
    torch.manual_seed(0)
    net = nn.Sequential(*[layer for _ in range(8) for layer in (nn.Linear(256, 256), nn.GELU())], nn.Linear(256, 10)).to(DEVICE)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4)
    times = []
    for _ in range(STEPS):
        began = time.perf_counter()
        loss = net(torch.randn(64, 256, device=DEVICE)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if ON_GPU:
            torch.cuda.synchronize()
        times.append(1000 * (time.perf_counter() - began))
    return statistics.quantiles(times[STEPS // 4:], n=10)[0]


def per_step() -> None:
    loop()
    plain, recorded = [], []
    for _ in range(TURNS):
        plain.append(loop())
        with tempfile.TemporaryDirectory() as out:
            api.start(Options(out=out, run='r', every=10 ** 9, start=0, light=0, at_exit=False, signal='', quiet=True), memory=None if ON_GPU else Idle())
            recorded.append(loop())
            api.stop()
    print(f'| step of a {"GPU" if ON_GPU else "CPU"} training, no snapshot due | {min(plain):.3f} ms plain, {min(recorded):.3f} ms recorded |')
    from leakline_recorder.schedule import Schedule
    from leakline_recorder.step_counter import StepCounter
    schedule = Schedule(Options(every=10 ** 9, start=0, light=0))
    steps = StepCounter(lambda step: schedule.full(step) or schedule.light(step))
    began = time.perf_counter()
    for _ in range(100_000):
        steps.mark()
    print(f'| counting a step, alone | {10 * (time.perf_counter() - began):.2f} µs |')


def per_round() -> None:
    rounds = Rounds(Monitoring())

    def nested(depth: int) -> float:
        return nested(depth - 1) if depth else train()

    def train() -> float:
        began = time.process_time()
        for _ in range(4):
            for _ in range(1000):
                rounds.stepped(sys._getframe())
        return time.process_time() - began
    print(f'| counting rounds of two loops, 20 frames deep | {nested(18) * 1e6 / 4000:.1f} µs of a processor per step |')
    rounds.stop()


def snapshot_of(events: int, depth: int = 10) -> Dict[str, Any]:
    """The shape of a CUDA snapshot, with stacks that repeat as a training loop's do."""
    frames = [{'name': f'f{i}', 'filename': f'/home/ml/project/file{i % 40}.py', 'line': i} for i in range(400)]
    def stack(i: int) -> List[Dict[str, Any]]:
        return [frames[(7 * i + j) % 400] for j in range(depth)]
    trace = [{'action': ('alloc', 'free_requested', 'free_completed')[i % 3], 'addr': 139637976727552 + 512 * (i // 3), 'size': 512, 'stream': 0,
              'time_us': 1760000000000000 + i, 'compile_context': 'N/A', 'user_metadata': '', 'frames': stack(i // 3 % 300)} for i in range(events)]
    blocks = [{'address': 139637976727552 + 512 * i, 'size': 512, 'requested_size': 500, 'state': 'active_allocated', 'frames': stack(i % 300)}
              for i in range(events // 20)]
    return {'segments': [{'device': 0, 'address': 139637976727552, 'total_size': 512 * len(blocks), 'blocks': blocks}], 'device_traces': [trace]}


def per_snapshot() -> None:
    for events in (10_000, 100_000, 200_000):
        with at_rest(), tempfile.TemporaryFile() as file:
            snapshot = snapshot_of(events)
            began = time.perf_counter()
            Blocks(snapshot, 1, [])
            read = time.perf_counter()
            pickle.dump(snapshot, file)
            written = time.perf_counter()
            print(f'| snapshot of {events:,} events, stacks of 10 frames: ages of its blocks, then writing | '
                  f'{read - began:.3f} s, then {written - read:.3f} s for {file.tell() / 1e6:.1f} MB |')


def per_walk() -> None:
    for more in (0, 1_000_000):
        ballast = [[index] for index in range(more)]
        kept = [torch.zeros(128, device='cpu') for _ in range(1000)]
        memory = Idle()
        segments = [{'blocks': [{'address': memory.address(t), 'size': 512, 'state': 'active_allocated', 'frames': []} for t in kept]}]
        found = HolderWalk(memory, 2, 60).walk(Blocks({'segments': segments}, 1, []), 10)
        assert found is not None and found['owners'][0]['name'] == 'kept', found
        print(f"| walk over {found['objects']:,} Python objects, 1,000 old tensors in one list | {found['seconds']:.2f} s |")
        del ballast


DUMPED_STEPS, EVERY = 1000, 10


def over_many_steps() -> None:
    """Full and light snapshots of a training run that keeps a tensor per step, with and without clearing the history."""
    print(f'| {DUMPED_STEPS:,} steps, a full snapshot every {EVERY} | first | middle | last | all |\n|---|---|---|---|---|')
    plain, _ = _training(None)
    for name, clears in (('ring', False), ('new events only', True)):
        step, dumps = _training(Options(every=EVERY, start=0, widen=10 ** 9, limit=10 ** 9, light=1, holders=False, at_exit=False, signal='', quiet=True, run='r'), clears)
        for kind in ('full', 'light') if clears else ('full',):
            made = [dump for dump in dumps if dump['kind'] == kind]
            cells = [f"{1000 * one['seconds']:.0f} ms, {one['bytes'] / 1e6:.2f} MB, {one['events']:,} events" for one in (made[0], made[len(made) // 2], made[-1])]
            print(f"| {name if kind == 'full' else 'light'} | {' | '.join(cells)} | {len(made)}: {sum(one['seconds'] for one in made):.2f} s, {sum(one['bytes'] for one in made) / 1e6:.0f} MB |")
        print(f'| step without a snapshot | {1000 * plain:.2f} ms plain | {1000 * step:.2f} ms recorded ({name}) | | |')


def _training(options: Any, clears: bool = False) -> Any:
    """Seconds of a processor per step that makes no snapshot, the median; and what each snapshot took, wrote and held."""
    import dataclasses
    import json
    from leakline_recorder.cpu_memory import CpuMemory
    from leakline_recorder.session import Session
    memory, dumps, times, kept = CpuMemory(hide=(__file__,)), [], [], []
    memory.clearable = clears
    write_now = Session._write_now

    def write(session: Session, kind: str, reason: str) -> None:
        began = time.process_time()
        write_now(session, kind, reason)
        dumps.append({'kind': kind, 'seconds': time.process_time() - began})
        with open(os.path.join(session.folder, session._stem(kind, reason) + '.leakline.json'), encoding='utf-8') as file:
            side = json.load(file)
        dumps[-1].update(bytes=side['cost']['bytes'], events=sum(side['ring']['events']) if side['ring'] else 0)
        os.remove(os.path.join(session.folder, side['snapshot']))
    Session._write_now = write
    torch.manual_seed(0)
    with memory, tempfile.TemporaryDirectory() as out:
        if options:
            api.start(dataclasses.replace(options, out=out), memory=memory)
        net = nn.Sequential(*[layer for _ in range(4) for layer in (nn.Linear(64, 64), nn.GELU())], nn.Linear(64, 10))
        optimizer = torch.optim.SGD(net.parameters(), lr=1e-4)
        for _ in range(DUMPED_STEPS):
            before, began = len(dumps), time.process_time()
            loss = net(torch.randn(64, 64)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            kept.append(loss.detach())
            optimizer.step()
            if len(dumps) == before:
                times.append(time.process_time() - began)
        api.stop()
    Session._write_now = write_now
    return statistics.median(times), dumps


def main() -> None:
    name = torch.cuda.get_device_name() if ON_GPU else f'CPU only, {os.cpu_count()} cores'
    print(f'{name}; {platform.machine()}; PyTorch {torch.__version__}; Python {platform.python_version()}\n')
    gc.collect()
    torch.set_num_threads(1)
    if sys.argv[1:] == ['dumps']:
        over_many_steps()
        return
    print('| what | cost |\n|---|---|')
    per_step()
    per_round()
    per_snapshot()
    per_walk()


if __name__ == '__main__':
    main()
