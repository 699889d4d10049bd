"""Records what Leakline needs to show a PyTorch training's GPU memory leaks on the lines that cause them.

    import leakline_recorder
    leakline_recorder.start()

or, without touching the code, ``python -m leakline_recorder train.py``. Standard library and torch only.
Nothing here ever raises into the training program: a failure is one line on standard error.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .version import VERSION

if TYPE_CHECKING:
    from .api import dump, mark_step, start, steps, stop
    from .options import Options

__version__ = VERSION
__all__ = ['Options', 'dump', 'mark_step', 'start', 'steps', 'stop']


def __getattr__(name: str) -> Any:
    """Loaded on first use: spawned helpers load this package, and use none of it."""
    if name not in __all__:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    from . import api, options
    return getattr(options if name == 'Options' else api, name)
