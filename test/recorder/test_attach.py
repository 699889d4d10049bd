"""Processes that run record themselves, stop again, and show what they hold."""
from __future__ import annotations

import gc
import glob
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
import weakref

import torch

import leakline
from leakline import attach
from test_api import HAS_NODE, RECORDER, InFolder
from test_injection import REASON

HAS_IPYTHON = importlib.util.find_spec('IPython') is not None
#: A training run that waits at each tenth step for its next permission, so that a slow machine loses no time.
TRAINING = '''
import hashlib
import os
import random
import sys
import time
import torch
from torch import nn

torch.set_default_device(os.environ.get('ON', 'cpu'))
torch.manual_seed(0)
random.seed(0)
model = nn.Linear(64, 64)
optimizer = torch.optim.AdamW(model.parameters())
kept = []
seen = hashlib.sha256()


def train(steps):
    for step in range(steps):
        if os.path.exists('end'):
            return
        loss = model(torch.randn(32, 64)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        kept.append(loss * 1)
        seen.update(repr((loss.item(), random.random())).encode())
        time.sleep(0.002)


print('ready', flush=True)
train(int(sys.argv[1]))
'''
#: What a recorder could leave behind
STATE = '''
import gc, signal, sys, threading, warnings
import torch


def state():
    return {
        'path': list(sys.path), 'finders': len(sys.meta_path), 'threads': [one.name for one in threading.enumerate()], 'callbacks': len(gc.callbacks),
        'hook': str(sys.unraisablehook), 'collector': gc.isenabled(), 'filters': len(warnings.filters),
        'signals': [str(signal.getsignal(number)) for number in signal.valid_signals()],
        'optimizer': [len(sys.modules['torch.optim.optimizer']._global_optimizer_post_hooks)],
        'modules': [len(torch.nn.modules.module._global_forward_pre_hooks), len(torch.nn.modules.module._global_forward_hooks)],
        'init': torch.optim.Optimizer.__init__.__qualname__, 'cpu': 'cpu' in vars(torch.Tensor), 'modes': torch._C._len_torch_dispatch_stack(),
        'monitoring': [sys.monitoring.get_tool(tool) for tool in range(6)] if hasattr(sys, 'monitoring') else [],
        'main': sorted(vars(sys.modules['__main__'])),
    }
'''


