"""Processes that the program spawns record themselves once they use a device, as those do that it forks.

``multiprocessing`` hands them a text more, which waits there for torch, then for the device. In one that never uses it,
such as a data loader's worker, nothing else is there; where the text cannot do its work, the process starts as without us.
"""
from __future__ import annotations

import os
import pickle
from typing import Any, Callable, Dict, Optional, Tuple

from .guard import guarded
from .imported import when_imported

NameRun = Callable[[Dict[str, Any], str], str]

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

#: Run in the new process before anything of the program is, with a ``sys.path`` that is not the program's yet.
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

#: What the children are told: options, and the ``RANK`` that they inherit and that is not theirs.
_told: Optional[Tuple[Dict[str, Any], str]] = None
_name_run: Optional[NameRun] = None
_run_of_children = ''


class _Setup:
    """Becomes a call of ``exec`` where it is unpickled: nothing of ours needs to be found there for that."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __reduce__(self) -> Tuple[Callable[..., Any], Tuple[Any, ...]]:
        return exec, (self._text, {})


def arrange(settings: Dict[str, Any], name_run: NameRun, rank: Optional[str] = None) -> None:
    """Processes that this one spawns from now on record themselves with these options; ``out`` is told from here."""
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
    # Never the parent's own folder: a parent that uses a device as well has the same rank as one of its children.
    _run_of_children = _run_of_children or _name_run(settings, rank)
    return _TEXT.format(folder=FOLDER, told=pickle.dumps(({**settings, 'run': _run_of_children}, rank)))
