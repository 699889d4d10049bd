"""Never in the way: what the program's own handlers raise while the recorder works reaches the program."""
from __future__ import annotations

import json
import os
import sys
import unittest

from test_session import PROGRAM, Programs

#: Raises in the middle of a search for owners, of a snapshot, of a sidecar: wherever WHERE names.
INTERRUPTED = '''
import functools, os, signal, sys, time, torch
from leakline_recorder import holders, sidecar, sources
class Timeout(OSError): pass
def handler(number, frame):
    raise Timeout('ours')
class Handler:
    def __call__(self, *args):
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        raise Timeout('ours')
HANDLERS = {'function': handler, 'object': Handler(), 'partial': functools.partial(lambda extra, n, f: handler(n, f), 1),
            'exit': lambda *_: sys.exit(7), 'interrupt': signal.default_int_handler}
def strike():
    os.kill(os.getpid(), signal.SIGALRM)
def interrupt(module, name):
    plain = getattr(module, name)
    def at(*args, **kwargs):
        if not fired:
            fired.append(1)
            strike()
            time.sleep(0.001)
        return plain(*args, **kwargs)
    setattr(module, name, at)
fired = []
def arm(kind, place):
    signal.signal(signal.SIGALRM, HANDLERS[kind])
    import leakline_recorder.holders.links as links, leakline_recorder.holders.chains as chains
    interrupt(*{'links': (links, '_link'), 'chains': (chains, 'link'), 'sources': (sources, 'modules'), 'sidecar': (sidecar, 'step_times')}[place])
'''


class SignalsTest(Programs):
    def test_what_a_handler_raises_ends_the_step(self):
        program = INTERRUPTED + PROGRAM + '''
for kind in ('function', 'object', 'partial', 'exit', 'interrupt'):
    for place in ('links', 'chains', 'sources', 'sidecar'):
        del fired[:]
        arm(kind, place)
        try:
            train(10)
        except (Timeout, SystemExit, KeyboardInterrupt) as error:
            print(kind, place, type(error).__name__)
'''
        found = self.run_program(program, '--every', '4', '--start', '0', '--light', '0', '--quiet', '1', '--widen', '1000')
        names = {'exit': 'SystemExit', 'interrupt': 'KeyboardInterrupt'}
        self.assertEqual(found.done.stdout.splitlines(), [f'{kind} {place} {names.get(kind, "Timeout")}' for kind in ('function', 'object', 'partial', 'exit', 'interrupt')
                                                          for place in ('links', 'chains', 'sources', 'sidecar')], found.done.stderr)
        self.assertEqual(found.done.returncode, 0)

    def test_a_signal_that_ends_the_run_during_a_snapshot_ends_it(self):
        for setup, code in (("signal.signal(signal.SIGALRM, lambda *_: sys.exit(3))", 3), ("signal.signal(signal.SIGALRM, handler)", 1),
                            ("signal.signal(signal.SIGALRM, signal.SIG_DFL)", -14)):
            program = INTERRUPTED + PROGRAM + "arm('function', 'links')\n" + setup + '\ntrain(10)\nprint("not reached")'
            found = self.run_program(program, '--every', '4', '--start', '0', '--light', '0', '--at-exit', '0')
            self.assertEqual((found.done.returncode, found.done.stdout), (code, ''), setup)
            left = [name for name in os.listdir(found.folder + '/r')] if code != -14 else []
            self.assertEqual([name for name in left if name.endswith('.part')], [])

    def test_what_a_handler_raises_during_a_collection_ends_the_step(self):
        program = INTERRUPTED + PROGRAM + '''
import gc
signal.signal(signal.SIGALRM, handler)
def collect(step):
    signal.setitimer(signal.ITIMER_REAL, 0.002)
    gc.collect()
ballast = [[number] for number in range(1_000_000)]
optimizer, caught = torch.optim.Optimizer(), 0
torch.Tensor(512)
for step in range(3):
    try:
        collect(step)
        optimizer.step()
    except Timeout:
        caught += 1
print(caught)'''
        found = self.run_program(program, '--start', '0', '--light', '0')
        self.assertEqual((found.done.stdout, found.done.returncode), ('3\n', 0), found.done.stderr)
        self.assertNotIn('Exception ignored', found.done.stderr)

    def test_what_another_thread_raises_ends_the_step(self):
        program = INTERRUPTED + PROGRAM + '''
import ctypes, threading
main = ctypes.c_ulong(threading.get_ident())
def strike():
    ctypes.pythonapi.PyThreadState_SetAsyncExc(main, ctypes.py_object(Timeout))
for place in ('links', 'chains', 'sources', 'sidecar'):
    del fired[:]
    arm('function', place)
    try:
        train(10)
        print(place, 'swallowed')
    except Timeout:
        print(place, 'stopped')
'''
        found = self.run_program(program, '--every', '4', '--start', '0', '--light', '0')
        self.assertEqual(found.done.stdout.splitlines(), [f'{place} stopped' for place in ('links', 'chains', 'sources', 'sidecar')], found.done.stderr)
        self.assertEqual(found.done.returncode, 0)

    def test_the_search_goes_on_over_objects_that_raise(self):
        found = self.run_program(PROGRAM + '''
class Touchy:
    def __init__(self, kept): object.__setattr__(self, 'kept', kept)
    def __getattribute__(self, name): raise RuntimeError('not for you')
    def __len__(self): raise RuntimeError('nor this')
touchy = Touchy(torch.Tensor(1 << 20))
train(8)''', '--every', '8', '--start', '0', '--light', '0')
        self.assertEqual(found.sidecar('rank0_step000008.pickle')['holders']['owners'][0]['name'], 'history')


