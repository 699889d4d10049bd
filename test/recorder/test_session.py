"""Whole recordings over the stand-in: what is written, when, and that the program is left alone."""
from __future__ import annotations

import glob
import json
import os
import pickle
import subprocess
import sys
import tempfile
import textwrap
import unittest

PROGRAM = '''
import sys, torch
history = []
def train(steps):
    optimizer = torch.optim.Optimizer()
    weight = torch.Tensor(4096)
    for step in range(steps):
        batch = torch.Tensor(2048)
        history.append(torch.Tensor(1 << 20))
        optimizer.step()
'''


class Recording:
    def __init__(self, folder, done):
        self.folder, self.done = folder, done
        self.names = sorted(os.path.basename(path) for path in glob.glob(os.path.join(folder, '*', '*.pickle')))

    def sidecar(self, name):
        with open(self._path(name)[:-len('.pickle')] + '.leakline.json', encoding='utf-8') as file:
            return json.load(file)

    def snapshot(self, name):
        with open(self._path(name), 'rb') as file:
            return pickle.load(file)

    def _path(self, name):
        return glob.glob(os.path.join(self.folder, '*', name))[0]


class SessionTest(unittest.TestCase):
    def run_program(self, program, *options, arguments=(), env=None, command=None):
        """``python -m leakline_recorder OPTIONS script ARGUMENTS`` in a process of its own."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        script = os.path.join(folder.name, 'script.py')
        with open(script, 'w') as file:
            file.write(textwrap.dedent(program))
        out = os.path.join(folder.name, 'out')
        line = command or [sys.executable, '-m', 'leakline_recorder', '--out', out, '--run', 'r', *options, script, *arguments]
        self.folder, self.script = folder.name, script
        done = subprocess.run(line, capture_output=True, text=True, timeout=120, cwd=folder.name, env={**os.environ, **(env or {})})
        return Recording(out, done)

    def test_dumps_at_start_every_k_and_at_exit(self):
        found = self.run_program(PROGRAM + 'train(7)', '--every', '3', '--start', '1', '--light', '0')
        self.assertEqual(found.done.returncode, 0, found.done.stderr)
        self.assertEqual(found.names, ['rank0_step000001.pickle', 'rank0_step000003.pickle', 'rank0_step000006.pickle', 'rank0_step000007_exit.pickle'])

    def test_runs_by_its_path_without_pythonpath(self):
        package = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'recorder', 'leakline_recorder')
        standin = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'standin')
        for path in (package, os.path.join(package, '__main__.py')):
            found = self.run_program('import sys\nsys.modules.pop("memory", None)\ntry:\n    import memory\nexcept ImportError:\n    print("no such module", sys.argv[1])\n' + PROGRAM + 'train(3)',
                                     command=[sys.executable, path, '--out', 'out', '--run', 'r', '--light', '0', 'script.py', 'argument'],
                                     env={'PYTHONPATH': standin})
            self.assertEqual(found.done.returncode, 0, found.done.stderr)
            self.assertEqual(found.done.stdout, 'no such module argument\n')
            self.assertEqual(found.names[-1], 'rank0_step000003_exit.pickle')

    def test_sidecar(self):
        found = self.run_program(PROGRAM + 'train(6)', '--every', '6', '--start', '0', '--light', '0', '--sources', '1')
        side = found.sidecar('rank0_step000006.pickle')
        self.assertEqual({key: side[key] for key in ('schema', 'snapshot', 'kind', 'reason', 'run', 'rank', 'worldSize', 'step', 'stepSource')},
                         {'schema': 'leakline.recording/1', 'snapshot': 'rank0_step000006.pickle', 'kind': 'full', 'reason': 'step', 'run': 'r',
                          'rank': 0, 'worldSize': 1, 'step': 6, 'stepSource': 'optimizer'})
        self.assertEqual((side['stepTimes']['first'], len(side['stepTimes']['endedAtUs'])), (1, 6))
        self.assertEqual(sorted(side['collections']), ['beganAtUs', 'endedAtUs'])
        self.assertEqual(side['devices'][0]['capacityBytes'], 1 << 34)
        self.assertEqual(side['devices'][0]['outsideBytes'], 1 << 20)
        live = sum(block['size'] for segment in found.snapshot('rank0_step000006.pickle')['segments'] for block in segment['blocks'])
        self.assertEqual(side['memoryStats'], {'active_bytes.all.current': live, 'allocation.all.current': 8})
        self.assertEqual((side['versions']['torch'], side['versions']['cuda']), ('2.11.0+standin', '13.0'))
        self.assertEqual([os.path.basename(entry['path']) for entry in side['sources'] if entry['path'] == os.path.realpath(self.script)
                          or entry['path'] == self.script], ['script.py'])
        self.assertIn('history.append', side['sources'][0]['text'])
        self.assertEqual(side['ring']['overflowed'], False)
        self.assertEqual(side['cost']['bytes'], os.path.getsize(found._path('rank0_step000006.pickle')))

    def test_owner_in_the_sidecar(self):
        found = self.run_program(PROGRAM + 'train(8)', '--every', '8', '--start', '0', '--light', '0')
        owner = found.sidecar('rank0_step000008.pickle')['holders']['owners'][0]
        self.assertEqual((owner['name'], owner['line'], owner['born']), ('history', 9, {'first': 0, 'last': 6, 'steps': 7}))
        self.assertEqual(owner['allocatedAt'][0]['line'], 9)

    def test_light_snapshots_have_no_traces(self):
        found = self.run_program(PROGRAM + 'train(4)', '--every', '4', '--start', '0', '--light', '1', '--at-exit', '0')
        self.assertEqual(found.names, ['rank0_step000002_light.pickle', 'rank0_step000004.pickle'])
        light, full = (found.snapshot(name) for name in found.names)
        self.assertEqual([len(trace) for trace in light['device_traces']], [0])
        self.assertTrue(light['segments'] and full['device_traces'][0])
        side = found.sidecar(found.names[0])
        self.assertEqual((side['kind'], side['ring'], side['holders'], side['sources']), ('light', None, None, []))

    def test_full_ring_is_said(self):
        found = self.run_program(PROGRAM + 'train(40)', '--every', '40', '--start', '0', '--light', '0', '--max-entries', '50')
        self.assertTrue(found.sidecar('rank0_step000040.pickle')['ring']['overflowed'])
        self.assertEqual(found.done.stderr.count('ring of 50 events is full'), 1)

    def test_out_of_memory_before_the_stack_unwinds(self):
        program = PROGRAM + '''
def forward():
    activation = torch.Tensor(1 << 20)
    torch.Tensor(1 << 30)
torch.cuda.allocator.capacity = 64 << 20
train(3)
try:
    forward()
except torch.OutOfMemoryError:
    print('caught')
'''
        found = self.run_program(program, '--every', '100', '--start', '0', '--light', '0', '--at-exit', '0', '--min-age', '0')
        self.assertEqual(found.done.stdout, 'caught\n')
        self.assertEqual(found.names, ['rank0_step000003_oom.pickle'])
        side = found.sidecar(found.names[0])
        self.assertEqual(side['reason'], 'oom')
        self.assertIn('activation', [owner['name'] for owner in side['holders']['owners']])
        self.assertEqual(found.snapshot(found.names[0])['device_traces'][0][-1]['action'], 'oom')

    @unittest.skipIf(os.name == 'nt', 'needs signals')
    def test_signal_and_the_handler_before(self):
        program = '''
import os, signal, sys
signal.signal(signal.SIGUSR1, lambda *_: print('theirs', flush=True))
import leakline_recorder
leakline_recorder.start(out=sys.argv[1], run='r', start=0, light=0, at_exit=False)
import torch
kept = torch.Tensor(512)
os.kill(os.getpid(), signal.SIGUSR1)
'''
        found = self.run_program(program, command=[sys.executable, 'script.py', 'out'])
        self.assertEqual((found.done.stdout, found.names), ('theirs\n', ['rank0_step000000_signal.pickle']), found.done.stderr)

    def test_nothing_is_touched_before_the_program_uses_cuda(self):
        program = '''
import torch
print(torch.cuda.is_initialized(), torch.cuda.allocator.ring)
kept = torch.Tensor(512)
print(torch.cuda.is_initialized(), torch.cuda.allocator.ring)
'''
        found = self.run_program(program, '--max-entries', '77')
        self.assertEqual(found.done.stdout.split(), ['False', '0', 'True', '77'])

    def test_marks_and_iterator(self):
        program = '''
import leakline_recorder, torch
kept = torch.Tensor(512)
for batch in leakline_recorder.steps(range(4)):
    pass
leakline_recorder.mark_step()
'''
        found = self.run_program(program, '--every', '5', '--start', '0', '--light', '0')
        side = found.sidecar('rank0_step000005.pickle')
        self.assertEqual((side['step'], side['stepSource']), (5, 'marks'))

    def test_arguments_and_exit_code_are_the_scripts(self):
        program = 'import sys\nprint(__name__, sys.argv[1:], sys.path[0] == __file__.rsplit("/", 1)[0])\nsys.exit(3)\n'
        found = self.run_program(program, arguments=['--every', '1', 'x'])
        self.assertEqual((found.done.returncode, found.done.stdout), (3, "__main__ ['--every', '1', 'x'] True\n"))

    def test_a_crash_leaves_its_snapshot_and_its_traceback(self):
        found = self.run_program(PROGRAM + 'train(2)\nraise KeyError("lost")', '--start', '0', '--light', '0')
        self.assertEqual((found.done.returncode, found.names), (1, ['rank0_step000002_exit.pickle']))
        self.assertIn("KeyError: 'lost'", found.done.stderr)

    def test_a_module(self):
        found = self.run_program('print(__name__, __import__("sys").argv[1:])', command=None)
        done = subprocess.run([sys.executable, '-m', 'leakline_recorder', '--out', 'out', '-m', 'script', '--lr', '1'], cwd=self.folder,
                              capture_output=True, text=True)
        self.assertEqual((found.done.returncode, done.stdout), (0, "__main__ ['--lr', '1']\n"), done.stderr)

    def test_ranks_share_a_run(self):
        with tempfile.TemporaryDirectory() as out:
            for rank in '01':
                env = {'RANK': rank, 'WORLD_SIZE': '2', 'TORCHELASTIC_RUN_ID': 'job7', 'LEAKLINE_OUT': out}
                done = self.run_program('import leakline_recorder\nleakline_recorder.start(every=2, start=0, light=0, at_exit=False)\n'
                                        + PROGRAM + 'train(2)', command=[sys.executable, 'script.py'], env=env)
                self.assertEqual(done.done.returncode, 0, done.done.stderr)
            self.assertEqual(sorted(os.listdir(os.path.join(out, 'job7'))),
                             [f'rank{rank}_step000002.{end}' for rank in '01' for end in ('leakline.json', 'pickle')])

    def test_rank_from_the_process_group(self):
        program = """
