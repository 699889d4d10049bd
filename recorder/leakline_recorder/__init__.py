"""Records what Leakline needs to show a PyTorch training's GPU memory leaks on the lines that cause them.

    import leakline_recorder
    leakline_recorder.start()

or, without touching the code, ``python -m leakline_recorder train.py``. Standard library and torch only.
Nothing here ever raises into the training program: a failure is one line on standard error.
"""
from .api import dump, mark_step, start, steps, stop
from .options import Options

__version__ = '0.1.0'
__all__ = ['Options', 'dump', 'mark_step', 'start', 'steps', 'stop']
