"""Run programs on CPU PyTorch over the model of the allocator, each in a fork of this process: torch is imported once.

    python cpu_forked.py JOBS.json

A job is ``{folder, script, recorded}``: its exit code, output and errors are left beside the script as ``code``, ``out``
and ``err``. ``recorded``: with the recorder, into the folder ``recordings`` there.
"""
from __future__ import annotations

import gc
import json
import os
import sys
from typing import Any, Dict

import torch
import torch._dynamo  # noqa: F401: the first optimizer imports it

from leakline_recorder.cpu_memory import CpuMemory
from leakline_recorder import api, cli
from leakline_recorder.session import Session  # noqa: F401: here, so that it is not imported again in each fork


def run(job: Dict[str, Any]) -> None:
    os.chdir(job['folder'])
    for name, number in (('out', 1), ('err', 2)):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    memory = CpuMemory(hide=(os.path.abspath(__file__), __file__))
    memory.record(5000)    # in both runs: what the model itself makes must not tell them apart
    with memory:
        if job['recorded']:
            api.start(out='recordings', run='r', every=3, light=1, max_entries=5000, memory=memory)
        cli.run_script(job['script'], [])


def main() -> None:
    torch.set_num_threads(1)
    gc.freeze()    # torch's own objects, which every search would look at
    with open(sys.argv[1], encoding='utf-8') as file:
        jobs = json.load(file)
    for job in jobs:
        child = os.fork()
        if not child:
            run(job)
            return
        status = os.waitpid(child, 0)[1]
        with open(os.path.join(job['folder'], 'code'), 'w') as file:
            file.write(str(os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)))


if __name__ == '__main__':
    main()
