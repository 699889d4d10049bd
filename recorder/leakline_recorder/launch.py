"""Runs a launcher, such as torchrun, so that each of its processes records itself."""
from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import Any, Dict, List, NoReturn, Optional

#: launchers by the name of their command
LAUNCHERS = ('torchrun', 'accelerate', 'deepspeed')
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'launched')


def launcher(command: List[str]) -> Optional[str]:
    """The path of the launcher that a command begins with; None if it begins with a script or a module."""
    if os.path.basename(command[0]) not in LAUNCHERS or command[0] in LAUNCHERS and os.path.isfile(command[0]):
        return None
    return shutil.which(command[0])


def launch(path: str, command: List[str], settings: Dict[str, Any]) -> NoReturn:
    """Replace this process by the launcher; on Windows, wait for it. ``settings`` are options of the recorder."""
    env = {**os.environ, 'LEAKLINE_LAUNCHER': str(os.getpid()),
           'PYTHONPATH': os.pathsep.join([FOLDER, *filter(None, [os.environ.get('PYTHONPATH')])])}
    env.update({_variable(name): str(value) for name, value in settings.items() if value is not None})
    if sys.platform != 'win32':
        os.execve(path, [path, *command[1:]], env)
    # The launcher has another process number there. It never uses a device, so it records nothing.
    sys.exit(subprocess.run([path, *command[1:]], env=env).returncode)


def _variable(option: str) -> str:
    return 'LEAKLINE_RUN_ID' if option == 'run' else 'LEAKLINE_' + option.upper()
