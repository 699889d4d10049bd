"""Run by name (``python -m leakline_recorder train.py``), or by its path, which needs no PYTHONPATH."""
import os
import sys

if not __package__:
    here = os.path.dirname(os.path.abspath(__file__))
    # Run by its path, Python searches modules here first: `memory` and `files` are names of the program.
    sys.path[:] = [entry for entry in sys.path if not entry or os.path.abspath(entry) != here]
    sys.path.append(os.path.dirname(here))

from leakline_recorder.cli import main

if __name__ == '__main__':
    main()
