"""The hostile programs on CPU PyTorch: also random streams, weights and collections are those of the program alone."""
from __future__ import annotations

import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest

from test_hostile import NOTHING_RECORDED, OLDEST, PROGRAMS

HERE = os.path.dirname(os.path.abspath(__file__))
TRAIN = '''
import atexit, gc, random, sys, threading, torch
def state():
    weights = [parameter.detach().sum().item() for parameter in net.parameters()]
    print('state', random.random(), torch.rand(1).item(), weights, len(kept))
    print('collections', *[generation['collections'] for generation in gc.get_stats()])
    sys.stdout.flush()
atexit.register(state)
random.seed(7)
torch.manual_seed(7)
net = torch.nn.Linear(16, 16)
optimizer = torch.optim.Adam(net.parameters())
kept, turn = [], threading.Lock()
def train(steps, each=lambda step: None):
    for step in range(steps):
        with turn:    # the order of threads changes nothing
            loss = net(torch.randn(4, 16)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            kept.append(loss.detach())
            each(step)
            optimizer.step()
'''
#: The model runs callbacks of weak references, in which Python drops what the alarm raises: `is_timed` never ends, recorded
#: or not. `is_timed_at_each_file` needs no torch.
LEFT_OUT = ('is_timed', 'is_timed_at_each_file')


class HostileTorchTest(unittest.TestCase):
    def test_nothing_tells_that_a_guest_is_there(self):
        with tempfile.TemporaryDirectory() as root:
            jobs, programs = [], {name: program for name, program in PROGRAMS.items() if name not in LEFT_OUT}
            for name, program in programs.items():
                for kind in ('alone', 'recorded'):
                    folder = os.path.join(root, name, kind)
                    os.makedirs(folder)
                    with open(os.path.join(folder, 'script.py'), 'w') as file:
                        file.write(TRAIN + program)
                    jobs.append({'folder': folder, 'script': 'script.py', 'recorded': kind == 'recorded'})
            with open(os.path.join(root, 'jobs.json'), 'w') as file:
                json.dump(jobs, file)
            done = subprocess.run([sys.executable, os.path.join(HERE, 'cpu_forked.py'), os.path.join(root, 'jobs.json')], cwd=root,
                                  capture_output=True, text=True, timeout=600)
            self.assertEqual(done.returncode, 0, done.stderr)
            for name in programs:
                if sys.version_info < OLDEST.get(name, ()):
                    continue
                with self.subTest(name):
                    alone, recorded = (self.told(os.path.join(root, name, kind)) for kind in ('alone', 'recorded'))
                    self.assertEqual(recorded[:-1], alone[:-1])
                    # What the recorder keeps once it has begun brings young collections forward.
                    for runs, runs_alone, most in zip(recorded[-1], alone[-1], (4, 1, 0)):
                        self.assertLessEqual(abs(runs - runs_alone), most, 'collections')
                    if name not in NOTHING_RECORDED:
                        self.assertTrue(glob.glob(os.path.join(root, name, 'recorded', 'recordings', 'r', '*.pickle')), 'nothing was recorded')

    @staticmethod
    def told(folder):
        """Exit code, output, errors; last the collections of each generation."""
        texts = []
        for part in ('code', 'out', 'err'):
            with open(os.path.join(folder, part), encoding='utf-8') as file:
                texts.append(file.read().replace(folder, ''))
        lines = texts[1].splitlines()
        collections = [line for line in lines if line.startswith('collections ')]
        output = [line for line in lines if not line.startswith('collections ')]
        errors = [line for line in texts[2].splitlines() if not line.startswith('leakline: ')]
        return texts[0], output, errors, [int(number) for line in collections for number in line.split()[1:]]


if __name__ == '__main__':
    unittest.main()
