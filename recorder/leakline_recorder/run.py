"""Run and rank: one id for all processes of a distributed training, each rank with its own recording."""
from __future__ import annotations

import dataclasses
import hashlib
import multiprocessing
import os
import re
import time
from typing import Any, Mapping


@dataclasses.dataclass(frozen=True)
class Run:
    id: str
    rank: int
    local_rank: int
    world_size: int


def identify(wanted: str = '', env: Mapping[str, str] = os.environ) -> Run:
    return Run(id=_clean(wanted or _run_id(env)), rank=_number(env, 'RANK', 'SLURM_PROCID', 'OMPI_COMM_WORLD_RANK', default=0),
               local_rank=_number(env, 'LOCAL_RANK', 'SLURM_LOCALID', 'OMPI_COMM_WORLD_LOCAL_RANK', default=0),
               world_size=_number(env, 'WORLD_SIZE', 'SLURM_NTASKS', 'OMPI_COMM_WORLD_SIZE', default=1))


def with_group(run: Run, distributed: Any, child: bool, inherited_rank: str = '', env: Mapping[str, str] = os.environ) -> Run:
    """Rank and size from ``torch.distributed``, for launchers that set no variables, or set them late. A ``child``
    outside of any group is a run of its own. ``inherited_rank`` is the ``RANK`` of its parent, which does not apply to
    the child.
    """
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return dataclasses.replace(run, rank=distributed.get_rank(), world_size=distributed.get_world_size())
    now = identify(run.id, env)
    return dataclasses.replace(now, id=f'{run.id}-{os.getpid()}') if child and env.get('RANK', '') in ('', inherited_rank) else now


def _run_id(env: Mapping[str, str]) -> str:
    """The identity of a run. It is equal on all nodes of a job, so it has no process number if there may be several."""
    if env.get('LEAKLINE_RUN_ID'):
        return env['LEAKLINE_RUN_ID']
    elastic, restarts = env.get('TORCHELASTIC_RUN_ID', ''), env.get('TORCHELASTIC_RESTART_COUNT', '')
    # Without an id, torchrun says 'none' each time. On one node, its own process distinguishes two launches.
    launch = f'-{os.getppid()}' if elastic == 'none' and env.get('LOCAL_WORLD_SIZE', '') == env.get('WORLD_SIZE', '') else ''
    base = ''
    if env.get('SLURM_JOB_ID'):
        base = f"slurm-{env['SLURM_JOB_ID']}-{env.get('SLURM_STEP_ID', '0')}" + launch
    elif elastic not in ('', 'none'):
        base = elastic
    elif launch:
        base = 'torchrun' + launch
    elif env.get('MASTER_ADDR') and env.get('MASTER_PORT') and env.get('WORLD_SIZE', '1') != '1':
        base = 'job-' + hashlib.sha256(f"{env['MASTER_ADDR']}:{env['MASTER_PORT']}".encode()).hexdigest()[:8]
    if base:
        return base if restarts in ('', '0') else f'{base}-restart{restarts}'
    parent = multiprocessing.parent_process()
    if parent is not None:
        return f'spawn-{parent.pid}'    # ranks that the program started without a launcher
    return time.strftime('%Y%m%d-%H%M%S') + f'-{os.getpid()}'


def chosen(ranks: str, rank: int) -> bool:
    """Is a rank among ``0,8-15,*/8``? Each part is a rank, a range, or a stride; '' are all."""
    parts = [part.strip() for part in ranks.split(',') if part.strip()]
    return not parts or any([_fits(part, rank) for part in parts])    # all are looked at: each may make no sense


def _fits(part: str, rank: int) -> bool:
    found = re.fullmatch(r'(?:(\d+)(?:-(\d+))?|\*)(?:/([1-9]\d*))?', part)
    if found is None or int(found[2] or found[1] or 0) < int(found[1] or 0):
        raise ValueError(f'ranks: {part!r} is not a rank, range (8-15) or share (*/8)')
    first, last, share = found.groups()
    low = int(first or 0)
    inside = first is None or low <= rank <= int(last or first)
    return inside and (rank - low) % int(share or 1) == 0


def _number(env: Mapping[str, str], *names: str, default: int) -> int:
    for name in names:
        if env.get(name, '').isdigit():
            return int(env[name])
    return default


def _clean(text: str) -> str:
    """Safe as a folder's name on every system."""
    return re.sub(r'[^A-Za-z0-9._-]+', '-', text).strip('.-')[:80] or 'run'
