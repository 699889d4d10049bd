"""Whole recordings over the stand-in: what is written, when, and that the program is left alone."""
from __future__ import annotations

import glob
import json
import multiprocessing
import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest
import zipfile

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
        self.names = sorted(os.path.basename(path) for path in glob.glob(os.path.join(folder, '*', '**', '*.pickle'), recursive=True))

    def sidecar(self, name):
        with open(self._path(name)[:-len('.pickle')] + '.leakline.json', encoding='utf-8') as file:
            return json.load(file)

    def snapshot(self, name):
        with open(self._path(name), 'rb') as file:
            return pickle.load(file)

    def _path(self, name):
        return glob.glob(os.path.join(self.folder, '*', '**', name), recursive=True)[0]


class Programs(unittest.TestCase):
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


class SessionTest(Programs):
    def test_a_snapshot_at_exit_shows_what_an_evaluation_allocated(self):
        for rounds, names in ((1, ['rank0_step000004.pickle']), (40, ['rank0_step000004.pickle', 'rank0_step000004_exit.pickle'])):
            found = self.run_program(PROGRAM + f'train(4)\nkept = [torch.Tensor(4096) for _ in range({rounds})]', '--every', '4', '--start', '0', '--light', '0')
            self.assertEqual(found.names, names)

    def test_a_loop_after_the_training_has_steps_and_a_run_of_its_own(self):
        evaluates = PROGRAM + '''
class Net(torch.nn.Module):
    def forward(self):
        return torch.Tensor(512)

def predict(net, count):
    net.eval()
    kept = []
    for _ in range(count):
        kept.append(net())
    net.train()
    return kept

net = Net()
'''
        options = '--every', '8', '--start', '0', '--light', '0'
        found = self.run_program(evaluates + 'train(10)\nkept = predict(net, 20)\n', *options)
        own, after = ['rank0_step000008.pickle', 'rank0_step000010_exit.pickle'], ['rank0_after-step-10_step000015.pickle', 'rank0_after-step-10_step000016.pickle']
        self.assertEqual(found.names, sorted(own + after), found.done.stderr)
        self.assertEqual({found.sidecar(name)['run'] for name in own}, {'r'})
        side = found.sidecar(after[1])
        self.assertEqual((side['run'], side['step'], side['stepSource']), ('r-after-step-10', 16, 'loop'))
        [loop] = [one for one in side['loops'] if one['isStepLoop']]
        self.assertEqual(loop['function'], 'predict')
        self.assertEqual([one['custody']['sinceStep'] for one in side['holders']['owners'] if one['name'] == 'kept'], [15])
        # Training that goes on continues its own run, and so does what follows it.
        found = self.run_program(evaluates + 'for _ in (1, 2):\n    train(10)\n' + 'predict(net, 20)\ntrain(10)\npredict(net, 20)\n', *options)
        steps = {run: [found.sidecar(name)['step'] for name in found.names if found.sidecar(name)['run'] == run] for run in ('r', 'r-after-step-20')}
        self.assertEqual(steps, {'r': [8, 16, 20, 24, 30], 'r-after-step-20': [15, 16, 24, 32]}, found.done.stderr)
        # A validation belongs to the training, and a few rounds are no run.
        for program in ('for _ in range(3):\n    train(8)\n    predict(net, 20)\n', 'train(8)\npredict(net, 18)\n'):
            found = self.run_program(evaluates + program, *options)
            self.assertEqual({found.sidecar(name)['run'] for name in found.names}, {'r'}, found.done.stderr)

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
                         {'schema': 'leakline.recording/3', 'snapshot': 'rank0_step000006.pickle', 'kind': 'full', 'reason': 'step', 'run': 'r',
                          'rank': 0, 'worldSize': 1, 'step': 6, 'stepSource': 'optimizer'})
        self.assertEqual((side['stepTimes']['first'], len(side['stepTimes']['endedAtUs'])), (1, 6))
        self.assertEqual(sorted(side['collections']), ['beganAtUs', 'endedAtUs', 'full'])
        self.assertEqual(side['devices'][0]['capacityBytes'], 1 << 34)
        self.assertEqual(side['devices'][0]['outsideBytes'], 1 << 20)
        live = sum(block['size'] for segment in found.snapshot('rank0_step000006.pickle')['segments'] for block in segment['blocks'])
        self.assertEqual(side['memoryStats'], {'active_bytes.all.current': live, 'allocation.all.current': 8, 'allocation.all.allocated': 13, 'num_ooms': 0})
        self.assertEqual((side['versions']['torch'], side['versions']['cuda']), ('2.11.0+standin', '13.0'))
        self.assertEqual([os.path.basename(entry['path']) for entry in side['sources'] if entry['path'] == os.path.realpath(self.script)
                          or entry['path'] == self.script], ['script.py'])
        self.assertIn('history.append', side['sources'][0]['text'])
        self.assertEqual(side['ring']['overflowed'], False)
        self.assertEqual(side['cost']['bytes'], os.path.getsize(found._path('rank0_step000006.pickle')))

    def test_owner_in_the_sidecar(self):
        found = self.run_program(PROGRAM + 'train(8)', '--every', '8', '--start', '0', '--light', '0')
        owner = found.sidecar('rank0_step000008.pickle')['holders']['owners'][0]
        self.assertEqual((owner['name'], owner['line'], owner['allocatedSteps']), ('history', 9, {'first': 0, 'last': 6, 'steps': 7}))
        self.assertEqual(owner['allocatedAt'][0]['line'], 9)

    def test_light_snapshots_have_no_traces(self):
        found = self.run_program(PROGRAM + 'train(4)', '--every', '4', '--start', '0', '--light', '1', '--at-exit', '0')
        self.assertEqual(found.names, ['rank0_step000002_light.pickle', 'rank0_step000004.pickle'])
        light, full = (found.snapshot(name) for name in found.names)
        self.assertEqual([len(trace) for trace in light['device_traces']], [0])
        self.assertTrue(light['segments'] and full['device_traces'][0])
        side = found.sidecar(found.names[0])
        self.assertEqual((side['kind'], side['ring'], side['holders'], side['sources']), ('light', None, None, []))

    def test_pinned_host_memory_is_in_every_snapshot_of_releases_that_record_it(self):
        for release, has_it in (('2.13', False), ('2.14', True)):
            with self.subTest(release=release):
                found = self.run_program(PROGRAM + 'train(4)', '--every', '4', '--start', '0', '--light', '1', '--at-exit', '0',
                                         env={'STANDIN_RELEASE': release})
                light, full = (found.snapshot(name) for name in found.names)
                self.assertEqual([len(snapshot.get('host_segments', [])) for snapshot in (light, full)], [int(has_it)] * 2)
                self.assertEqual([len(snapshot.get('host_traces', [])) for snapshot in (light, full)], [0, int(has_it)])

    def test_lines_behind_generated_code_are_asked_where_there_is_such_code(self):
        compiled = "import sys, types\nsys.modules['torch.fx.traceback'] = types.SimpleNamespace(_FX_METADATA_REGISTRY={'fx_generated_.py': {}})\n"
        for release, before, asked in (('2.9', compiled, False), ('2.10', '', False), ('2.10', compiled, True)):
            with self.subTest(release=release, before=before):
                found = self.run_program(before + PROGRAM + 'train(4)', '--every', '4', '--start', '0', '--light', '0', '--at-exit', '0',
                                         env={'STANDIN_RELEASE': release})
                self.assertEqual(found.snapshot(found.names[0]).get('augmented', False), asked)

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
        found = self.run_program(program, '--every', '100', '--start', '0', '--light', '0', '--at-exit', '0')
        self.assertEqual(found.done.stdout, 'caught\n')
        self.assertEqual(found.names, ['rank0_step000003_oom.pickle'])
        side = found.sidecar(found.names[0])
        self.assertEqual(side['reason'], 'oom')
        # Memory of any age, the largest first.
        self.assertNotIn('activation', [owner['name'] for owner in side['holders']['owners']])
        self.assertTrue(side['atFailure']['complete'])
        self.assertEqual({owner['name'] for owner in side['atFailure']['owners'][:2]}, {'history', 'activation'})
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
leakline_recorder.mark_step()
signal.signal(signal.SIGUSR1, signal.SIG_DFL)
leakline_recorder.dump()
'''
        found = self.run_program(program, command=[sys.executable, 'script.py', 'out'])
        names = ['rank0_step000001_signal.pickle', 'rank0_step000002_asked.pickle']
        self.assertEqual((found.done.stdout, found.names), ('theirs\n', names), found.done.stderr)
        self.assertEqual([found.sidecar(name)['process']['signal'] for name in names], ['SIGUSR1', None])

    def test_each_snapshot_on_request_is_a_step_of_a_program_without_steps(self):
        program = '''
