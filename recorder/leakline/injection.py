"""Makes another process run a line of Python. Its main thread stops for some milliseconds, in which no Python runs: one page of memory is
mapped for the line, and ``PyRun_SimpleString`` with that line is put into the interpreter's queue. Neither call allocates or takes the GIL.
"""
from __future__ import annotations

import os
import re
import subprocess
import sys

from .functions import address_of
from .traced import NoRights, TraceError, stopped

_TRIAL_SECONDS = 20.0
#: PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS
_READ_WRITE, _PRIVATE = 3, 0x22
_LIBC = re.compile(r'/(?:libc[.-]|ld-musl)')


def run_line(pid: int, line: str) -> None:
    """:raises TraceError: if the line will not run; the process goes on"""
    _try()
    _inject(pid, line)


def _inject(pid: int, line: str) -> None:
    data = line.encode() + b'\0'
    with stopped(pid) as thread:
        functions = [address_of(pid, thread.memory, 'mmap', lambda path: bool(_LIBC.search(path))),
                     *(address_of(pid, thread.memory, name) for name in ('Py_AddPendingCall', 'PyRun_SimpleString'))]
        if None in functions:
            raise TraceError('has no CPython that can be found in its memory')
        mmap, add, run = (one or 0 for one in functions)
        text = thread.call(mmap, 0, len(data), _READ_WRITE, _PRIVATE, -1, 0)
        if text >> 63:
            raise TraceError('has no memory left')
        thread.memory.seek(text)
        thread.memory.write(data)
        if thread.call(add, run, text) & 0xffffffff:
            raise TraceError('has too many pending calls. Try again')


def _try() -> None:
    """A process in which a call fails may end, so a process of our own is tried first."""
    text = 'import time\nprint(flush=True)\nwhile True: time.sleep(0.001)'
    with subprocess.Popen([sys.executable, '-I', '-S', '-c', text], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        try:
            assert child.stdout is not None
            child.stdout.readline()
            _inject(child.pid, 'import os; os._exit(7)')
            if child.wait(_TRIAL_SECONDS) != 7:
                raise TraceError('ended')
        except NoRights:
            raise
        except (TraceError, subprocess.TimeoutExpired, OSError) as error:
            raise TraceError(f'was not touched, because the same failed in a process made for a trial: it {error}') from None
        finally:
            child.kill()
