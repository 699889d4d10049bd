"""Find GPU memory leaks in PyTorch training, on the line that causes them.

    with leakline.record(out='recordings'):
        train()
    for finding in leakline.analyze('recordings').leaks:
        print(finding)

``leakline.lightning`` and ``leakline.transformers`` have callbacks, ``leakline.pytest_plugin`` fails a test that leaks.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leakline_recorder.version import VERSION

if TYPE_CHECKING:
    from .command_line import NodeMissing
    from .holding import Holder, Holders, drop, holders
    from .recording import record
    from .report import AnalysisError, Finding, Line, OutOfMemory, Report, Run, analyze

__version__ = VERSION
_PLACES = {'NodeMissing': 'command_line', 'record': 'recording', 'Holder': 'holding', 'Holders': 'holding', 'holders': 'holding', 'drop': 'holding'}
__all__ = ['AnalysisError', 'Finding', 'Holder', 'Holders', 'Line', 'NodeMissing', 'OutOfMemory', 'Report', 'Run', 'analyze', 'drop', 'holders', 'record']


def __getattr__(name: str) -> Any:
    """Loaded on first use: pytest loads this package in each test run."""
    if name not in __all__:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    from importlib import import_module
    return getattr(import_module(f"{__name__}.{_PLACES.get(name, 'report')}"), name)


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext leakline``, then ``%leakline holders``."""
    from .holding import magic
    shell.register_magic_function(magic, magic_name='leakline')
