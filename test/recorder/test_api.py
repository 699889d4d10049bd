"""What Python programs call, over CPU PyTorch and, where they are installed, the real libraries of training."""
from __future__ import annotations

import glob
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

import torch

import leakline
from leakline.command_line import PLACES
from leakline_recorder import api

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDER = os.path.join(os.path.dirname(os.path.dirname(HERE)), 'recorder')
HAS_NODE = shutil.which('node') is not None and any(os.path.exists(place) for place in PLACES)
TRAINING = '''
import os
import torch
from torch import nn
model = nn.Linear(64, 64)
optimizer = torch.optim.AdamW(model.parameters())
kept = []
for step in range(24):
    loss = model(torch.randn(32, 64)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if os.environ.get('RANK', '1') == '1':
        kept.append(loss)
'''


def has(name):
    return importlib.util.find_spec(name) is not None


def has_device():
    return torch.cuda.is_available()


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        self.out = os.path.join(self.folder, 'recordings')

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(textwrap.dedent(text))
        return path

    def run_python(self, *arguments, **env):
        path = os.pathsep.join(filter(None, [RECORDER, os.environ.get('PYTHONPATH')]))
        whole = {**os.environ, 'PYTHONPATH': path, 'PATH': os.path.dirname(sys.executable) + os.pathsep + os.environ['PATH'], **env}
        return subprocess.run([sys.executable, *arguments], cwd=self.folder, env=whole, capture_output=True, text=True, timeout=300)

    def pickles(self, pattern='**'):
        return sorted(glob.glob(os.path.join(self.out, pattern, '*.pickle'), recursive=True))


class RecordTest(InFolder):
    def train(self, steps=20):
        layer = torch.nn.Linear(16, 16)
        optimizer = torch.optim.AdamW(layer.parameters())
        for _ in range(steps):
            layer(torch.randn(8, 16)).sum().backward()
            optimizer.step()
            optimizer.zero_grad()

    def test_a_block(self):
        with leakline.record(out=self.out, device='cpu', quiet=True):
            self.assertTrue(api.is_on())
            self.train()
        self.assertFalse(api.is_on())
        self.assertTrue(any('step000020' in path for path in self.pickles()), self.pickles())

    def test_each_call_of_a_function(self):
        decorated = leakline.record(out=self.out, device='cpu', quiet=True, run='first')(self.train)
        decorated()
        recorded = self.pickles()
        self.assertTrue(recorded)
        self.train()
        self.assertEqual(self.pickles(), recorded)

    def test_nothing_inside_another_recording(self):
        with leakline.record(out=self.out, device='cpu', quiet=True):
            with leakline.record(out=self.out + '-inner', device='cpu', quiet=True):
                self.train(2)
            self.assertTrue(api.is_on())
        self.assertFalse(os.path.exists(self.out + '-inner'))

    def test_another_device_is_one_sentence(self):
        done = self.run_python('-c', "import leakline_recorder; leakline_recorder.start(device='tpu'); print('goes on')")
        self.assertEqual(done.stdout, 'goes on\n')
        self.assertIn("device expects cuda or cpu, got 'tpu'", done.stderr)


@unittest.skipUnless(HAS_NODE, 'no Node.js, or no built command line')
class AnalyzeTest(InFolder):
    def test_finds_the_leak_of_a_script_on_the_cpu(self):
        self.write('train.py', TRAINING)
        done = self.run_python('-m', 'leakline', 'run', '--device', 'cpu', '--out', self.out, 'train.py')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('over a model of the CUDA allocator on the CPU', done.stderr)
        report = leakline.analyze(self.out, root=self.folder)
        [leak] = report.leaks
        self.assertEqual((leak.file, leak.line, leak.holder, leak.bytes_per_step), ('train.py', 14, 'kept', 512))
        self.assertTrue(str(leak).startswith('train.py:14: Leaks 512 B/step'))
        self.assertTrue(leak.fix and leak.lines and report.runs[0].live_bytes > 0 and report.runs[0].snapshots > 2)
        self.assertEqual((report.failed, report.runs[0].out_of_memory), ((), ()))

    def test_says_what_it_cannot_read(self):
        with self.assertRaisesRegex(leakline.AnalysisError, 'missing'):
            leakline.analyze(os.path.join(self.folder, 'missing'))

    @unittest.skipUnless(shutil.which('torchrun', path=os.path.dirname(sys.executable)) and torch.distributed.is_available(), 'no torchrun')
    def test_finds_the_rank_that_leaks_below_torchrun(self):
        self.write('train.py', TRAINING)
        launch = ['torchrun', '--nproc-per-node', '2', '--master-port', '29555', 'train.py']
        done = self.run_python('-m', 'leakline', 'run', '--device', 'cpu', '--out', self.out, *launch)
        self.assertEqual(done.returncode, 0, done.stderr)
        by_rank = {run.rank: [str(one.line) for one in run.findings if one.verdict == 'leak'] for run in leakline.analyze(self.out, root=self.folder).runs}
        self.assertEqual(by_rank, {0: [], 1: ['14']})

    @unittest.skipUnless(has('accelerate'), 'no accelerate')
    def test_finds_the_leak_below_accelerate(self):
        self.write('train.py', TRAINING)
        done = self.run_python('-m', 'leakline', 'run', '--device', 'cpu', '--out', self.out, 'accelerate', 'launch', '--cpu', 'train.py')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([leak.line for leak in leakline.analyze(self.out, root=self.folder).leaks], [14])