class Running(InFolder):
    def start(self, text, *arguments, **env):
        """A process that has printed a first line."""
        self.write('train.py', text)
        self.environment = {**os.environ, 'PYTHONPATH': self.folder, **env}
        running = subprocess.Popen([sys.executable, 'train.py', *arguments], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(running.communicate)
        self.addCleanup(running.kill)
        self.assertEqual(running.stdout.readline(), 'ready\n', running.poll() is not None and running.stderr.read())
        return running

    def leakline(self, *arguments, code=0, **env):
        done = self.run_python('-m', 'leakline', *map(str, arguments), **env)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return (done.stdout if code == 0 else done.stderr).strip()

    def attach(self, running, *more):
        return self.leakline('attach', running.pid, '--device', 'cpu', '--out', self.out, *more)

    def end(self, running):
        self.write('end', '')
        out, errors = running.communicate(timeout=120)
        return out, errors

    def wait_for(self, met, seconds=120):
        last = time.monotonic() + seconds
        while not met():
            self.assertLess(time.monotonic(), last)
            time.sleep(0.05)


@unittest.skipIf(REASON, REASON)
class AttachTest(Running):
    @unittest.skipUnless(HAS_NODE, 'no Node.js, or no built command line')
    def test_finds_the_leak_of_a_running_program(self):
        running = self.start(TRAINING, '1000000')
        self.assertRegex(self.attach(running, '--every', '5'), rf'^Process {running.pid} records into {self.out}/\S+-{running.pid}\. To stop: leakline detach')
        self.assertIn(f'process {running.pid} already records', self.leakline('attach', running.pid, '--device', 'cpu', code=2))
        self.wait_for(lambda: any('step000030' in path for path in self.pickles()))
        self.assertIn('no longer records', self.leakline('detach', running.pid))
        [leak] = leakline.analyze(self.out, root=self.folder).leaks
        self.assertEqual((leak.file, leak.line, leak.holder, leak.bytes_per_step), ('train.py', 27, 'kept', 512))
        recorded = self.pickles()
        self.assertEqual(self.end(running), ('', ''))
        self.assertEqual((running.returncode, self.pickles()), (0, recorded))

    @unittest.skipUnless(torch.cuda.is_available(), 'this machine has no GPU')
    def test_finds_the_leak_on_a_gpu(self):
        running = self.start(TRAINING, '1000000', ON='cuda')
        self.leakline('attach', running.pid, '--every', '5', '--out', self.out)
        self.wait_for(lambda: any('step000030' in path for path in self.pickles()))
        held = json.loads(self.leakline('holders', running.pid, '--seconds', '60', '--json'))
        self.assertIn('kept', [row['name'] for row in held['holders']], held)
        self.assertIn('no longer records', self.leakline('detach', running.pid))
        if HAS_NODE:
            [leak] = leakline.analyze(self.out, root=self.folder).leaks
            self.assertEqual((leak.file, leak.line, leak.holder, leak.bytes_per_step), ('train.py', 27, 'kept', 512))
        self.assertEqual((self.end(running), running.returncode), (('', ''), 0))

    def test_writes_a_snapshot_when_asked(self):
        running = self.start(TRAINING, '1000000')
        self.assertRegex(self.leakline('attach', code=2), rf'^leakline: attach needs the number of a process\. These have loaded PyTorch:\n(.*\n)* +{running.pid}  \S*python\S* train\.py 1000000')
        [process] = [one for one in attach.processes() if one.pid == running.pid]
        self.assertEqual((os.path.realpath(process.python), process.uses_gpu), (os.path.realpath(sys.executable), False))
        self.attach(running, '--every', '1000000', '--start', '0')
        for count in (1, 2):
            self.assertRegex(self.leakline('dump', running.pid), rf'^Process {running.pid} wrote a snapshot into {self.out}/')
            asked = [path for path in self.pickles() if path.endswith('_asked.pickle')]
            self.assertEqual(len(asked), count)
        with open(asked[0][:-len('.pickle')] + '.leakline.json', encoding='utf-8') as file:
            told = json.load(file)['process']
        self.assertEqual((told['pid'], told['signal']), (running.pid, None))
        self.leakline('detach', running.pid)
        self.assertIn('does not record', self.leakline('dump', running.pid, code=2))

    def test_a_detached_process_is_as_before(self):
        text = STATE + TRAINING + '''
before = after = None
train(2)
before = state()
print('ready', flush=True)
while not os.path.exists('after'):
    train(1)
after = state()
print([(name, before[name], after[name]) for name in before if before[name] != after[name]])
gc.collect()
print([type(one).__name__ for one in gc.get_objects() if type(one).__name__ in ('CpuMemory', 'Session', 'CachingAllocator')])
'''
        running = self.start(text, '0')
        running.stdout.readline()
        for _ in range(2):
            self.attach(running)
            self.leakline('detach', running.pid)
        self.write('after', '')
        out, errors = self.end(running)
        self.assertEqual((out, errors, running.returncode), ('[]\n[]\n', '', 0))

    def test_recordings_change_no_number_and_no_exit_code(self):
        text = TRAINING + '''
print(seen.hexdigest(), random.random(), torch.rand(1).item())
sys.exit(3)
'''
        times, steps = int(os.environ.get('LEAKLINE_ATTACHES', '2')), os.environ.get('LEAKLINE_STEPS', '2500')
        alone = self.start(text, steps)
        running = self.start(text, steps)
        recorded = 0
        while recorded < times:
            self.attach(running, '--holders', '0')
            self.leakline('detach', running.pid)
            recorded += 1
        self.assertIsNone(running.poll(), 'the training ended before the last recording: raise LEAKLINE_STEPS')
        self.assertEqual(running.communicate(timeout=300), alone.communicate(timeout=300))
        self.assertEqual((running.returncode, alone.returncode), (3, 3))

    def test_counts_calls_of_a_function_that_is_restored(self):
        text = '''
            import os, time, torch
            class Server:
                def handle(self):
                    return torch.zeros(1000)
            server, plain, kept = Server(), Server.handle, []
            print('ready', flush=True)
            while not os.path.exists('end'):
                kept.append(server.handle())
                time.sleep(0.002)
            print(Server.handle is plain)
        '''
        running = self.start(text)
        self.attach(running, '--step', '__main__:Server.handle')
        self.wait_for(lambda: any('step000010' in path for path in self.pickles()))
        self.leakline('detach', running.pid)
        self.assertEqual(self.end(running), ('True\n', ''))
        with open(self.pickles()[-1][:-len('.pickle')] + '.leakline.json', encoding='utf-8') as file:
            self.assertEqual(json.load(file)['stepSource'], 'marks')


    @unittest.skipUnless(HAS_NODE, 'no Node.js, or no built command line')
    def test_judges_a_server_by_its_requests(self):
        text = '''
            import collections, os, time, torch
            class Server:
                def __init__(self):
                    self.kept, self.recent = [], collections.deque(maxlen=8)
                @torch.inference_mode()
                def handle(self):
                    for part in range(3):
                        time.sleep(0.002)
                        self.recent.append(torch.zeros(1000))
                    self.kept.append(torch.zeros(1000))
            def main():
                server = Server()
                while not os.path.exists('end'):
                    server.handle()
                    time.sleep(0.004)
            print('ready', flush=True)
            main()
        '''
        running = self.start(text)
        self.attach(running, '--step', '__main__:Server.handle', '--every', '5')
        self.wait_for(lambda: any('step000040' in path for path in self.pickles()))
        self.leakline('detach', running.pid)
        self.assertEqual(self.end(running), ('', ''))
        [leak] = leakline.analyze(self.out, root=self.folder).leaks
        self.assertEqual((leak.holder, leak.bytes_per_step), ('Server.kept', 4096))


@unittest.skipIf(REASON, REASON)
class HoldersTest(Running):
    def test_lists_the_holders_of_another_process(self):
        running = self.start(TRAINING.replace("print('ready'", "big = torch.zeros(1000000)\nprint('ready'"), '1000000')
        text = self.leakline('holders', running.pid, '--device', 'cpu', '--seconds', '60')
        self.assertRegex(text.splitlines()[0], r'of CPU memory is live\.$')
        self.assertRegex(text.splitlines()[1], r'3\.8 MiB  big +\S+train\.py:32$')
        found = json.loads(self.leakline('holders', running.pid, '--device', 'cpu', '--seconds', '60', '--json'))
        self.assertEqual(found['schema'], 'leakline.holders/1')
        rows = {(row['name'], row['kind']): row for row in found['holders']}
        self.assertEqual(rows['model', 'parameter']['bytes'], rows['model', 'gradient']['bytes'])
        self.assertEqual([rows[key]['line'] for key in (('model', 'parameter'), ('optimizer', 'optimizer'), ('kept', 'global'))], [13, 14, 27])
        sizes = [row['bytes'] for row in found['holders']]
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertEqual(sum(sizes) + found['omittedBytes'] + found['unheldBytes'], found['bytes'])
        self.assertEqual(self.end(running), ('', ''))


class NotebookTest(InFolder):
    def test_lists_variables_results_and_tracebacks(self):
        self.write('session.py', '''
            import sys
            import torch
            import leakline

            def fail():
                lost = torch.zeros(2000000)
                raise ValueError

            try:
                fail()
            except ValueError as error:
                sys.last_value = error
            Out = {3: torch.zeros(500000)}
            _3 = Out[3]
            grid = torch.zeros(1000000)
            for _ in range(2):
                found = leakline.holders()
            print([(row.name, row.kind, row.bytes, row.line) for row in found.rows])
            print(found)

            class Shell:
                def register_magic_function(self, function, magic_name):
                    print(magic_name, function('holders cpu') == found)
                    function('unknown')
            leakline.load_ipython_extension(Shell())
            leakline.drop('Out[3]', 'tracebacks', 'grid')
            found = error = None
            print(leakline.holders(), Out, 'grid' in globals())
            try:
                leakline.drop('grid')
            except NameError as error:
                print(error)
        ''')
        done = self.run_python('session.py')
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "[('lost', 'traceback', 8000000, 7), ('grid', 'global', 4000000, 16), ('Out[3]', 'global', 2000000, 15)]", done.stderr)
        self.assertEqual(lines[1], '13.4 MiB of CPU memory is live.')
        self.assertRegex(lines[3], r' 3\.8 MiB  grid +\S+session\.py:16$')
        self.assertEqual(lines[-4:], ['leakline True', "leakline: %leakline expects 'holders [cuda | cpu]' or 'drop NAME…', got 'unknown'",
                                      '0 B of CPU memory is live. {} False',
                                      "'grid' is no variable of this notebook. drop expects variables, 'Out[n]', or 'tracebacks'."])

    @unittest.skipUnless(HAS_IPYTHON, 'this Python has no IPython')
    def test_lists_and_drops_what_ipython_keeps(self):
        cells = '''
%load_ext leakline
import torch
grid = torch.zeros(1000000)
torch.zeros(500000)
def fail(): lost = torch.zeros(2000000); raise ValueError
fail()
%leakline holders cpu
%leakline drop Out[4] tracebacks
%leakline holders cpu
grid
%leakline drop Out[10] nothing
%leakline drop Out[10]
grid.sum()
%leakline drop Out[13] grid
%leakline holders cpu
'''
        done = subprocess.run([sys.executable, '-m', 'IPython', '--no-banner', '--colors=NoColor', '--simple-prompt'], input=cells.lstrip(), text=True,
                              capture_output=True, cwd=self.folder, env={**os.environ, 'PYTHONPATH': RECORDER, 'IPYTHONDIR': self.folder})
        rows = re.findall(r'^ +([\d.]+ \w+)  (\S+(?: \(.*?\))?)(?:  |$)', done.stdout, re.MULTILINE)
        self.assertEqual(rows, [('7.6 MiB', 'lost (in a traceback)'), ('3.8 MiB', 'grid'), ('1.9 MiB', 'Out[4]'), ('3.8 MiB', 'grid')], done.stdout)
        self.assertRegex(done.stdout, r' grid +In\[3\], line 1\n +1\.9 MiB  Out\[4\]\n')
        self.assertIn("'nothing' is no variable of this notebook.", done.stdout)
        self.assertIn('Out[13]: tensor(0.)', done.stdout)
        self.assertIn('0 B of CPU memory is live.', done.stdout)

    @unittest.skipUnless(HAS_IPYTHON, 'this Python has no IPython')
    def test_takes_a_cell_for_the_whole_program_and_reads_the_others(self):
        self.write('notebook.py', '''
            import textwrap
            from IPython.core.interactiveshell import InteractiveShell

            shell = InteractiveShell.instance()
            for cell in """
            import torch, leakline_recorder
            leakline_recorder.start(out='out', device='cpu', every=5, light=0, at_exit=0, holders_seconds=60)
            net = torch.nn.Linear(64, 64)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            ---
            class Log:
                def __init__(self):
                    self.rows = []
            ---
            kept, recent, log = [], [], Log()
            ---
            def forget():
                recent.clear()
            ---
            for step in range(20):
                loss = net(torch.randn(64, 64)).square().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                kept.append(torch.zeros(50000))
                recent.append(torch.zeros(40000))
                log.rows.append(torch.zeros(30000))
                if step == 30:
                    forget()
            """.split('---'):
                assert shell.run_cell(textwrap.dedent(cell).lstrip('\\n')).success
        ''')
        done = self.run_python('notebook.py')
        paths = glob.glob(os.path.join(self.folder, 'out', '**', '*step000020.leakline.json'), recursive=True)
        self.assertEqual(len(paths), 1, done.stderr)
        with open(paths[0], encoding='utf-8') as file:
            told = json.load(file)
        self.assertEqual([(loop['function'], loop['line'], loop['isStepLoop']) for loop in told['loops']], [('<module>', 1, True)])
        owners = {owner['name']: owner for owner in told['holders']['owners']}
        self.assertEqual({name: (owners[name]['line'], [(one['function'], one['kind'], one['where']) for one in owners[name]['releases']])
                          for name in ('kept', 'recent', 'Log.rows')},
                         {'kept': (6, []), 'recent': (7, [('forget', 'clear', 'loop')]), 'Log.rows': (8, [])})