import torch
import leakline_recorder
kept = []
for _ in range(4):
    kept.append(torch.Tensor(512))
    leakline_recorder.dump()
leakline_recorder.mark_step()
leakline_recorder.dump()
'''
        found = self.run_program(program, '--start', '0', '--light', '0', '--at-exit', '0')
        self.assertEqual(found.names, [f'rank0_step00000{step}_asked.pickle' for step in range(1, 6)], found.done.stderr)
        sides = [found.sidecar(name) for name in found.names]
        self.assertEqual([side['stepSource'] for side in sides], 4 * ['requests'] + ['marks'])
        [owner] = sides[3]['holders']['owners']
        self.assertEqual((owner['name'], owner['allocatedSteps']), ('kept', {'first': 0, 'last': 2, 'steps': 3}))

    @unittest.skipIf(os.name == 'nt' or sys.version_info < (3, 10), 'needs signals, and Python 3.10 to raise one in the main thread')
    def test_a_program_without_steps_has_snapshots_by_the_time(self):
        program = '''
import glob, os, signal, sys, threading, time
import leakline_recorder
from leakline_recorder import collector, schedule, session
collector.PERIOD_SECONDS = session.PERIOD_SECONDS = 0.05
session.MANY_ALLOCATIONS = 5
schedule.COST_SHARE = 1
leakline_recorder.start(out=sys.argv[1], run='r', start=0, light=0, at_exit=False, limit=4)
import torch
kept, cycles = [], []
def answer():
    kept.append(torch.Tensor(512))
    cycles.append([[] for _ in range(100)])
    time.sleep(0.01)
    return time.time() > until
