"""``leakline run train.py`` records a training. All other commands go to the command line, which needs Node.js."""
from __future__ import annotations

import subprocess
import sys
from typing import List, Optional

from .command_line import NodeMissing, command

RUN = 'Usage:\n  leakline run [options] SCRIPT           record the GPU memory of a training; leakline run --help'


def main(arguments: Optional[List[str]] = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    if given[:1] == ['run']:
        from leakline_recorder import cli
        cli.main(given[1:], 'leakline run')
        return 0
    if given in ([], ['--help'], ['-h']):
        print(RUN, flush=True)
    try:
        return subprocess.run(command(given)).returncode
    except NodeMissing as missing:
        print(f'leakline: {missing}', file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == '__main__':
    sys.exit(main())
