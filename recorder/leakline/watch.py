"""Recording and verdict of a training run, for the callbacks of training libraries."""
from __future__ import annotations

from typing import Any, Dict, Optional

from leakline_recorder import api
from leakline_recorder.guard import guarded, say_once

from .report import Report, analyze


class Watch:
    """Records a training run and judges it from time to time. An error prints one line, and the training continues."""

    def __init__(self, root: str, options: Dict[str, Any]) -> None:
        self._root = root
        self._options = options
        self._owns = False

    def start(self) -> None:
        self._owns = not api.is_on()
        api.start(**self._options)

    @guarded('could not judge the recording')
    def judge(self) -> Optional[Report]:
        """The verdict so far, also printed; None before anything was recorded. Takes a second or more."""
        api.dump()
        folder = api.folder()
        if folder is None:
            return None
        report = analyze(folder, root=self._root)
        _announce(report)
        return report

    def stop(self) -> None:
        if self._owns:
            api.stop()


def scalars(report: Report) -> Dict[str, float]:
    """Numbers for a logger."""
    return {'leakline/leaks': float(len(report.leaks)),
            'leakline/leak_bytes_per_step': float(sum(leak.bytes_per_step or 0 for leak in report.leaks)),
            'leakline/live_bytes': float(sum(run.live_bytes for run in report.runs)),
            'leakline/peak_bytes': float(sum(run.peak_bytes for run in report.runs))}


def text(report: Report) -> str:
    """The findings for a logger, as Markdown code."""
    return '\n'.join(['```', *(map(str, report.findings) if report.findings else ['no finding']), '```'])


def _announce(report: Report) -> None:
    """Prints each leak once, on standard error."""
    for finding in report.leaks:
        say_once(str(finding), about=f'{finding.file}:{finding.line}')