class CheckTest(unittest.TestCase):
    def test_keeps_no_variable_of_the_calls_around_it(self):
        from leakline_recorder.attached import _check_rest

        class Value:
            pass

        def call():
            value = Value()
            _check_rest('cuda')
            return weakref.ref(value)
        gc.disable()
        try:
            self.assertIsNone(call()())
        finally:
            gc.enable()


class RefusalTest(Running):
    def refused(self, pid, *more, action='attach', **env):
        text = self.leakline(action, pid, *more, code=2, **env)
        self.assertEqual(len(text.splitlines()), 1, text)
        return text

    def idle(self, *command):
        running = subprocess.Popen(command)
        self.addCleanup(running.wait)
        self.addCleanup(running.kill)
        time.sleep(0.3)
        return running

    def test_a_process_that_is_not_there(self):
        running = subprocess.Popen(['true'])
        running.wait()
        self.assertIn(f'there is no process {running.pid}.', self.refused(running.pid))

    def test_a_process_that_is_not_python(self):
        self.assertIn('is not a Python process', self.refused(self.idle('sleep', '60').pid))

    def test_python_without_torch(self):
        self.assertIn('has not imported torch', self.refused(self.idle(sys.executable, '-c', 'import time; time.sleep(60)').pid))

    def test_a_stopped_process(self):
        running = self.idle(sys.executable, '-c', 'import time; time.sleep(60)')
        running.send_signal(signal.SIGSTOP)
        time.sleep(0.2)
        self.assertIn(f'Let it go on first: kill -CONT {running.pid}', self.refused(running.pid))

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which('setpriv'), 'needs root and setpriv')
    def test_a_process_of_another_user(self):
        pid = self.idle('sleep', '60').pid
        done = subprocess.run(['setpriv', '--reuid=65534', '--clear-groups', '/usr/bin/env', 'python3', '-c',
                               f'import sys; sys.path.insert(0, {RECORDER!r}); from leakline.attach import main; sys.exit(main("attach", ["{pid}"]))'],
                              capture_output=True, text=True)
        if 'Permission denied' in done.stderr or 'No module' in done.stderr:
            self.skipTest('the other user cannot read the recorder')
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn('belongs to another user. Run this command as that user, or as root.', done.stderr)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which('setpriv'), 'needs root and setpriv')
    def test_no_right_to_trace(self):
        running = self.start(TRAINING, '1000000')
        done = subprocess.run(['setpriv', '--bounding-set=-all', '--inh-caps=-all', sys.executable, '-m', 'leakline', 'attach', str(running.pid)],
                              env={**os.environ, 'PYTHONPATH': RECORDER}, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn('does not let one process trace another', done.stderr)
        self.assertEqual(self.end(running), ('', ''))

    @unittest.skipIf(REASON or torch.cuda.is_available(), REASON or 'this machine has a GPU')
    def test_what_the_process_refuses(self):
        running = self.start(TRAINING, '1000000')
        self.assertIn('has not used a GPU. Attach when it has, or record its CPU tensors with --device cpu', self.refused(running.pid))
        self.assertIn('does not record', self.refused(running.pid, action='detach'))
        self.assertIn('The option --device cpu counts CPU tensors', self.refused(running.pid, action='holders'))
        self.write('file', '')
        self.assertIn('out expects a folder that can be written', self.refused(running.pid, '--device', 'cpu', '--out', os.path.join(self.folder, 'file', 'out')))
        self.assertIn('--step expects MODULE:FUNCTION', self.refused(running.pid, '--device', 'cpu', '--out', self.out, '--step', 'nothing'))
        self.assertEqual(self.end(running), ('', ''))

    @unittest.skipIf(REASON, REASON)
    def test_a_main_thread_that_waits(self):
        text = "import threading, torch\nprint('ready', flush=True)\nthreading.Event().wait()\n"
        running = self.start(text)
        wait, attach.WAIT_SECONDS = attach.WAIT_SECONDS, 1.0
        self.addCleanup(setattr, attach, 'WAIT_SECONDS', wait)
        with self.assertRaisesRegex(attach.AttachError, 'ran no Python for 1 s, so nothing was changed'):
            attach.ask(running.pid, {'action': 'stop'})


if __name__ == '__main__':
    unittest.main()
