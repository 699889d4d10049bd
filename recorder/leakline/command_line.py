"""The command line in this package: a JavaScript program that the Node.js on the PATH runs."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import List, Sequence

OLDEST = (20, 19)
HERE = os.path.dirname(os.path.abspath(__file__))
#: in the installed package, and in the repository after a build
PLACES = (os.path.join(HERE, 'node', 'cli.js'), os.path.join(HERE, '..', '..', 'dist', 'cli.js'))


class NodeMissing(Exception):
    """Node.js or its program is missing. The text has the remedy."""


def command(arguments: Sequence[str]) -> List[str]:
    """The command of the command line. :raises NodeMissing: if Node.js or the built program is missing"""
    program = next((path for path in PLACES if os.path.exists(path)), None)
    if program is None:
        raise NodeMissing('the command line is not built. Run: npm run build')
    return [_node(), program, *arguments]


def _node() -> str:
    advice = f"Install Node.js {'.'.join(map(str, OLDEST))} or newer, such as: conda install nodejs"
    path = shutil.which('node')
    if path is None:
        raise NodeMissing(f'Node.js is not on the PATH. {advice}')
    told = subprocess.run([path, '--version'], capture_output=True, text=True).stdout.strip()
    version = tuple(map(int, re.findall(r'\d+', told)[:2]))
    if version < OLDEST:
        raise NodeMissing(f'{path} is Node.js {told}. {advice}' if version else f'{path} does not tell its version. {advice}')
    return path