until = time.time() + 60
def serve():
    while len(glob.glob(os.path.join(folder, '*.pickle'))) < 4 and not answer():
        pass
folder = os.path.join(sys.argv[1], 'r')
thread = threading.Thread(target=serve)
thread.start()
while thread.is_alive():
    thread.join(0.01)
until = 0
for _ in range(50):
    answer()
'''
        found = self.run_program(program, command=[sys.executable, 'script.py', 'out'])
        self.assertEqual(found.names, [f'rank0_step00000{step}_time.pickle' for step in range(1, 5)], found.done.stderr)
        self.assertEqual({found.sidecar(name)['stepSource'] for name in found.names}, {'requests'})
        self.assertIn('a snapshot is taken every 0 s', found.done.stderr)

    def test_calls_of_the_script_are_steps_from_the_first_use_of_the_device_on(self):
        program = '''
import torch
kept = []
def handle(request):
    kept.append(torch.Tensor(512))
class Server:
    def handle(self, request):
        handle(request)
server = Server()
torch.Tensor(512)
for request in range(6):
    server.handle(request)
'''
        for function in ('handle', 'Server.handle'):
            found = self.run_program(program, '--step', f'__main__:{function}', '--every', '3', '--start', '0', '--light', '0', '--at-exit', '0')
            self.assertEqual(found.names, ['rank0_step000003.pickle', 'rank0_step000006.pickle'], found.done.stderr)

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

    def same_as_without(self, program, *start):
        """Standard output, error output and exit code of the script, run without the recorder and with it."""
        found = self.run_program(program, '--quiet', '1', command=[sys.executable, '-m', 'leakline_recorder', '--quiet', '1', *start] if start else None)
        alone = subprocess.run([sys.executable, *(start or [self.script])], capture_output=True, text=True, cwd=self.folder, timeout=120)
        def seen(done):
            return done.returncode, done.stdout, [line for line in done.stderr.splitlines() if not line.startswith('leakline: ')]
        self.assertEqual(seen(found.done), seen(alone))
        return found.done

    def test_errors_end_the_program_as_without_us(self):
        for program in ('def f():\n    raise KeyError("lost")\nf()', 'def f(:\n    pass', 'import nowhere', 'raise KeyboardInterrupt', 'import sys\nsys.exit("bye")',
                        'import sys, os\nos._exit(4)', 'import os, signal\nos.kill(os.getpid(), signal.SIGTERM)', 'import torch\nraise SystemExit(9)',
                        'import sys\nsys.excepthook = lambda kind, value, trace: print(kind, value, trace.tb_frame.f_code.co_name, trace.tb_lineno)\n1 / 0',
                        'try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    raise ValueError("so") from error'):
            with self.subTest(program):
                self.same_as_without(program)
                if 'SIGTERM' not in program:
                    self.same_as_without(program, '-m', 'script')

    def test_the_program_finds_itself_as_without_us(self):
        program = '''
import dataclasses, os, pickle, sys
print('torch' in sys.modules, sys.argv, __file__, __name__, __spec__ and __spec__.name, __package__, type(__loader__).__name__, __doc__)
print(sys.path[0], os.getcwd() in sys.path[1:])
@dataclasses.dataclass
class Settings:
    rate: float = 0.1
