"""Files that appear complete or not at all: written under another name, then renamed."""
from __future__ import annotations

import contextlib
import errno
import os
import platform
import re
import shutil
import stat
from typing import BinaryIO, Iterator, List, Tuple

from .guard import ordinary, say_once

PART = '.part'
SIDECAR = '.leakline.json'
HOST = re.sub(r'[^A-Za-z0-9-]+', '-', platform.node()) or 'host'


@contextlib.contextmanager
def appearing(path: str) -> Iterator[BinaryIO]:
    """A file for writing; it gets its name if the block ends without an error."""
    folder, name = os.path.split(path)
    beside = os.path.join(folder, f'.{name}.{HOST}.{os.getpid()}{PART}')
    try:
        with open(beside, 'wb') as file:
            yield file
        os.replace(beside, path)
    except BaseException:
        remove(beside)
        raise


def exists(path: str) -> bool:
    """As ``os.path.exists``, which drops what a signal handler raises if it is an OSError, such as TimeoutError."""
    try:
        os.stat(path)
    except ordinary(OSError, ValueError):
        return False
    return True


def remove(path: str) -> None:
    try:
        os.remove(path)
    except ordinary(OSError):
        pass  # it is gone already


class Budget:
    """Bytes on disk of one process's snapshots. Above the limit, light ones are removed, then every second one of the
    older full ones.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._light: List[Tuple[str, int]] = []    # paths without '.pickle', and bytes
        self._full: List[Tuple[str, int]] = []     # all but those that stay
        self._staying = 0

    def written(self, path: str, size: int, light: bool = False, keep: bool = False) -> None:
        """The first, the last and those in ``keep`` stay."""
        if light:
            self._light.append((path, size))
        elif keep or not self._full and not self._staying:
            self._staying += size
        else:
            self._full.append((path, size))
        free = shutil.disk_usage(os.path.dirname(path)).free
        # Recordings take at most half of the free space: other programs have priority.
        while self._used() > min(self._most, (self._used() + free) / 2) and self._thin_out():
            pass

    def _used(self) -> int:
        return self._staying + sum(size for _, size in self._light + self._full)

    def _thin_out(self) -> bool:
        gone = self._light or self._full[:-1:2]
        if self._light:
            self._light = []
        else:
            self._full = self._full[1:-1:2] + self._full[-1:]
        for path, _ in gone:
            remove(path + '.pickle')    # before its sidecar: none is ever without one
            remove(path + SIDECAR)
        if gone:
            say_once(f'recordings exceed {self._most / 1e9:g} GB or half of the free disk space: older snapshots are removed')
        return bool(gone)


def make_folder(path: str) -> None:
    """As ``os.makedirs`` for a folder that may exist, but all errors of signal handlers pass, as in ``exists``."""
    try:
        os.mkdir(path)
    except ordinary(FileExistsError):
        if not stat.S_ISDIR(os.stat(path).st_mode):    # os.path.isdir would drop such an error
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path) from None
    except ordinary(FileNotFoundError):
        parent = os.path.dirname(path)
        if not parent or exists(parent):
            raise    # /proc has no folders of programs
        make_folder(parent)
        make_folder(path)


def make_output(path: str) -> None:
    """Create the folder of recordings, outside of the user's repository by a .gitignore. A ValueError says what `out` expects."""
    try:
        make_folder(path)
        ignore = os.path.join(path, '.gitignore')
        if not exists(ignore):
            with appearing(ignore) as file:
                file.write(b'*\n')
    except ordinary(OSError) as error:
        raise ValueError(f'out expects a folder that can be written, got {path!r} ({error.strerror})') from None


def sweep(folder: str) -> None:
    """Remove partial files of killed processes of this machine; other machines may be writing into the folder."""
    for name in os.listdir(folder):
        host, _, pid = name[:-len(PART)].rpartition('.')
        if name.startswith('.') and name.endswith(PART) and host.endswith('.' + HOST) and pid.isdigit() and not _alive(int(pid)):
            remove(os.path.join(folder, name))


def _alive(pid: int) -> bool:
    if os.name == 'nt':
        return True  # os.kill would end the process there
    try:
        os.kill(pid, 0)
    except ordinary(ProcessLookupError):
        return False
    except ordinary(OSError):
        return True
    return True
