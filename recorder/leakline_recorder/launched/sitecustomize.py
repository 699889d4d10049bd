"""Python runs this at the start of each process below a launcher: one that imports torch records itself. The options are
in the environment. The launcher itself is left alone, and processes of ``multiprocessing``, which the recorder of their
parent arranges for.
"""
import os
import sys


def _begin():
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or '.') != here]
    _run_the_next(here)
    command = getattr(sys, 'orig_argv', None) or _command()
    if os.environ.get('LEAKLINE_LAUNCHER') == str(os.getpid()) or any('multiprocessing' in part for part in command):
        return
    path = list(sys.path)
    sys.path.append(os.path.dirname(os.path.dirname(here)))
    try:
        from leakline_recorder import api
        from leakline_recorder.imported import when_imported
    finally:
        sys.path[:] = path
    when_imported('torch', api.start)


def _run_the_next(here):
    """The environment's own ``sitecustomize``, which this file hides."""
    own = sys.modules.pop('sitecustomize', None)
    try:
        import sitecustomize  # noqa: F401
    except ImportError:
        if own is not None:
            sys.modules['sitecustomize'] = own


def _command():
    """The process's command up to Python 3.9, where Linux has it."""
    try:
        with open('/proc/self/cmdline', encoding='utf-8', errors='replace') as file:
            return file.read().split('\0')
    except OSError:
        return []


try:
    _begin()
except Exception as error:
    sys.stderr.write(f'leakline: this process will not record itself: {error}\n')