class NoGpuTest(InFolder):
    @unittest.skipIf(has_device(), 'this machine has a GPU')
    def test_says_before_the_program_starts_that_nothing_is_recorded(self):
        self.write('train.py', "import sys\nprint('the program', file=sys.stderr)\nimport torch\n")
        done = self.run_python('-m', 'leakline', 'run', 'train.py', '--lr', '1')
        offer = done.stderr.index('leakline: leakline run --device cpu train.py --lr 1\n')
        self.assertLess(offer, done.stderr.index('the program'))
        self.assertNotIn('no CUDA allocator', done.stderr)


@unittest.skipUnless(HAS_NODE, 'no Node.js, or no built command line')
class CallbackTest(InFolder):
    def logged(self, folder):
        """The last numbers and the text that TensorBoard's files have."""
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

        numbers, texts = {}, ''
        for path in glob.glob(os.path.join(folder, '**', 'events.out.tfevents.*'), recursive=True):
            events = EventAccumulator(path)
            events.Reload()
            numbers.update({tag: events.Scalars(tag)[-1].value for tag in events.Tags()['scalars'] if 'leakline' in tag})
            for tag in events.Tags()['tensors']:
                texts += events.Tensors(tag)[-1].tensor_proto.string_val[0].decode() if 'leakline' in tag else ''
        return numbers, texts

    @unittest.skipUnless(has('lightning') and has('tensorboard'), 'no lightning, or no tensorboard')
    def test_of_lightning_tells_its_loggers(self):
        self.write('train.py', '''
            import lightning
            import torch
            from leakline.lightning import LeaklineCallback
            from lightning.pytorch.loggers import TensorBoardLogger

            class Net(lightning.LightningModule):
                def __init__(self):
                    super().__init__()
                    self.layer = torch.nn.Linear(64, 64)
                    self.losses = []

                def training_step(self, batch, index):
                    loss = self.layer(batch).square().mean()
                    self.losses.append(loss)
                    return loss

                def configure_optimizers(self):
                    return torch.optim.AdamW(self.parameters())

            callback = LeaklineCallback(device='cpu', out='recordings', quiet=True)
            trainer = lightning.Trainer(max_epochs=2, accelerator='cpu', logger=TensorBoardLogger('board'), callbacks=[callback],
                                        enable_progress_bar=False, enable_model_summary=False, enable_checkpointing=False)
            trainer.fit(Net(), torch.utils.data.DataLoader(torch.randn(160, 64), batch_size=8))
            print([(one.file, one.line, one.holder) for one in callback.report.leaks])
        ''')
        done = self.run_python('train.py')
        self.assertEqual(done.stdout.splitlines()[-1:], ["[('train.py', 15, 'Net.losses')]"], done.stderr)
        numbers, texts = self.logged(os.path.join(self.folder, 'board'))
        self.assertEqual((numbers['leakline/leaks'], numbers['leakline/leak_bytes_per_step']), (1, 512))
        self.assertGreater(numbers['leakline/peak_bytes'], 0)
        self.assertIn('train.py:15: Leaks 512 B/step', texts)

    @unittest.skipUnless(has('transformers') and has('accelerate') and has('tensorboard'), 'no transformers, accelerate or tensorboard')
    def test_of_transformers_tells_what_the_trainer_reports_to(self):
        self.write('train.py', '''
            import torch
            from leakline.transformers import LeaklineCallback
            from transformers import Trainer, TrainingArguments

            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.layer = torch.nn.Linear(64, 64)
                    self.losses = []

                def forward(self, x):
                    loss = self.layer(x).square().mean()
                    self.losses.append(loss)
                    return {'loss': loss}

            data = [{'x': torch.randn(64)} for _ in range(160)]
            arguments = TrainingArguments('out', num_train_epochs=2, per_device_train_batch_size=8, report_to=['tensorboard'],
                                          use_cpu=True, save_strategy='no', disable_tqdm=True)
            trainer = Trainer(Net(), arguments, train_dataset=data)
            callback = LeaklineCallback(trainer, device='cpu', out='recordings', quiet=True)
            trainer.add_callback(callback)
            trainer.train()
            print([(one.file, one.line, one.holder) for one in callback.report.leaks])
        ''')
        done = self.run_python('train.py', TENSORBOARD_LOGGING_DIR='board')
        self.assertEqual(done.stdout.splitlines()[-1:], ["[('train.py', 14, 'Net.losses')]"], done.stdout + done.stderr)
        numbers, texts = self.logged(self.folder)
        leaks = {tag: value for tag, value in numbers.items() if tag.endswith('leakline/leaks')}
        self.assertEqual(list(leaks.values()), [1], numbers)
        self.assertIn('train.py:14: Leaks 512 B/step', texts)


if __name__ == '__main__':
    unittest.main()