print(Settings.__annotations__, sys.modules['__main__'].Settings is Settings, pickle.loads(pickle.dumps(Settings())))
'''
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        with open(os.path.join(folder.name, 'elsewhere.py'), 'w') as file:
            file.write(program)
        self.same_as_without(program)
        self.same_as_without(program, '-m', 'script')
        self.same_as_without(program, os.path.join(folder.name, 'elsewhere.py'), 'argument', '--every', '3')

    def test_folders_zip_files_and_standard_input_are_run_as_without_us(self):
        program = PROGRAM + '''
import beside
print(beside.X, __name__, sys.argv, sys.path[0], repr(__package__), __spec__ and __spec__.name, sorted(vars(sys.modules['__main__'])))
train(2)
sys.exit(sys.stdin.read() or 5)
'''
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, 'application'))
            for name in ('application/__main__.py', 'application/beside.py', 'beside.py'):
                with open(os.path.join(folder, name), 'w') as file:
                    file.write(program if name.endswith('__main__.py') else 'X = 5')
            with zipfile.ZipFile(os.path.join(folder, 'application.zip'), 'w') as packed:
                for name in ('__main__.py', 'beside.py'):
                    packed.write(os.path.join(folder, 'application', name), name)
            os.mkdir(os.path.join(folder, 'empty'))
            for path, given in (('application', 'read by the program'), ('application.zip', ''), ('-', program), ('empty', '')):
                with self.subTest(path):
                    shutil.rmtree(os.path.join(folder, 'out'), ignore_errors=True)
                    alone, recorded = (subprocess.run([sys.executable, *ours, path, 'x'], input=given, capture_output=True, text=True, cwd=folder, timeout=120)
                                       for ours in ([], ['-m', 'leakline_recorder', '--out', 'out', '--quiet', '1', '--light', '0', '--start', '2']))
                    lines = [line for line in recorded.stderr.splitlines(True) if not line.startswith('leakline: nothing was recorded')]
                    self.assertEqual((recorded.returncode, recorded.stdout, ''.join(lines)), (alone.returncode, alone.stdout, alone.stderr))
                    self.assertEqual(len(glob.glob(os.path.join(folder, 'out', '*', '*.pickle'))), 0 if path == 'empty' else 2)

    def test_recordings_lie_where_the_recorder_was_started(self):
        found = self.run_program('import os\nos.mkdir("other")\nos.chdir("other")\n' + PROGRAM + 'train(1)\nprint(os.listdir("."))',
                                 command=[sys.executable, '-m', 'leakline_recorder', '--out', 'out', '--light', '0', 'script.py'])
        self.assertEqual((found.done.stdout, found.names), ('[]\n', ['rank0_step000001.pickle']), found.done.stderr)

    def test_a_program_that_empties_its_output(self):
        program = PROGRAM + 'import os, shutil\ntrain(2)\nshutil.rmtree(os.path.join(os.path.dirname(__file__), "out"))\ntrain(2)'
        found = self.run_program(program, '--start', '4', '--light', '0')
        self.assertEqual(found.names, ['rank0_step000003.pickle', 'rank0_step000004.pickle'], found.done.stderr)
        self.assertNotIn('could not', found.done.stderr)

    def test_what_an_error_kept_alive_goes_when_it_did_without_us(self):
        self.same_as_without('''
import sys
class Kept:
    def __del__(self):
        print('gone', sys is not None, print is not None)
def train():
    kept = Kept()
    raise KeyboardInterrupt
train()
''')

    def test_torch_is_imported_by_the_script_even_if_it_looks_for_it_before(self):
        program = '''
