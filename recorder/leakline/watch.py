"""A training under the recorder, for the callbacks of training libraries."""
from __future__ import annotations

from typing import Any, Dict, Optional

from leakline_recorder import api
from leakline_recorder.guard import guarded, say_once

from .report import Report, analyze


class Watch:
    """Records a training, and judges it from time to time. An error is one line; the training goes on."""

    def __init__(self, root: str, options: Dict[str, Any]) -> None:
        self._root = root
        self._options = options
        self._owns = False

    def start(self) -> None:
        self._owns = not api.is_on()
        api.start(**self._options)

    @guarded('could not judge the recording')
    def judge(self) -> Optional[Report]:
        """The verdict so far, None before anything was recorded. Takes a second or more."""
        api.dump()
        folder = api.folder()
        return None if folder is None else analyze(folder, root=self._root)

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
    lines = [line for finding in report.findings for line in finding.told()]
    return '\n'.join(['```', *(lines or ['no finding']), '```'])


def announce(report: Report) -> None:
    """Each finding once, on standard error."""
    for finding in report.leaks:
        say_once('\n'.join(finding.told()), about=f'{finding.file}:{finding.line}')
