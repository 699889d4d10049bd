"""``leakline run train.py`` records a training run, ``leakline attach PID`` a running process. All other commands are passed to
the command line of the extension, which needs Node.js.
"""
from __future__ import annotations

import subprocess
import sys
from typing import List, Optional

from . import __version__
from .command_line import NodeMissing, command

RUN = '''Usage:
  leakline run [options] SCRIPT           record the GPU memory of a training run; leakline run --help
  leakline attach [PID] [options]         record a running process until leakline detach PID
  leakline dump PID                       write a snapshot of a process that records now
  leakline holders PID                    show what holds the GPU memory of a process now'''


def main(arguments: Optional[List[str]] = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    if given[:1] == ['run']:
        from leakline_recorder import cli
        cli.main(given[1:], 'leakline run')
        return 0
    if given[:1] in (['attach'], ['detach'], ['dump'], ['holders']):
        from . import attach
        return attach.main(given[0], given[1:])
    if given == ['--version']:
        print(__version__)
        print(_node_text())
        return 0
    asks_help = given in ([], ['--help'], ['-h'])
    if asks_help:
        print(RUN, flush=True)
    try:
        return subprocess.run(command(given)).returncode
    except NodeMissing as missing:
        print(f'\nAll other commands need Node.js. {missing}' if asks_help else f'leakline: {missing}', file=sys.stdout if asks_help else sys.stderr)
        return 0 if asks_help else 2
    except KeyboardInterrupt:
        return 130


def _node_text() -> str:
    try:
        return f'Node.js: {command([])[0]}'
    except NodeMissing as missing:
        return f'No Node.js: {missing}'


if __name__ == '__main__':
    sys.exit(main())
