"""The verdict on recordings, as typed objects. The command line makes it, which needs Node.js."""
from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple, Union

from .command_line import command

Path = Union[str, 'os.PathLike[str]']


class AnalysisError(Exception):
    """The recordings could not be read. The text has the reason."""


@dataclass(frozen=True)
class Line:
    """A line that allocates memory of a finding."""

    file: str         #: relative to the root if it is in there
    line: int         #: 1-based
    function: str
    verdict: str
    bytes: int


@dataclass(frozen=True)
class Finding:
    """One bug, at the statement to change."""

    file: str                          #: relative to the root if it is in there
    line: int                          #: 1-based
    verdict: str                       #: 'leak' is proved; 'growing' and 'tooShort' are not; 'cycle' waits for the collector
    sentence: str
    bytes: int                         #: so far
    bytes_per_step: Optional[float]    #: None without steps
    holder: Optional[str]              #: what holds the memory, such as ``history['loss']``
    fix: Optional[str]
    lines: Tuple[Line, ...]
    told: str                          #: all of it in lines, as the command line prints it

    def __str__(self) -> str:
        return self.told


@dataclass(frozen=True)
class OutOfMemory:
    """A request that failed."""

    device: int
    requested_bytes: int
    free_bytes: Optional[int]          #: of the device
    file: Optional[str]                #: the line that requested the memory; None if unknown
    line: Optional[int]


@dataclass(frozen=True)
class Run:
    """One process."""

    id: str
    rank: Optional[int]
    verdict: str                       #: the worst of its lines
    live_bytes: int                    #: at the last snapshot, on all devices
    peak_bytes: int                    #: 0 without a trace
    snapshots: int
    findings: Tuple[Finding, ...]      #: the worst first
    out_of_memory: Tuple[OutOfMemory, ...]


@dataclass(frozen=True)
class Report:
    runs: Tuple[Run, ...]
    failed: Tuple[str, ...]            #: sentences about files that could not be read

    @property
    def findings(self) -> List[Finding]:
        return [finding for run in self.runs for finding in run.findings]

    @property
    def leaks(self) -> List[Finding]:
        """The proved ones."""
        return [finding for finding in self.findings if finding.verdict == 'leak']


def analyze(*paths: Path, root: Path = '.') -> Report:
    """The verdict on snapshots, or folders of them. ``root`` has the sources. :raises AnalysisError: if nothing can be read
    :raises NodeMissing: without Node.js
    """
    line = command(['analyze', '--json', '--root', os.fspath(root), *(os.fspath(path) for path in paths)])
    done = subprocess.run(line, capture_output=True, encoding='utf-8', errors='replace')
    if not done.stdout:
        raise AnalysisError(done.stderr.strip() or f'the command line ended with exit code {done.returncode}')
    told = json.loads(done.stdout)
    return Report(tuple(_run(run) for run in told['runs']), tuple(one['message'] for one in told['failed']))


def _run(told: Dict[str, Any]) -> Run:
    last = told['snapshots'][-1] if told['snapshots'] else {'devices': []}
    return Run(id=told['id'], rank=told['rank'], verdict=told['verdict'], snapshots=len(told['snapshots']),
               live_bytes=sum(device['liveBytes'] for device in last['devices']),
               peak_bytes=(told['peak'] or {}).get('liveBytes', 0),
               findings=tuple(_finding(one) for one in told['findings']),
               out_of_memory=tuple(_out_of_memory(one) for one in told['outOfMemory']))


def _finding(told: Dict[str, Any]) -> Finding:
    holder = told['holder'] or {}
    lines = tuple(Line(**{name: one[name] for name in ('file', 'line', 'function', 'verdict', 'bytes')}) for one in told['lines'])
    return Finding(**{name: told[name] for name in ('file', 'line', 'verdict', 'sentence', 'bytes')},
                   bytes_per_step=told['bytesPerStep'], holder=holder.get('name'), fix=holder.get('fix'), lines=lines, told='\n  '.join(told['told']))


def _out_of_memory(told: Dict[str, Any]) -> OutOfMemory:
    asked = told['asked'] or {}
    return OutOfMemory(told['device'], told['askedBytes'], told['deviceFreeBytes'], asked.get('file'), asked.get('line'))
