"""The JSON file beside a snapshot. Its schema is in ``docs/recording.md``; within a version, fields are only added."""
from __future__ import annotations

import os
import platform
import sys
import time
from typing import Any, Callable, Dict, List, Optional, TypeVar

import torch

from .collector import CollectorWatch
from .guard import guarded, ordinary
from .loops import Rounds
from .memory import DeviceMemory
from .options import Options
from .run import Run
from .sources import Sources
from .step_counter import StepCounter
from .version import VERSION

SCHEMA = 'leakline.recording/3'
Told = TypeVar('Told')
#: torch's variables for the allocator's settings, the newest name first
ALLOCATOR_CONF = ('PYTORCH_ALLOC_CONF', 'PYTORCH_CUDA_ALLOC_CONF', 'PYTORCH_HIP_ALLOC_CONF')
LIGHT_TIMES = 64    # step times in the sidecar of a snapshot without traces: enough to reach the previous one


def describe(snapshot_name: str, kind: str, reason: str, run: Run, steps: StepCounter, collector: CollectorWatch,
             memory: DeviceMemory, options: Options, sources: Sources, snapshot: Dict[str, Any], events_before: List[int], behind: List[Optional[int]],
             rounds: Rounds) -> Dict[str, Any]:
    """Everything except the holders and the cost, which come later."""
    return {
        'schema': SCHEMA,
        'snapshot': snapshot_name,
        'kind': kind,
        'reason': reason,
        'run': run.id,
        'rank': run.rank,
        'localRank': run.local_rank,
        'worldSize': run.world_size,
        'step': steps.count,
        'stepSource': steps.source,
        'stepTimes': step_times(steps, None if kind == 'full' else LIGHT_TIMES),
        'loops': rounds.describe(),
        'collections': collector.times() if kind == 'full' else None,
        'takenAtUs': time.time_ns() // 1000,
        'process': {'pid': os.getpid(), 'host': platform.node(), 'cwd': _cwd(), 'main': _main(), 'residentBytes': _resident_bytes()},
        'versions': {'recorder': VERSION, 'python': platform.python_version(), 'torch': str(torch.__version__),
                     'cuda': torch.version.cuda, 'hip': getattr(torch.version, 'hip', None)},
        'devices': _told(memory.devices, []),
        'memoryStats': _told(memory.stats, {}),
        'allocatorConf': next((os.environ[name] for name in ALLOCATOR_CONF if os.environ.get(name)), ''),
        'ring': ring(snapshot, options, events_before, behind) if kind == 'full' else None,
        'git': _told(sources.git, None),
        'sources': _told(sources.files, []) if kind == 'full' else [],
        'holders': None,
        'atFailure': None,
        'cost': None,
    }


def _told(ask: Callable[[], Told], otherwise: Told) -> Told:
    """After an error of CUDA, most queries raise. The snapshot is more important than they are."""
    found = guarded('left out of a sidecar')(ask)()
    return otherwise if found is None else found


def step_times(steps: StepCounter, most: Optional[int]) -> Dict[str, Any]:
    times = steps.times_us[-most:] if most else steps.times_us
    return {'first': steps.count - len(times) + 1, 'endedAtUs': list(times)}


def ring(snapshot: Dict[str, Any], options: Options, before: List[int], behind: List[Optional[int]]) -> Dict[str, Any]:
    """True if the allocator's ring of events overflowed: its oldest events are gone, and earlier ages unknown. The
    program may have set another length. Each snapshot is an event: without clearing, a trace as long as ``before`` is
    full. ``behind``: see ``Increments.behind``.
    """
    events = [len(trace) for trace in snapshot.get('device_traces', [])]
    full = [n >= options.max_entries or n > 1 and before[index:index + 1] == [n] for index, n in enumerate(events)]
    return {'maxEntries': options.max_entries, 'events': events, 'overflowed': any(full), 'stacks': options.stacks, 'behindUs': behind}


def _main() -> Optional[str]:
    path = getattr(sys.modules.get('__main__'), '__file__', None)
    return os.path.abspath(path) if path and path != '<stdin>' else None


def _resident_bytes() -> Optional[int]:
    """Host memory of the process; ``None`` where it is not known, as outside of Linux."""
    try:
        with open('/proc/self/statm', encoding='ascii') as file:
            return int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')
    except ordinary(OSError, ValueError, IndexError):
        return None


def _cwd() -> Optional[str]:
    try:
        return os.getcwd()
    except ordinary(OSError):
        return None
