"""The pytest plugin over CPU PyTorch, and on a GPU if there is one: a suite whose tests have the outcome in their name."""
from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import unittest

import torch
from test_api import HAS_NODE

SUITE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'pytest_suite')
HAS_PYTEST, HAS_ASYNC, HAS_XDIST, HAS_METRICS = (importlib.util.find_spec(name) is not None for name in ('pytest', 'pytest_asyncio', 'xdist', 'torchmetrics'))
LEAKS = 11 if HAS_ASYNC else 10


@unittest.skipUnless(HAS_PYTEST, 'this Python has no pytest')
@unittest.skipUnless(HAS_NODE, 'no Node.js, or no built command line')
class PluginTest(unittest.TestCase):
    def run_suite(self, *options, env=None):
        asynchronous = ['--asyncio-mode=auto'] if HAS_ASYNC else ['--deselect', 'test_training.py::test_leaks_async']
        command = [sys.executable, '-m', 'pytest', '-p', 'leakline.pytest_plugin', '-p', 'no:cacheprovider', '-rA', *asynchronous, *options]
        done = subprocess.run(command, cwd=SUITE, capture_output=True, text=True, timeout=600, env={**os.environ, **(env or {})})
        return done.stdout, {kind: re.findall(rf'^{kind} \S*::(\S+)', done.stdout, re.MULTILINE) for kind in ('FAILED', 'PASSED', 'ERROR', 'XFAIL')}

    def assert_as_named(self, printed, ended):
        leaking = [name for name in ended['FAILED'] if name.startswith('test_leaks')]
        own = [name for name in ended['FAILED'] if name.startswith('test_fails_on_its_own')]
        self.assertEqual((len(leaking), len(own), len(ended['FAILED'])), (LEAKS, 3, LEAKS + 3), printed)
        self.assertEqual((len(ended['PASSED']), ended['XFAIL'], ended['ERROR']), (8, ['test_xfails'], []), printed)
        self.assertTrue(all(name.startswith('test_clean') for name in ended['PASSED']), printed)
        self.assertRegex(printed, r'leakline: [\d.]+ s for verdicts of \d+ tests')

    def test_fails_what_leaks_and_nothing_else(self):
        printed, ended = self.run_suite('--leakline=cpu')
        self.assert_as_named(printed, ended)
        # Line, bytes per step and holder: 2,000 × 16 numbers of 4 bytes are 125 KiB. The first step can have other frames of torch.
        self.assertRegex(printed, r'test_training\.py:37: Leaks 125 KiB/step \(4\.[89] MiB so far\), held by TestCache\.seen \(seen in the running process\)\.\n  Fix: ')
        self.assertIn('  Allocated at test_training.py:14 (loss_of)', printed)
        self.assertIn('model of the CUDA allocator', printed)
        self.assertIn('5 steps prove no leak of GPU memory: take 16 or more', printed)
        self.assertIn("or 'growing': per_step=0, steps='30', warmup=3, fail_on='leak'", printed)
        self.assertNotRegex(printed, r'(?m)^\S*pytest_plugin\.py:\d+')

    @unittest.skipUnless(torch.cuda.is_available(), 'this machine has no GPU')
    def test_fails_what_leaks_on_a_gpu(self):
        printed, ended = self.run_suite('--leakline=auto')
        self.assert_as_named(printed, ended)
        # What earlier tests have kept is still there.
        self.assertRegex(printed, r'test_training\.py:37: Leaks 125 KiB/step \([45]\.\d MiB so far\), held by TestCache\.seen')
        self.assertNotIn('model of the CUDA allocator', printed)

    @unittest.skipUnless(HAS_XDIST, 'this Python has no pytest-xdist')
    def test_in_processes_of_xdist(self):
        self.assert_as_named(*self.run_suite('--leakline=cpu', '-n', '2'))

    def test_runs_each_body_once_where_it_is_off(self):
        printed, ended = self.run_suite('--leakline=off', env={'PATH': ''})
        self.assertEqual(ended['FAILED'], ['test_fails_on_its_own_by_hand', 'test_fails_on_its_own'], printed)

    def test_needs_node_for_tests_that_grow_alone(self):
        printed, ended = self.run_suite('--leakline=cpu', '-k', 'test_clean_batches or test_leaks_graphs', env={'PATH': ''})
        self.assertEqual((ended['PASSED'], ended['FAILED']), (['test_clean_batches'], ['test_leaks_graphs']), printed)
        self.assertIn('No verdict on GPU leaks: Node.js is not on the PATH.', printed)

    @unittest.skipUnless(HAS_METRICS, 'this Python has no torchmetrics')
    def test_proves_a_leak_that_a_library_holds(self):
        printed, ended = self.run_suite('--leakline=cpu', 'metrics.py')
        self.assertEqual((ended['FAILED'], ended['PASSED']), (['test_leaks_a_metric'], ['test_clean_metric', 'test_clean_metric_that_is_reset']), printed)
        self.assertRegex(printed, r'metrics\.py:12: Leaks 4\.0 KiB/step .*, held by kept\.value \(.*\)\.\n  Fix: Call kept\.reset\(\).*\n  Evidence: ')

    def test_takes_sizes_as_text_and_fails_on_growth_where_it_should(self):
        printed, ended = self.run_suite('--leakline=cpu', 'growth_of_sizes.py')
        self.assertEqual((ended['FAILED'], ended['PASSED']), (['test_leaks_more_than_sizes', 'test_leaks_as_growth_of_sizes'], ['test_clean_below_sizes']), printed)


if __name__ == '__main__':
    unittest.main()