class BoundsTest(Programs):
    def test_a_search_remembers_only_objects_that_lead_to_memory(self):
        program = """
import torch
from leakline_recorder.holders import heap
rows = [[row, row + 1] for row in range(1_000_000)]
table = {row: [row] for row in range(200_000)}
""" + PROGRAM + """
class Counted(heap.Heap):
    def close(self):
        print(len(self._parents) < 200_000)
        heap.Heap.close(self)
import leakline_recorder.holders.walk as walk
walk.Heap = Counted
train(8)
"""
        found = self.run_program(program, '--every', '8', '--start', '0', '--light', '0', '--at-exit', '0', '--holders-seconds', '60')
        self.assertEqual(found.done.stdout, 'True\n', found.done.stderr)
        owner = found.sidecar('rank0_step000008.pickle')['holders']['owners'][0]
        self.assertEqual((owner['name'], owner['container']['length']), ('history', 8))

    def test_a_search_ends_when_its_seconds_have_passed(self):
        # A clock that goes on by a millisecond whenever it is read.
        program = '''
import itertools, time, torch
table = {row: [row] for row in range(200_000)}
clock = itertools.count()
time.perf_counter = lambda: next(clock) / 1000
''' + PROGRAM + 'train(8)'
        for seconds, complete in (('60', True), ('0.1', False)):
            found = self.run_program(program, '--every', '4', '--start', '0', '--light', '0', '--at-exit', '0', '--holders-seconds', seconds)
            first, second = (found.sidecar(f'rank0_step00000{step}.pickle')['holders'] for step in (4, 8))
            self.assertEqual((first['complete'], second['complete']), (complete, complete), found.done.stderr)
            self.assertLess(first['seconds'], 0.11 if not complete else 60)
            if not complete:
                self.assertTrue(0.11 < second['seconds'] < 0.22, second)


