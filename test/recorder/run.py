"""Run the recorder's tests: ``python3 test/recorder/run.py``. Python 3.9 or newer; no packages are needed.

Everything that needs no arithmetic runs over a stand-in for torch (``standin/``). What needs tensors and autograd runs
over CPU PyTorch if this interpreter has it, or the one that ``LEAKLINE_TORCH_PYTHON`` names; else it is skipped.
``LEAKLINE_GREP`` selects tests by class and name, ``LEAKLINE_RESULTS`` names the file for the results.
"""
from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any, Dict, List

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDER = os.path.join(os.path.dirname(os.path.dirname(HERE)), 'recorder')
STANDIN = os.path.join(HERE, 'standin')
PLAIN = ['test_units', 'test_custody', 'test_holders', 'test_chances', 'test_way', 'test_hostile', 'test_increments', 'test_session', 'test_injection']
SUITE = 'recorder'    # what fails as a whole
GREP = os.environ.get('LEAKLINE_GREP', '')
TORCH = ['test_torch', 'test_api', 'test_plugin', 'test_hostile_torch', 'test_attach']

Results = Dict[str, Any]    # as in test/support/suiteResults.ts


def suite(python: str, modules: List[str], path: List[str], **more: str) -> Results:
    """The results of some test modules in a process of their own."""
    env = {**os.environ, 'PYTHONPATH': os.pathsep.join(path), 'PYTHONDONTWRITEBYTECODE': '1'}
    for name in list(env):
        if name.startswith(('LEAKLINE_', 'TORCHELASTIC_', 'SLURM_', 'RANK', 'WORLD_SIZE', 'LOCAL_RANK')):
            env.pop(name)
    env.update(more, LEAKLINE_GREP=GREP)
    done = subprocess.run([python, os.path.join(HERE, 'suite.py'), *modules], env=env, stdout=subprocess.PIPE, text=True)
    try:
        return json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        message = f'the tests ended with exit code {done.returncode} before they could be counted'
        print(f'{modules}: {message}')
        return {'groups': {SUITE: {'passed': 0, 'failed': 1, 'skipped': 0}}, 'failures': [{'title': SUITE, 'message': message}]}


def torch_version(python: str) -> str:
    probe = subprocess.run([python, '-c', 'import torch; print(torch.__version__)'], capture_output=True, text=True)
    return probe.stdout.strip() if probe.returncode == 0 else ''


def main() -> None:
    python = os.environ.get('LEAKLINE_TORCH_PYTHON') or sys.executable
    print(f'stand-in for torch, Python {sys.version.split()[0]}')
    # The stand-in has a GPU, whatever the machine has.
    results = [suite(sys.executable, PLAIN, [STANDIN, RECORDER, HERE], LEAKLINE_DEVICE='cuda')]
    version = torch_version(python)
    if version:
        print(f'CPU PyTorch {version}')
        results.append(suite(python, TORCH, [RECORDER, HERE]))
    elif not GREP:
        print('no PyTorch here: the tests that need autograd are skipped')
        for name in TORCH:
            with open(os.path.join(HERE, name + '.py'), encoding='utf-8') as file:
                skipped = sum(line.strip().startswith('def test_') for line in file)
            results.append({'groups': {name: {'passed': 0, 'failed': 0, 'skipped': skipped}}, 'failures': []})
    groups, failures = {}, []    # type: Dict[str, Dict[str, int]], List[Dict[str, str]]
    for one in results:
        failures += one['failures']
        for name, counts in one['groups'].items():
            groups[name] = {what: count + groups.get(name, {}).get(what, 0) for what, count in counts.items()}
    file = os.environ.get('LEAKLINE_RESULTS')
    if file:
        with open(file, 'w', encoding='utf-8') as text:
            json.dump({'groups': groups, 'failures': failures}, text)
    print(', '.join(f'{sum(counts[what] for counts in groups.values())} {what}' for what in ('passed', 'failed', 'skipped')))
    sys.exit(bool(failures))


if __name__ == '__main__':
    main()
