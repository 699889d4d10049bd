"""Processes that the program spawns record themselves once they use a device, as forked ones do. ``multiprocessing``
passes them one more text, which waits for torch, then for the device. A process without a device, such as a data
loader's worker, gets nothing else. If the text fails, the process starts as without the recorder.
"""
from __future__ import annotations

import os
import pickle
from typing import Any, Callable, Dict, Optional, Tuple

from .guard import guarded
from .imported import when_imported

NameRun = Callable[[Dict[str, Any], str], str]

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

#: Run in the new process before any code of the program, with a preliminary ``sys.path``.
_TEXT = '''
try:
    import sys
    path = list(sys.path)
    sys.path.append({folder!r})
    try:
        from leakline_recorder.child import begin
    finally:
        sys.path[:] = path
    import pickle
    begin(*pickle.loads({told!r}))
except Exception:
    pass
'''

#: The data for the children: options, and the inherited ``RANK``, which is not theirs.
_told: Optional[Tuple[Dict[str, Any], str]] = None
_name_run: Optional[NameRun] = None
_run_of_children = ''


class _Setup:
    """Unpickles into a call of ``exec``, so that no module of the recorder must be found."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __reduce__(self) -> Tuple[Callable[..., Any], Tuple[Any, ...]]:
        return exec, (self._text, {})


def arrange(settings: Dict[str, Any], name_run: NameRun, rank: Optional[str] = None) -> None:
    """Processes that this one spawns from now on record themselves with these options; ``out`` is relative to this
    folder.
    """
    global _told, _name_run
    _name_run = name_run
    first = _told is None
    if rank is None:
        rank = _told[1] if _told else os.environ.get('RANK', '')
    _told = {name: value for name, value in settings.items() if value is not None}, rank
    if first:
        when_imported('multiprocessing.spawn', _extend)


def _extend() -> None:
    import multiprocessing.spawn as spawn
    prepare = spawn.get_preparation_data

    def extended(name: str) -> Dict[str, Any]:
        data = prepare(name)
        text = _text()
        return data if text is None else {**data, 'leakline_recorder': _Setup(text)}
    setattr(spawn, 'get_preparation_data', extended)


@guarded('a spawned process will not record itself')
def _text() -> Optional[str]:
    global _run_of_children
    if _told is None or _name_run is None:
        return None
    settings, rank = _told
    # Never the parent's own folder: a parent with a device has the same rank as one of its children.
    _run_of_children = _run_of_children or _name_run(settings, rank)
    return _TEXT.format(folder=FOLDER, told=pickle.dumps(({**settings, 'run': _run_of_children}, rank)))
