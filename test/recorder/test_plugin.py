"""The pytest plugin over CPU PyTorch: a suite of a dozen tests, of which half leak."""
from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import unittest

SUITE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'pytest_suite')
HAS_PYTEST = importlib.util.find_spec('pytest') is not None
HAS_ASYNC = importlib.util.find_spec('pytest_asyncio') is not None


@unittest.skipUnless(HAS_PYTEST, 'this Python has no pytest')
class PluginTest(unittest.TestCase):
    def run_suite(self, *options):
        asynchronous = ['--asyncio-mode=auto'] if HAS_ASYNC else ['--deselect', 'test_training.py::test_leaks_async']
        command = [sys.executable, '-m', 'pytest', '-p', 'leakline.pytest_plugin', '-p', 'no:cacheprovider', '-rA', *asynchronous, *options]
        return subprocess.run(command, cwd=SUITE, stdout=subprocess.PIPE, text=True, timeout=600)

    def test_fails_what_leaks_and_nothing_else(self):
        done = self.run_suite('--leakline=cpu')
        failed = re.findall(r'^FAILED \S+::(\S+)', done.stdout, re.MULTILINE)
        passed = re.findall(r'^PASSED \S+::(\S+)', done.stdout, re.MULTILINE)
        leaking = ['test_leaks_graphs', 'test_leaks_batches[100]', 'test_leaks_batches[2000]', 'test_leaks_by_hand', 'test_leaks_hooks']
        self.assertEqual(sorted(failed), sorted([*leaking, 'test_fails_by_itself', *['test_leaks_async'] * HAS_ASYNC]), done.stdout)
        self.assertEqual(len(passed), 6)
        self.assertTrue(all(name.startswith('test_clean') for name in passed))
        # Line, bytes per step and holder: 2,000 × 16 numbers of 4 bytes are 125 KiB.
        self.assertIn('test_training.py:37: Leaks 125 KiB/step (4.9 MiB so far), held by TestCache.seen', done.stdout)
        self.assertIn('  Allocated at test_training.py:14 (loss_of).', done.stdout)
        self.assertIn('model of the CUDA allocator', done.stdout)
        self.assertRegex(done.stdout, r'leakline: [\d.]+ s for steps and verdicts')

    def test_runs_each_body_once_where_it_is_off(self):
        done = self.run_suite('--leakline=off')
        self.assertEqual(re.findall(r'^FAILED \S+::(\S+)', done.stdout, re.MULTILINE), ['test_fails_by_itself'], done.stdout)


if __name__ == '__main__':
    unittest.main()
