"""Run the recorder's tests: ``python3 test/recorder/run.py``. Python 3.9 or newer; no packages are needed.

Everything that needs no arithmetic runs over a stand-in for torch (``standin/``). What needs tensors and autograd runs
over CPU PyTorch if this interpreter has it, or the one that ``LEAKLINE_TORCH_PYTHON`` names; else it is skipped.
"""
from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import List, Tuple

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDER = os.path.join(os.path.dirname(os.path.dirname(HERE)), 'recorder')
STANDIN = os.path.join(HERE, 'standin')
PLAIN = ['test_units', 'test_custody', 'test_holders', 'test_chances', 'test_way', 'test_hostile', 'test_increments', 'test_session', 'test_injection']
TORCH = ['test_torch', 'test_api', 'test_plugin', 'test_hostile_torch', 'test_attach']


def suite(python: str, modules: List[str], path: List[str], **more: str) -> Tuple[int, int, int]:
    """Passed, failed, skipped of some test modules in a process of their own."""
    env = {**os.environ, 'PYTHONPATH': os.pathsep.join(path), 'PYTHONDONTWRITEBYTECODE': '1'}
    for name in list(env):
        if name.startswith(('LEAKLINE_', 'TORCHELASTIC_', 'SLURM_', 'RANK', 'WORLD_SIZE', 'LOCAL_RANK')):
            env.pop(name)
    env.update(more)
    done = subprocess.run([python, os.path.join(HERE, 'suite.py'), *modules], env=env, stdout=subprocess.PIPE, text=True)
    try:
        counts = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        print(f'{modules}: the tests ended with exit code {done.returncode} before they could be counted')
        return 0, 1, 0
    return counts['passed'], counts['failed'], counts['skipped']


def torch_version(python: str) -> str:
    probe = subprocess.run([python, '-c', 'import torch; print(torch.__version__)'], capture_output=True, text=True)
    return probe.stdout.strip() if probe.returncode == 0 else ''


def main() -> None:
    python = os.environ.get('LEAKLINE_TORCH_PYTHON') or sys.executable
    print(f'stand-in for torch, Python {sys.version.split()[0]}')
    # The stand-in has a GPU, whatever the machine has.
    counts = [suite(sys.executable, PLAIN, [STANDIN, RECORDER, HERE], LEAKLINE_DEVICE='cuda')]
    version = torch_version(python)
    if version:
        print(f'CPU PyTorch {version}')
        counts.append(suite(python, TORCH, [RECORDER, HERE]))
    else:
        print('no PyTorch here: the tests that need autograd are skipped')
        for name in TORCH:
            with open(os.path.join(HERE, name + '.py'), encoding='utf-8') as file:
                counts.append((0, 0, sum(line.strip().startswith('def test_') for line in file)))
    passed, failed, skipped = (sum(column) for column in zip(*counts))
    print(f'{passed} passed, {failed} failed' + (f', {skipped} skipped' if skipped else ''))
    sys.exit(bool(failed) or not passed)


if __name__ == '__main__':
    main()