class PrivacyTest(Programs):
    PROGRAM = PROGRAM + """
import json
def main():
    secret, by_user, by_number, losses = '/'.join(['https:', '', 'me:pa55word@host']), {}, {}, {}
    optimizer = torch.optim.Optimizer()
    for step in range(8):
        by_user.setdefault('@'.join(['alice', 'example.com']), []).append(torch.Tensor(1 << 20))
        by_number.setdefault(4915112345678, []).append(torch.Tensor(1 << 19))
        losses.setdefault('loss/aux of step', []).append(torch.Tensor(1 << 18))
        losses.setdefault('aux', []).append(torch.Tensor(1 << 17))
        setattr(optimizer, '@'.join(['bob', 'example.com']), torch.Tensor(1 << 10))
        optimizer.step()
main()
"""

    def recorded(self, *options):
        found = self.run_program(self.PROGRAM, '--every', '8', '--start', '0', '--light', '0', '--at-exit', '0', *options)
        with open(found._path('rank0_step000008.pickle')[:-len('.pickle')] + '.leakline.json', encoding='utf-8') as file:
            return found, file.read()

    def test_keys_that_may_be_secret_are_not_written(self):
        found, text = self.recorded()
        for secret in ('alice', 'bob', 'pa55word', '4915112345678', 'setdefault'):
            self.assertNotIn(secret, text)
        names = {owner['name'] for owner in json.loads(text)['holders']['owners']}
        self.assertTrue({"losses['loss/aux of step']", "losses['aux']"} <= names, names)
        self.assertIn('no source text', found.done.stderr)

    def test_they_are_where_the_user_asks_for_them(self):
        found, text = self.recorded('--names', 'all', '--sources', '1')
        for shown in ('alice@example.com', '4915112345678', 'setdefault'):
            self.assertIn(shown, text)


class RanksTest(Programs):
    def test_ranks_that_are_left_out_have_light_snapshots_alone(self):
        for rank, kinds in (('0', {''}), ('3', {'_light'})):
            found = self.run_program(PROGRAM + 'train(8)', '--every', '4', '--start', '0', '--light', '0', '--ranks', '0,8-9', '--quiet', '1',
                                     env={'RANK': rank, 'WORLD_SIZE': '16', 'LOCAL_WORLD_SIZE': '16'})
            self.assertEqual(found.done.returncode, 0, found.done.stderr)
            self.assertTrue(os.path.isdir(os.path.join(found.folder, 'r', f'rank{rank}')))
            self.assertEqual({'_light' if 'light' in name else '' for name in found.names}, kinds)
            self.assertEqual(len(found.names), 2 if rank == '0' else 3)    # a light one at the end as well

    def test_ranks_that_make_no_sense_are_said(self):
        for ranks, wrong in (('first', 'first'), ('3-1', '3-1'), ('0,7-5/2', '7-5/2')):
            found = self.run_program(PROGRAM + 'train(8)', '--ranks', ranks)
            self.assertEqual((found.done.returncode, found.names), (0, []))
            self.assertEqual(found.done.stderr.count(f"ranks: '{wrong}' is not a rank"), 1, found.done.stderr)


class CollectorTest(Programs):
    def test_the_rhythm_of_collections_is_that_of_the_program_alone(self):
        program = '''
import gc, os, sys, torch
if os.environ.get('RECORDED'):
    import leakline_recorder
    leakline_recorder.start(out='out', run='r', quiet=True)
runs = []
class Node: pass
def train(steps):
    torch.cuda.memory._record_memory_history(max_entries=500)    # the toy's trace is made of Python objects: in both runs
    optimizer, history = torch.optim.Optimizer(), [torch.Tensor(512)]
    for _ in range(5):
        optimizer.step()
    gc.collect()
    gc.callbacks.append(lambda phase, info: runs.append((len(history), info['generation'])) if phase == 'start' else None)
    for step in range(steps):
        history.append(torch.Tensor(1 << 20))
        for _ in range(37):
            node = Node(); node.node = node
        optimizer.step()
train(120)
print(runs)
'''
        alone = self.run_program(program, command=[sys.executable, 'script.py']).done
        self.assertEqual(alone.returncode, 0, alone.stderr)
        self.assertGreater(alone.stdout.count("("), 1)
        counted = self.run_program(program, command=[sys.executable, 'script.py'], env={'RECORDED': '1'})
        self.assertGreater(len(counted.names), 10)
        # What the first search keeps brings the next collection forward; the rhythm stays.
        runs, runs_alone = (text.count('(') for text in (counted.done.stdout, alone.stdout))
        # Up to Python 3.10, the 80 dictionaries of a snapshot that the interpreter keeps for reuse count as new objects.
        most = 1 if sys.version_info >= (3, 11) else 2
        self.assertIn(runs - runs_alone, range(most + 1), (alone.stdout, counted.done.stdout))


if __name__ == '__main__':
    unittest.main()
