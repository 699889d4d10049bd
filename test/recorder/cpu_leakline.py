"""Run a training script on CPU PyTorch under the recorder, over the model of the caching allocator.

    python cpu_leakline.py [recorder's options] SCRIPT.py [ARG ...]
"""
from __future__ import annotations

import os
import sys

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(os.path.dirname(HERE)), 'recorder')]

from leakline_recorder.cpu_memory import CpuMemory, GIB  # noqa: E402
from leakline_recorder import api, cli  # noqa: E402
from leakline_recorder.options import Options  # noqa: E402


def main() -> None:
    own, command = cli.split(sys.argv[1:])
    memory = CpuMemory(capacity=int(float(os.environ.get('MODEL_GIB', '24')) * GIB), hide=(os.path.abspath(__file__), __file__))
    memory.clearable = os.environ.get('MODEL_CLEARS') != '0'    # '0': each snapshot has the whole history, as before PyTorch 2.8
    torch.manual_seed(0)
    with memory:
        api.start(Options.from_environment(**vars(cli.parser().parse_args(own))), memory=memory)
        cli.run_script(command[0], command[1:])


if __name__ == '__main__':
    main()
