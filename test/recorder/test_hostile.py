"""Programs that would notice a guest: each runs alone and under the recorder, with the same output and exit code."""
from __future__ import annotations

import sys
import unittest

from test_session import Programs

TRAIN = '''
import sys, torch
optimizer = torch.optim.Optimizer()
kept = []
def train(steps, each=lambda step: None):
    for step in range(steps):
        kept.append(torch.Tensor(1 << 16))
        each(step)
        optimizer.step()
'''
PROGRAMS = {
    'looks_at_its_locals': '''
def main():
    mine = locals()
    for epoch in range(2):
        for step in range(6):
            kept.append(torch.Tensor(512)); optimizer.step()
    print(sorted(mine), sorted(locals()), sorted(sys._getframe().f_locals))
main()''',
    'asks_who_it_is': 'train(7)\nprint(sys.argv, __name__, __file__.rsplit("/", 1)[-1], __doc__, sorted(n for n in globals() if n[0] == "_"))',
    'exits_with_a_code': 'train(7)\nsys.exit(5)',
    'exits_with_a_text': 'train(7)\nsys.exit("that is all")',
    'raises': 'train(7)\ndef inner():\n    raise KeyError("lost")\ninner()',
    'is_timed': '''
import signal
class Late(OSError): pass
def late(number, frame): raise Late()
signal.signal(signal.SIGALRM, late)
caught = 0
def train_on():    # a loop's jump back to its start belongs to no `try` around it
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    while True: train(1)
for _ in range(5):
    try:
        train_on()
    except Late:
        caught += 1
print(caught)''',
    'is_timed_at_each_file': '''
import os, signal
class Late(OSError): pass    # as TimeoutError
def late(number, frame): raise Late()
signal.signal(signal.SIGALRM, late)
left, struck, caught = 0, 0, 0
def at(look):
    def looked(*given, **named):
        global left, struck
        try:
            return look(*given, **named)
        finally:
            left -= 1
            if left == 0:
                struck += 1
                signal.raise_signal(signal.SIGALRM)
    return looked
os.stat, os.lstat, os.readlink = at(os.stat), at(os.lstat), at(os.readlink)
for place in range(1, 40):
    left = place
    try:
        train(3)
    except Late:
        caught += 1
    left = 0
print(caught == struck)''',
    'is_ended_politely': '''
import os, signal
def end(number, frame):
    print("saved")
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
train(7, lambda step: step == 5 and os.kill(os.getpid(), signal.SIGTERM))''',
    'is_interrupted': 'import _thread\ntry:\n    train(9, lambda step: step == 6 and _thread.interrupt_main())\nexcept KeyboardInterrupt:\n    print("stopped", len(kept))',
    'draws_lots': 'import random\nrandom.seed(3)\ntrain(9, lambda step: print(random.random()))\nprint(random.getstate()[1][-1], sum(random.getstate()[1]))',
    'takes_warnings_for_errors': 'import warnings\nwarnings.simplefilter("error")\ntrain(9)\nprint(len(warnings.filters) > 0)',
    'traces_itself': '''
lines = []
def trace(frame, event, argument):
    if frame.f_code.co_filename == __file__: lines.append((event, frame.f_lineno))
    return trace if frame.f_code.co_filename == __file__ else None
sys.settrace(trace); train(9); sys.settrace(None)
print(len(lines), hash(tuple(lines[:40])) != 0, sys.gettrace())''',
    'goes_deep': 'def down(n):\n    if n: return down(n - 1)\n    train(5)\ndown(sys.getrecursionlimit() - 200)\nprint(len(kept))',
    'counts_what_is_freed': '''
import weakref
class Batch: pass
alive = []
def step(number):
    batch = Batch(); alive.append(weakref.ref(batch))
train(9, step)
print([ref() is None for ref in alive])''',
    'has_an_order_at_exit': 'import atexit\nfor name in "abc": atexit.register(print, name)\ntrain(7)',
    'has_a_hook_for_errors': 'sys.excepthook = lambda kind, error, trace: print(kind.__name__, error, trace.tb_frame.f_code.co_name)\ntrain(7)\nraise ValueError("mine")',
    'steps_in_threads': '''
import threading
threads = [threading.Thread(target=train, args=(9,)) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(kept), threading.active_count())''',
    'forks': '''
import os
train(5)
sys.stdout.flush()
child = os.fork()
if not child:
    print("child"); sys.stdout.flush(); os._exit(3)
print(os.waitpid(child, 0)[1] >> 8)
train(5)''',
    'starts_processes': '''
import multiprocessing
def child(queue):
    train(5)
    queue.put(len(kept))
if __name__ == "__main__":
    for way in ("spawn", "forkserver"):
        context = multiprocessing.get_context(way)
        queue = context.Queue()
        process = context.Process(target=child, args=(queue,))
        process.start(); print(way, queue.get()); process.join(); print(process.exitcode)
    train(5)''',
    'loses_its_folder': 'import os, tempfile\nfolder = tempfile.mkdtemp()\nos.chdir(folder); os.rmdir(folder)\ntrain(9)\nprint(len(kept))',
    'shuts_its_errors_off': 'sys.stderr.close()\ntrain(9)\nprint(len(kept))',
    'breaks_what_it_borrows': '''
import builtins, json, pickle
def broken(*_, **__): raise RuntimeError("not now")
class Proxy:
    def __getattribute__(self, name): raise RuntimeError("do not look")
    def __eq__(self, other): raise RuntimeError("do not compare")
    __hash__ = None
proxies = [Proxy() for _ in range(5)]
json.dumps = pickle.dump = broken
train(9)
print(len(kept))''',
    'has_modules_called_like_ours': 'import types\nfor name in ("memory", "files", "session", "loops", "plain"): sys.modules[name] = types.ModuleType(name)\ntrain(9)\nimport memory\nprint(memory.__dict__.get("CudaMemory"))',
    'reads_what_is_typed': 'train(5)\nprint(sys.stdin.read(), list(map(len, [kept])))',
}
#: Before 3.13, a search brings the dictionary of locals up to date, as a debugger does (README). Before 3.10, `realpath`
#: drops errors.
OLDEST = {'looks_at_its_locals': (3, 13), 'is_timed_at_each_file': (3, 10)}
#: the stack has no room for a snapshot, or what writes one is broken
NOTHING_RECORDED = ('goes_deep', 'breaks_what_it_borrows')


class HostileTest(Programs):
    def both(self, name):
        program = TRAIN + PROGRAMS[name]
        alone = self.run_program(program, command=[sys.executable, 'script.py']).done
        found = self.run_program(program, command=[sys.executable, '-m', 'leakline_recorder', '--out', 'out', '--run', 'r', '--every', '3', '--light', '1', 'script.py'])
        own = [line for line in found.done.stderr.splitlines() if not line.startswith('leakline: ')]
        def told(lines):
            return [line.strip() for line in lines if not line.strip().startswith('File ') and not set(line.strip()) <= set('^~')]
        self.assertEqual((found.done.returncode, found.done.stdout, told(own)), (alone.returncode, alone.stdout, told(alone.stderr.splitlines())),
                         found.done.stderr)
        return found

    def test_nothing_tells_that_a_guest_is_there(self):
        for name in PROGRAMS:
            if sys.version_info < OLDEST.get(name, ()):
                continue
            with self.subTest(name):
                found = self.both(name)
                if name not in NOTHING_RECORDED:
                    self.assertTrue(found.names, 'nothing was recorded: ' + found.done.stderr)


if __name__ == '__main__':
    unittest.main()
