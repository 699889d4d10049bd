"""Files that appear whole or not at all: written beside, then renamed."""
from __future__ import annotations

import contextlib
import os
from typing import BinaryIO, Iterator

PART = '.part'


@contextlib.contextmanager
def appearing(path: str) -> Iterator[BinaryIO]:
    """A file to write to; it takes its name when the block ends without an error."""
    folder, name = os.path.split(path)
    beside = os.path.join(folder, f'.{name}.{os.getpid()}{PART}')
    try:
        with open(beside, 'wb') as file:
            yield file
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(beside)
        raise


def make_folder(path: str) -> None:
    """Create the folder of recordings, and keep them out of the user's repository."""
    os.makedirs(path, exist_ok=True)
    ignore = os.path.join(path, '.gitignore')
    if not os.path.exists(ignore):
        with appearing(ignore) as file:
            file.write(b'*\n')


def sweep(folder: str) -> None:
    """Remove what a killed process of this machine left half written."""
    for name in os.listdir(folder):
        pid = name[:-len(PART)].rsplit('.', 1)[-1] if name.startswith('.') and name.endswith(PART) else ''
        if pid.isdigit() and not _alive(int(pid)):
            with contextlib.suppress(OSError):
                os.remove(os.path.join(folder, name))


def _alive(pid: int) -> bool:
    if os.name == 'nt':
        return True  # os.kill would end the process there
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