import importlib.util, sys
found = [importlib.util.find_spec('torch') for _ in range(2)]
print([spec is not None for spec in found], 'torch' in sys.modules, importlib.util.find_spec('torch_that_is_nowhere'))
import torch
print(torch.__spec__.name, [finder._name for finder in sys.meta_path if 'leakline' in type(finder).__module__])
''' + PROGRAM + 'train(2)'
        found = self.run_program(program, '--start', '2', '--light', '0')
        self.assertEqual((found.done.stdout, len(found.names)), ("[True, True] False None\ntorch ['multiprocessing.spawn']\n", 2), found.done.stderr)

    def test_globals_of_a_module_that_was_run_are_there_at_the_end(self):
        self.run_program(PROGRAM + 'train(5)', command=[sys.executable, '-m', 'leakline_recorder', '--out', 'out', '--run', 'r', '--start', '0', '--light', '0', '-m', 'script'])
        found = Recording(os.path.join(self.folder, 'out'), None)
        self.assertEqual(found.sidecar('rank0_step000005_exit.pickle')['holders']['owners'][0]['name'], 'history')

    def test_a_script_that_is_not_there(self):
        done = self.run_program('', command=[sys.executable, '-m', 'leakline_recorder', '--', 'nothere.py']).done
        self.assertEqual((done.returncode, done.stderr.splitlines()[0]), (2, "leakline: can't open 'nothere.py': No such file or directory"))

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
            self.assertEqual(sorted(os.path.join(*path.split(os.sep)[-2:]) for path in glob.glob(os.path.join(out, 'job7', '*', '*'))),
                             [f'rank{rank}/rank{rank}_step000002.{end}' for rank in '01' for end in ('leakline.json', 'pickle')])

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
        for program, said in (('import torch', 'nothing was recorded: this process never used CUDA'), ('import sys', 'nothing was recorded: the program never imported torch')):
            found = self.run_program(program + '\nprint("no tensors")')
            self.assertFalse(os.path.exists(found.folder))
            self.assertIn(f'leakline: {said}', found.done.stderr)

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

    @unittest.skipUnless(hasattr(os, 'fork'), 'needs fork')
    def test_a_fork_that_is_the_first_to_use_the_device_is_a_run_of_its_own(self):
        program = PROGRAM + '''
import multiprocessing
context = multiprocessing.get_context('fork')
children = [context.Process(target=train, args=(3,)) for _ in range(2)]
for child in children:
    child.start()
for child in children:
    child.join()
'''
        found = self.run_program(program, '--every', '10', '--start', '2', '--light', '0')
        names = ['rank0_step000001.pickle', 'rank0_step000002.pickle', 'rank0_step000003_exit.pickle']
        self.assertEqual(found.names, sorted(2 * names), found.done.stderr)
        runs = sorted(name for name in os.listdir(found.folder) if name != '.gitignore')
        self.assertEqual([run[:2] for run in runs], ['r-', 'r-'])
        for run in runs:
            with open(os.path.join(found.folder, run, 'rank0_step000002.leakline.json'), encoding='utf-8') as file:
                side = json.load(file)
            self.assertEqual((side['run'], f"r-{side['process']['pid']}"), (run, run))

    def test_forks_of_one_group_are_ranks_of_one_run(self):
        program = PROGRAM + '''
import multiprocessing, os, types
def rank(number):
    torch.distributed = types.SimpleNamespace(is_available=lambda: True, is_initialized=lambda: True, get_rank=lambda: number, get_world_size=lambda: 2)
    train(1)
def late(number):
    os.environ.update(RANK=str(number), WORLD_SIZE='4')
    train(1)
for target, number in ((rank, 0), (rank, 1), (late, 2), (late, 3)):
    child = multiprocessing.get_context('fork').Process(target=target, args=(number,))
    child.start()
    child.join()
'''
        found = self.run_program(program, '--start', '1', '--light', '0', '--at-exit', '0')
        self.assertEqual(found.names, [f'rank{rank}_step000001.pickle' for rank in range(4)], found.done.stderr)
        self.assertEqual(found.sidecar('rank3_step000001.pickle')['worldSize'], 4)

    SPAWNING = PROGRAM + '''
import multiprocessing, types
def rank(number):
    torch.distributed = types.SimpleNamespace(is_available=lambda: True, is_initialized=lambda: True, get_rank=lambda: number, get_world_size=lambda: 2)
    train(1)
def idle(answers):
    answers.put([len(torch.cuda._queued_calls), 'leakline_recorder.api' in sys.modules, sys.path[0] == __file__.rsplit("/", 1)[0]])
def run(method, *works):
    children = [multiprocessing.get_context(method).Process(target=work, args=arguments) for work, *arguments in works]
    for child in children:
        child.start()
    for child in children:
        child.join()
    print([child.exitcode for child in children])
'''

    def test_spawned_processes_record_themselves_and_helpers_pay_nothing(self):
        program = self.SPAWNING + '''
if __name__ == '__main__':
    for method in multiprocessing.get_all_start_methods():
        if method != 'fork':
            answers = multiprocessing.get_context(method).Queue()
            run(method, (train, 3), (train, 3), (idle, answers))
            print(answers.get(timeout=60))
