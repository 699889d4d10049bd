"""Makes another process run a line of Python by a debugger, gdb or lldb. While the debugger stops the process, for some tenths of a
second with gdb and some seconds with lldb, no Python runs: the debugger maps one page of memory for the line, and puts
``PyRun_SimpleString`` with that line into the interpreter's queue. Neither call allocates or takes the GIL.
"""
from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from typing import Callable, Dict, List, Tuple

SECONDS = 60.0
_QUEUED = re.compile(r'^\(int\) \$queued = (-?\d+)$', re.M)
_MMAP = '((void *(*)(void *, unsigned long, int, int, int, long)) mmap)(0, {size}, 3, 0x22, -1, 0)'

#: Both scripts stop at their first error, and the debugger then leaves the process.
_GDB = r"""
attach {pid}
handle all nostop noprint pass
sharedlibrary /libpython
sharedlibrary /libc[.-]
sharedlibrary ld-musl
set $queue = (int (*)(void *, void *)) Py_AddPendingCall
set $run = (void *) PyRun_SimpleString
set $text = {mmap}
set {{char[{size}]}} $text = "{octal}"
printf "(int) $queued = %d\n", $queue($run, $text)
detach
"""
_LLDB = r"""
settings set target.preload-symbols false
settings set symbols.enable-external-lookup false
process attach --pid {pid}
process handle -s false -n false -p true {signals}
expression {options} -- void *$text = {mmap}
memory write -i {line} `$text`
expression {options} -- void *$run = (void *) (int (*)(const char *)) PyRun_SimpleString
expression {options} -- int $queued = ((int (*)(void *, void *)) Py_AddPendingCall)($run, $text)
expression $queued
detach
"""
#: One thread runs, for at most 5 s, and a call that fails is undone.
_LLDB_OPTIONS = '-l c -a false -u true -t 5000000'
_QUIET = 'set auto-load no', 'set auto-solib-add off', 'set confirm off', 'set pagination off', 'set language c', 'set unwindonsignal on'


class DebuggerError(Exception):
    """Why no debugger could reach the process, in one sentence with the remedy."""


class NoRights(DebuggerError):
    """This system does not let one process trace another."""


def run_line(pid: int, line: str, folder: str) -> None:
    """:param folder: for temporary files :raises DebuggerError: if the line will not run; the process goes on"""
    failed: List[str] = []
    for name, inject in _DEBUGGERS.items():
        path = shutil.which(name)
        if path is None:
            continue
        reason = _trial(path, inject)
        if reason == '':
            _check(pid, *inject(path, pid, line, folder))
            return
        failed.append(f'{name} ({reason})')
    if failed:
        raise DebuggerError(f"no debugger can call functions in a process here: {', '.join(failed)}. Install "
                            + ('lldb: apt-get install lldb' if shutil.which('lldb') is None else 'a newer one.'))
    raise DebuggerError('gdb is missing, which attach needs for Python up to 3.13. Install it: apt-get install gdb')


def _trial(path: str, inject: Inject) -> str:
    """Why the debugger fails, '' if it does not. A process in which a call failed may end, so a process of our own is tried first."""
    with tempfile.TemporaryDirectory(prefix='leakline-') as folder:
        text = 'import time\nprint(flush=True)\nwhile True: time.sleep(0.001)'
        with subprocess.Popen([sys.executable, '-I', '-S', '-c', text], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
            try:
                assert child.stdout is not None
                child.stdout.readline()
                _check(child.pid, *inject(path, child.pid, 'import os; os._exit(7)', folder))
                return '' if child.wait(SECONDS) == 7 else 'the process ended'
            except NoRights:
                raise
            except DebuggerError as error:
                return str(error)
            except subprocess.TimeoutExpired:
                return 'no answer'
            finally:
                child.kill()


def _by_gdb(path: str, pid: int, line: str, folder: str) -> Tuple[str, str]:
    data = line.encode() + b'\n'
    commands = os.path.join(folder, 'commands.gdb')
    size = len(data) + 1
    with open(commands, 'w', encoding='ascii') as file:
        file.write(_GDB.format(pid=pid, size=size, mmap=_MMAP.format(size=size), octal=''.join(f'\\{byte:03o}' for byte in data)))
    return _output([path, '-nx', '-batch', *(f'-iex={one}' for one in _QUIET), f'/proc/{pid}/exe', '-x', commands])


def _by_lldb(path: str, pid: int, line: str, folder: str) -> Tuple[str, str]:
    data = line.encode() + b'\n'
    commands, text = os.path.join(folder, 'commands.lldb'), os.path.join(folder, 'line')
    with open(text, 'wb') as file:
        file.write(data)
    signals = ' '.join(one.name for one in signal.Signals if one not in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTRAP) and 'RT' not in one.name)
    with open(commands, 'w', encoding='utf-8') as file:
        file.write(_LLDB.format(pid=pid, line=text, signals=signals, options=_LLDB_OPTIONS, mmap=_MMAP.format(size=len(data) + 1)))
    return _output([path, '--no-lldbinit', '--batch', '-s', commands])


Inject = Callable[[str, int, str, str], Tuple[str, str]]
_DEBUGGERS: Dict[str, Inject] = {'gdb': _by_gdb, 'lldb': _by_lldb}


def _output(command: List[str]) -> Tuple[str, str]:
    """Output and errors. The debugger is interrupted after a time, never killed: in the middle of a call, the process would die."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding='utf-8', errors='replace',
                          env={**os.environ, 'DEBUGINFOD_URLS': '', 'LC_ALL': 'C'}, start_new_session=True) as running:
        while True:
            try:
                output, errors = running.communicate(timeout=SECONDS)
                return output, errors
            except subprocess.TimeoutExpired:
                running.send_signal(signal.SIGINT)
            except KeyboardInterrupt:
                continue    # it ends soon


def _check(pid: int, output: str, errors: str) -> None:
    queued = _QUEUED.search(output)
    if queued is not None and queued[1] == '0':
        return
    if queued is not None:
        raise DebuggerError(f'process {pid} has too many pending calls. Try again.')
    if 'not permitted' in errors:
        raise NoRights
    if re.search('No symbol |undeclared identifier', errors):
        raise DebuggerError(f'process {pid} has no CPython that a debugger can read, or one whose files were replaced since it started.')
    raise DebuggerError(next((line for line in reversed(errors.splitlines()) if line.strip()), 'no answer'))
