"""Run a training script on CPU PyTorch and let it dump the snapshots that a CUDA build would dump.

    python cpu_record.py SCRIPT.py [ARG ...]

``torch.cuda.memory._record_memory_history`` and ``_dump_snapshot`` work in the script as they do on a GPU, over the
model in ``leakline_recorder.cpu_memory``. Frames name files as they are on this machine: copy the script where they should say it is.
"""
from __future__ import annotations

import os
import pickle
import sys
import types
from typing import Any, Optional

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(HERE)), 'recorder'))

from leakline_recorder.cpu_memory import CpuMemory  # noqa: E402


def install(model: CpuMemory) -> None:
    """Make the private recording functions of ``torch.cuda.memory`` answer for the model."""
    def record(enabled: Optional[str] = 'all', *_: Any, max_entries: int = sys.maxsize, clear_history: bool = False, **__: Any) -> None:
        if enabled is None:
            model.stop()
            return
        model.record(max_entries)
        if clear_history:
            model.clear()

    def dump(filename: str = 'dump_snapshot.pickle', **_: Any) -> None:
        with open(filename, 'wb') as file:
            pickle.dump(model.snapshot(), file)

    memory = torch.cuda.memory
    memory._record_memory_history = record
    memory._snapshot = lambda *_, **__: model.snapshot()
    memory._dump_snapshot = dump
    memory.memory_snapshot = lambda *_, **__: model.snapshot()['segments']


def run_script(path: str) -> None:
    """Execute a file as ``__main__``, as ``python FILE`` would."""
    main = types.ModuleType('__main__')
    main.__file__ = path
    sys.modules['__main__'] = main
    with open(path, encoding='utf-8') as file:
        code = compile(file.read(), path, 'exec')
    exec(code, main.__dict__)


def main() -> None:
    script = os.path.abspath(sys.argv[1])
    sys.argv = [script] + sys.argv[2:]
    sys.path.insert(0, os.path.dirname(script))
    memory = CpuMemory(hide=(os.path.abspath(__file__), __file__))
    install(memory)
    torch.manual_seed(0)
    with memory:
        run_script(script)


if __name__ == '__main__':
    main()