'''
        package = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'recorder', 'leakline_recorder')
        standin = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'standin')
        for command, env in ((None, None), ([sys.executable, package, '--out', 'out', '--run', 'r', '--light', '0', 'script.py'], {'PYTHONPATH': standin})):
            found = self.run_program(program, '--light', '0', command=command, env=env)
            methods = len(set(multiprocessing.get_all_start_methods()) - {'fork'})
            self.assertEqual(found.done.stdout, methods * '[0, 0, 0]\n[1, False, True]\n', found.done.stderr)
            names = ['rank0_step000001.pickle', 'rank0_step000002.pickle', 'rank0_step000003_exit.pickle']
            self.assertEqual(found.names, sorted(2 * methods * names), found.done.stderr)
            runs = [name for name in os.listdir(found.folder) if name != '.gitignore']
            self.assertEqual({run.rsplit('-', 1)[0] for run in runs}, {'r-spawned'})

    def test_spawned_ranks_are_one_run_beside_that_of_their_parent(self):
        program = self.SPAWNING + '''
import os
if __name__ == '__main__':
    os.chdir('/')
    train(1)
    run('spawn', (rank, 0), (rank, 1))
'''
        found = self.run_program(program, '--start', '1', '--light', '0', '--at-exit', '0')
        ranks = ['rank0_step000001.pickle', 'rank1_step000001.pickle']
        self.assertEqual([sorted(os.path.basename(path) for path in glob.glob(os.path.join(found.folder, run, '**', '*.pickle'), recursive=True)) for run in ('r', 'r-spawned')],
                         [ranks[:1], ranks], found.done.stderr)

    def test_helpers_of_a_rank_are_not_that_rank(self):
        program = self.SPAWNING + 'if __name__ == "__main__":\n    train(1)\n    run("spawn", (train, 1), (train, 1))'
        found = self.run_program(program, '--start', '1', '--light', '0', '--at-exit', '0', env={'RANK': '1', 'WORLD_SIZE': '2'})
        self.assertEqual(found.names, 3 * ['rank1_step000001.pickle'], found.done.stderr)
        self.assertEqual({run.rsplit('-', 1)[0] for run in os.listdir(found.folder) if run.startswith('r-')}, {'r-rank1-spawned'})

    def test_spawned_after_start_with_its_options(self):
        program = self.SPAWNING + '''
import leakline_recorder
if __name__ == '__main__':
    leakline_recorder.start(out='out', run='mine', start=1, light=0, at_exit=False)
    run('spawn', (rank, 0))
'''
        found = self.run_program(program, command=[sys.executable, 'script.py'])
        self.assertEqual(found.names, ['rank0_step000001.pickle'], found.done.stderr)
        self.assertTrue(os.path.isdir(os.path.join(self.folder, 'out', 'mine-spawned')))

    def test_a_spawned_process_that_starts_its_own_recording(self):
        program = self.SPAWNING + '''
import leakline_recorder
leakline_recorder.start(out='out', run='its-own', start=1, light=0, at_exit=False)
if __name__ == '__main__':
    run('spawn', (rank, 1))
'''
        found = self.run_program(program, command=[sys.executable, 'script.py'])
        self.assertEqual(os.listdir(os.path.join(self.folder, 'out', 'its-own', 'rank1')).count('rank1_step000001.pickle'), 1, found.done.stderr)
        self.assertEqual(len(found.names), 1)

    def test_a_spawned_process_that_cannot_find_the_recorder_runs_as_without_it(self):
        program = self.SPAWNING + '''
if __name__ == '__main__':
    import leakline_recorder.spawned, os
    leakline_recorder.spawned.FOLDER = '/nowhere'
    sys.path[:] = [entry for entry in sys.path if not os.path.exists(os.path.join(entry, 'leakline_recorder'))]
    run('spawn', (train, 1))