import types, torch
torch.distributed = types.SimpleNamespace(is_available=lambda: True, is_initialized=lambda: True, get_rank=lambda: 3, get_world_size=lambda: 4)
""" + PROGRAM + 'train(2)'
        found = self.run_program(program, '--every', '2', '--start', '0', '--light', '0')
        self.assertEqual(found.names, ['rank3_step000002.pickle'], found.done.stderr)
        self.assertEqual(found.sidecar(found.names[0])['worldSize'], 4)

    def test_a_wrong_option_is_said_and_the_training_goes_on(self):
        program = 'import leakline_recorder\nleakline_recorder.start(evry=3)\nprint("trained")'
        found = self.run_program(program, command=[sys.executable, 'script.py'])
        self.assertEqual((found.done.stdout, found.done.stderr), ('trained\n', 'leakline: could not start: TypeError: no such option: evry\n'))

    def test_a_wrong_environment_is_said_and_the_training_goes_on(self):
        found = self.run_program(PROGRAM + 'train(2)\nprint("trained")', env={'LEAKLINE_EVERY': 'often'})
        self.assertEqual((found.done.returncode, found.done.stdout, found.names), (0, 'trained\n', []))

    def test_no_folder_where_nothing_is_recorded(self):
        found = self.run_program('print("no tensors")')
        self.assertFalse(os.path.exists(found.folder))
        self.assertIn('CUDA was never used', found.done.stderr)

    def test_failing_snapshots_do_not_stop_the_training(self):
        program = PROGRAM + '''
def broken(*_, **__):
    raise RuntimeError('no snapshots from this allocator')
torch.cuda.memory._snapshot = broken
train(20)
print('trained')
'''
        found = self.run_program(program, '--every', '5', '--light', '0')
        self.assertEqual((found.done.returncode, found.done.stdout, found.names), (0, 'trained\n', []))
        self.assertEqual(found.done.stderr.count('no snapshots from this allocator'), 1)

    def test_a_folder_that_cannot_be_written(self):
        found = self.run_program(PROGRAM + 'train(3)\nprint("trained")', '--out', os.devnull)
        self.assertEqual((found.done.returncode, found.done.stdout), (0, 'trained\n'))
        self.assertEqual(len([line for line in found.done.stderr.splitlines() if 'leakline:' in line]), 1, found.done.stderr)

    def test_history_that_cannot_be_recorded(self):
        program = '''
import torch
def refuse(*_, **__):
    raise RuntimeError('cudaMallocAsync does not record')
torch.cuda.memory._record_memory_history = refuse
''' + PROGRAM + 'train(3)\nprint("trained")'
        found = self.run_program(program)
        self.assertEqual((found.done.stdout, found.names), ('trained\n', []))
        self.assertIn('cudaMallocAsync does not record', found.done.stderr)

    @unittest.skipUnless(hasattr(os, 'fork'), 'needs fork')
    def test_a_forked_worker_writes_nothing(self):
        program = PROGRAM + '''
import os
train(1)
child = os.fork()
if not child:
    train(30)
    sys.exit(0)
os.waitpid(child, 0)
'''
        found = self.run_program(program, '--every', '10', '--start', '0', '--light', '0')
        self.assertEqual(found.names, ['rank0_step000001_exit.pickle'])

    def test_started_twice_and_stopped_twice(self):
        program = '''
import leakline_recorder as recorder, torch
recorder.start(out='out', run='r', light=0, start=0)
recorder.start(out='elsewhere')
kept = torch.Tensor(512)
recorder.dump()
recorder.stop()
recorder.stop()
recorder.mark_step()
'''
        found = self.run_program(program, command=[sys.executable, 'script.py'])
        self.assertEqual(found.names, ['rank0_step000000_asked.pickle', 'rank0_step000000_exit.pickle'], found.done.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, 'elsewhere')))


if __name__ == '__main__':
    unittest.main()
