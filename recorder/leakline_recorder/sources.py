"""The program's own source files: their list, their content when they ran, and their revision."""
from __future__ import annotations

import functools
import hashlib
import linecache
import os
import site
import sys
import sysconfig
from typing import Any, Dict, List, Optional, Tuple

import torch

from .files import exists
from .guard import ordinary
from .plain import modules

MAX_FILES = 500
MAX_BYTES = 1 << 20    # of one file: larger ones are data, not source

_LIBRARY_ROOTS = tuple(os.path.join(form(path), '') for form in (os.path.abspath, os.path.realpath) for path in {
    *(sysconfig.get_paths().get(key, '') for key in ('stdlib', 'platstdlib', 'purelib', 'platlib')),
    *getattr(site, 'getsitepackages', list)(), os.path.dirname(os.path.abspath(__file__))} if path)
_STANDARD = tuple(os.path.join(form(path), '') for form in (os.path.abspath, os.path.realpath) for path in {
    sysconfig.get_paths().get(key, '') for key in ('stdlib', 'platstdlib')} if path)
_MACHINERY = tuple(os.path.join(form(os.path.dirname(path)), '') for form in (os.path.abspath, os.path.realpath) for path in (__file__, str(torch.__file__)))
#: Else ``realpath`` drops errors, also those that a signal handler raises.
_STRICT: Dict[str, Any] = {'strict': True} if sys.version_info >= (3, 10) else {}
_LIBRARY_PARTS = ('/site-packages/', '/dist-packages/', '/torchinductor_')


@functools.lru_cache(maxsize=1 << 14)
def is_users(filename: str) -> bool:
    """Is this a file of the program, rather than of a library, of generated code or of this recorder?"""
    if not filename or _is_generated(filename):
        return False
    plain = filename.replace('\\', '/')
    if any(part in plain for part in _LIBRARY_PARTS):
        return False
    return not (filename.startswith(_LIBRARY_ROOTS) or _real(filename).startswith(_LIBRARY_ROOTS))


@functools.lru_cache(maxsize=1 << 14)
def is_machinery(filename: str) -> bool:
    """Is this a file of Python's standard library, of torch, or of this recorder? Their objects hold only what other
    code tells them to hold.
    """
    if not filename or _is_generated(filename):
        return True
    return is_standard(filename) or any(path.startswith(_MACHINERY) for path in (filename, _real(filename)))


@functools.lru_cache(maxsize=1 << 14)
def is_standard(filename: str) -> bool:
    """Is this a file of Python's standard library?"""
    return any(path.startswith(_STANDARD) and not any(part in path.replace('\\', '/') for part in _LIBRARY_PARTS)
               for path in (filename, _real(filename)))


def _is_generated(filename: str) -> bool:
    """``<string>`` and its like, but not a cell of IPython in a terminal."""
    return filename.startswith('<') and not is_cell(filename)


def is_cell(filename: str) -> bool:
    """Is this the name that IPython, or its kernel, gives to a cell?"""
    return filename.startswith('<ipython-input-') or os.path.basename(os.path.dirname(filename)).startswith('ipykernel_')


def cells() -> List[str]:
    """Names of the cells that have run, newest first: ``text_of`` has their text."""
    return [name for name in reversed(list(linecache.cache)) if is_cell(name)]


def _real(path: str) -> str:
    try:
        return os.path.realpath(path, **_STRICT)
    except ordinary(OSError, ValueError):
        return path  # of a notebook's cell, or from another machine


def text_of(path: str) -> str:
    """The text of a source file, or of a notebook's cell, which IPython stores for tracebacks. '' without one."""
    try:
        if os.path.getsize(path) > MAX_BYTES:
            return ''
        with open(path, encoding='utf-8') as file:
            return file.read()
    except ordinary(OSError):
        return ''.join(linecache.getlines(path))
    except ordinary(UnicodeDecodeError):
        return ''


class Sources:
    """Hashes of the program's files. The first hash of a file stays: it is nearest to the loaded code."""

    def __init__(self, with_text: bool) -> None:
        self._with_text = with_text
        self._known: Dict[str, Optional[Dict[str, Any]]] = {}
        self._revisions: Dict[str, Optional[str]] = {}

    def files(self) -> List[Dict[str, Any]]:
        for _, _, path in modules():
            if path and path.endswith('.py') and path not in self._known and len(self._known) < 20 * MAX_FILES:
                self._known[path] = self._read(path) if is_users(path) else None
        return [entry for entry in self._known.values() if entry][:MAX_FILES]

    def _read(self, path: str) -> Optional[Dict[str, Any]]:
        try:
            if os.path.getsize(path) > MAX_BYTES:
                return None
            with open(path, 'rb') as file:
                content = file.read()
        except ordinary(OSError):
            return None
        entry: Dict[str, Any] = {'path': os.path.abspath(path), 'sha256': hashlib.sha256(content).hexdigest()}
        if self._with_text:
            entry['text'] = content.decode('utf-8', 'replace')
        return entry

    def git(self) -> Optional[Dict[str, str]]:
        """Repository and commit of the main script's folder, read from ``.git`` without running git."""
        main = getattr(sys.modules.get('__main__'), '__file__', None)
        start = os.path.dirname(os.path.abspath(main)) if main else os.getcwd()
        found = _repository(start)
        if found is None:
            return None
        root, git = found
        if root not in self._revisions:
            self._revisions[root] = _revision(git)
        commit = self._revisions[root]
        return {'root': root, 'commit': commit} if commit else None


def _repository(folder: str) -> Optional[Tuple[str, str]]:
    """The work tree's root and its git folder (a ``.git`` file points to one in worktrees and submodules)."""
    while True:
        git = os.path.join(folder, '.git')
        if exists(os.path.join(git, 'HEAD')):
            return folder, git
        text = _line(git)
        if text.startswith('gitdir:'):
            return folder, os.path.normpath(os.path.join(folder, text[7:].strip()))
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _revision(git: str) -> Optional[str]:
    head = _line(os.path.join(git, 'HEAD'))
    if not head.startswith('ref:'):
        return head or None
    name = head[4:].strip()
    common = os.path.normpath(os.path.join(git, _line(os.path.join(git, 'commondir')) or '.'))
    for folder in (git, common):
        commit = _line(os.path.join(folder, name))
        if commit:
            return commit
        try:
            with open(os.path.join(folder, 'packed-refs'), encoding='utf-8') as file:
                for line in file:
                    if line.rstrip('\n').endswith(' ' + name):
                        return line.split(' ', 1)[0]
        except ordinary(OSError):
            continue
    return None


def _line(path: str) -> str:
    try:
        with open(path, encoding='utf-8') as file:
            return file.readline().strip()
    except ordinary(OSError, UnicodeDecodeError):
        return ''