'''
        package = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'recorder', 'leakline_recorder')
        standin = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'standin')
        found = self.run_program(program, command=[sys.executable, package, '--out', 'out', '--quiet', '1', 'script.py'], env={'PYTHONPATH': standin})
        self.assertEqual((found.done.stdout, found.done.stderr, found.names), ('[0]\n', '', []))

    def test_started_after_the_device(self):
        program = PROGRAM + 'import leakline_recorder\nfirst = torch.Tensor(512)\nleakline_recorder.start(out="out", run="r", light=0)\ntrain(1)'
        found = self.run_program(program, command=[sys.executable, 'script.py'])
        self.assertEqual(found.names, ['rank0_step000001.pickle'], found.done.stderr)

    def test_an_allocator_without_history_is_said_in_one_line(self):
        found = self.run_program('import torch\ntorch.cuda.allocator.backend = "cudaMallocAsync"\n' + PROGRAM + 'train(30)\nprint("trained")')
        self.assertEqual((found.done.stdout, found.names), ('trained\n', []))
        self.assertEqual(found.done.stderr, 'leakline: could not begin to record: RuntimeError: cudaMallocAsync does not yet support recordHistory. '
                                            'If you need it, please file an issue describing your use case.\n')

    def test_every_release_has_its_shape(self):
        for release, light in (('2.1', 0), ('2.3', 0), ('2.4', 0), ('2.7', 0), ('2.8', 0), ('2.10', 0), ('2.11', 1), ('2.14', 1)):
            with self.subTest(release):
                found = self.run_program(PROGRAM + 'train(4)', '--every', '2', '--start', '0', '--light', '1', env={'STANDIN_RELEASE': release})
                self.assertEqual(found.names, light * ['rank0_step000001_light.pickle'] + ['rank0_step000002.pickle'] + light * ['rank0_step000003_light.pickle']
                                 + ['rank0_step000004.pickle'], found.done.stderr)
                side = found.sidecar('rank0_step000004.pickle')
                self.assertEqual((side['versions']['torch'], side['holders']['owners'][0]['name']), (f'{release}.0+standin', 'history'))
                self.assertEqual([line for line in found.done.stderr.splitlines() if not re.search(' step |recording GPU memory|the recording is complete', line)], [])

    def test_a_snapshot_inside_a_pool_shows_all_memory(self):
        program = PROGRAM + 'train(1)\ninside = torch._C.MemPoolContext("pool")\ntrain(1)\nprint(torch._C.MemPoolContext.active)\ndel inside\ntrain(1)'
        for release in ('2.1', '2.5', '2.6', '2.7', '2.8'):
            found = self.run_program(program, '--start', '3', '--light', '0', '--at-exit', '0', env={'STANDIN_RELEASE': release})
            self.assertEqual(found.done.stdout, 'pool\n', found.done.stderr)
            self.assertEqual([len(found.snapshot(name)['segments']) for name in found.names], [3, 4, 5], release)

    def test_scopes_of_every_thread_where_another_is_the_first_to_use_the_device(self):
        program = PROGRAM + '''
import threading
if len(sys.argv) > 1:
    first = threading.Thread(target=torch.Tensor, args=(512,), name='first')
    first.start()
    first.join()
train(1)
print(torch.cuda.allocator.annotated)
'''
        for release, arguments, annotated in (('2.11', [], 'MainThread'), ('2.11', ['x'], 'every thread'), ('2.7', ['x'], 'first')):
            found = self.run_program(program, arguments=arguments, env={'STANDIN_RELEASE': release})
            self.assertEqual(found.done.stdout, annotated + '\n', found.done.stderr)

    def test_a_program_that_records_and_stops(self):
        program = PROGRAM + '''
train(1)
torch.cuda.memory._record_memory_history(max_entries=1000)
train(1)
torch.cuda.memory._record_memory_history(enabled=None)
train(2)
'''
        for release in ('2.1', '2.11'):
            found = self.run_program(program, '--start', '4', '--light', '0', '--at-exit', '0', env={'STANDIN_RELEASE': release})
            self.assertTrue(all(found.snapshot(name)['device_traces'][0] for name in (found.names[0], found.names[1], found.names[3])))
            self.assertEqual(found.done.stderr.count('the program turned memory history off: it is on again'), 1)

    def test_the_ring_of_a_program_that_records(self):
        program = PROGRAM + 'first = torch.Tensor(512)\ntorch.cuda.memory._record_memory_history(max_entries=30)\ntrain(40)'
        found = self.run_program(program, '--every', '10', '--start', '0', '--light', '0', '--at-exit', '0')
        self.assertEqual([found.sidecar(name)['ring']['overflowed'] for name in found.names], [False, True, True, True])
        self.assertEqual(found.done.stderr.count('the ring of 30 events is full'), 1)

    def test_while_a_graph_is_captured_the_device_is_not_asked(self):
        program = PROGRAM + 'train(1)\ntorch.cuda.capturing = True\ntrain(1)\ntorch.cuda.capturing = False\ntrain(1)'
        found = self.run_program(program, '--start', '3', '--light', '0')
        self.assertEqual([len(found.sidecar(name)['devices']) for name in found.names], [1, 0, 1], found.done.stderr)
        self.assertNotIn('left out', found.done.stderr)

    def test_a_question_that_fails_does_not_cost_the_snapshot(self):
        program = PROGRAM + '''
def broken(*_):
    raise RuntimeError('CUDA error: device-side assert triggered\\nmany more lines')
torch.cuda.current_device = torch.cuda.memory_stats = broken
train(2)
'''
        found = self.run_program(program, '--start', '2', '--light', '0')
        side = found.sidecar('rank0_step000002.pickle')
        self.assertEqual((side['devices'], side['memoryStats'], len(found.names)), ([], {}, 2))
        self.assertEqual(found.done.stderr.count('leakline: left out of a sidecar: RuntimeError: CUDA error: device-side assert triggered\n'), 1)
        self.assertNotIn('many more lines', found.done.stderr)

    def test_a_program_that_runs_out_repeatedly_writes_few(self):
        program = PROGRAM + '''
torch.cuda.allocator.capacity = 32 << 20
def attempt():
    try:
        torch.Tensor(1 << 30)
    except torch.OutOfMemoryError:
        pass
for _ in range(20):
    attempt()
    train(1)
'''
        found = self.run_program(program, '--start', '0', '--every', '1000', '--light', '0', '--at-exit', '0', '--holders', '0')
        self.assertEqual([int(name[10:16]) for name in found.names], [0, 1, 2, 3, 7, 15], found.done.stderr)

    def test_threads_that_train_write_one_at_a_time(self):
        program = PROGRAM + '''
import threading
threads = [threading.Thread(target=train, args=(20,)) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
'''
        found = self.run_program(program, '--start', '100', '--light', '0')
        self.assertNotIn('could not', found.done.stderr)
        for name in found.names:
            self.assertEqual(found.sidecar(name)['cost']['bytes'], os.path.getsize(found._path(name)))

    def test_steps_of_other_threads_during_a_snapshot_are_in_the_last_one(self):
        program = PROGRAM + '''
import threading
snapshot = torch.cuda.memory._snapshot
def slow():
    torch.cuda.memory._snapshot = snapshot
    found = snapshot()
    other = threading.Thread(target=train, args=(3,))
    other.start()
    other.join()
    return found
torch.cuda.memory._snapshot = slow
train(1)
'''
        found = self.run_program(program, '--start', '1', '--light', '0')
        self.assertEqual(found.names, ['rank0_step000001.pickle', 'rank0_step000003_exit.pickle'], found.done.stderr)

    def test_a_program_without_an_optimizer_learns_of_marks(self):
        found = self.run_program('import torch\nkept = torch.Tensor(512)', '--light', '0')
        self.assertEqual(found.names, ['rank0_step000000_exit.pickle'])
        self.assertIn('call leakline_recorder.mark_step() after each step', found.done.stderr)

    def test_training_whose_optimizer_does_not_step_learns_of_marks_while_it_runs(self):
        program = PROGRAM + '''
import gc, leakline_recorder, leakline_recorder.collector
leakline_recorder.collector.PERIOD_SECONDS = 0
gc.disable()
def work(count):
    for _ in range(count):
        torch.Tensor(512)
    gc.collect()
    print(count, file=sys.stderr)
work(10)
train(int(sys.argv[1]))
work(3000)
work(3000)
'''
        said = ('leakline: no steps were found, so {}: call leakline_recorder.mark_step() after each step, or name the function '
                'that answers a request: --step MODULE:FUNCTION')
        by_time = said.format('a snapshot is taken every 20 s, and later less often. For growth per step')
        never = said.format('growth has no verdict')
        timed = by_time if sys.version_info >= (3, 10) and os.name != 'nt' else never
        for signal, steps, advice in (('SIGUSR1', '0', [timed]), ('', '0', [never]), ('SIGUSR1', '1', [])):
            found = self.run_program(program, '--light', '0', '--start', '0', '--at-exit', '0', '--signal', signal, arguments=[steps])
            lines = [line for line in found.done.stderr.splitlines() if line in (by_time, never) or line.isdigit()]
            self.assertEqual(lines, ['10', *advice, '3000', '3000'], found.done.stderr)
            self.assertEqual('rank0_step000001_time.pickle' in found.names, advice == [by_time], found.names)

    def test_slurm_keeps_its_signal(self):
        program = PROGRAM + 'import signal\nprint(signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL)'
        for job, arguments, left in (('7', (), 'True'), ('', (), 'False'), ('7', ('--signal', 'SIGUSR1'), 'False')):
            found = self.run_program(program, *arguments, env={'SLURM_JOB_ID': job})
            self.assertEqual(found.done.stdout, f'{left}\n')

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
        self.assertEqual(found.names, ['rank0_step000001_asked.pickle', 'rank0_step000001_exit.pickle'], found.done.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, 'elsewhere')))


if __name__ == '__main__':
    unittest.main()
