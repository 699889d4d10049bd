"""A thread of another process, stopped by ptrace, in which functions can be called. All other threads run on. Numbers as in <sys/ptrace.h>."""
from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import signal
import struct
import time
from typing import BinaryIO, Dict, Iterator, Optional, Tuple

SECONDS = 20.0
_CONT, _DETACH, _GETREGSET, _SETREGSET, _SEIZE, _INTERRUPT = 7, 17, 0x4204, 0x4205, 0x4206, 0x4207
_EVENT_STOP = 128
_WALL = 0x40000000
#: Sets of registers: the general ones, and all others that a function may change, from the floating point ones to AMX.
_GENERAL, _OTHERS = 1, 0x202
_MAX_BYTES = 65536
_NAMES = 'r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss fs_base gs_base ds es fs gs'.split()    # of <sys/user.h>


class TraceError(Exception):
    """Why no function could be called, in words that follow a subject."""


class NoRights(TraceError):
    """This system does not let one process trace another."""


class _StillRunning(TraceError):
    """In a call, or in the kernel."""


@contextlib.contextmanager
def stopped(pid: int) -> Iterator[Stopped]:
    """The main thread of a process. It goes on as it was. Signals that would end this process wait meanwhile: killed in the middle of a call,
    it would take the other with it. :raises TraceError: if it cannot be stopped"""
    if platform.machine() != 'x86_64':
        raise TraceError(f'runs on {platform.machine()}, where only Python 3.14 can be reached')
    _check_signals(pid)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM))
    try:
        _ptrace(_SEIZE, pid, 0, 0)
        _ptrace(_INTERRUPT, pid, 0, 0)
        while True:    # a signal may arrive first
            number, event = _next_stop(pid)
            if event == _EVENT_STOP:
                break
            _ptrace(_CONT, pid, 0, number)
        with open(f'/proc/{pid}/mem', 'r+b', buffering=0) as memory:
            yield Stopped(pid, memory)
    finally:
        with contextlib.suppress(TraceError):
            _ptrace(_DETACH, pid, 0, 0)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


class Stopped:
    def __init__(self, pid: int, memory: BinaryIO) -> None:
        self._pid = pid
        self.memory = memory    #: /proc/PID/mem

    def call(self, function: int, *arguments: int) -> int:
        """What a C function returns. It returns to address 0, which stops the thread again. Its registers are then restored.
        :param function: its address, as those of arguments :raises TraceError: if it fails; the thread goes on as before"""
        before = {kind: self._registers(kind) for kind in (_GENERAL, _OTHERS)}
        try:
            self._set_registers(_GENERAL, _calling(before[_GENERAL], self.memory, function, arguments))
            _ptrace(_CONT, self._pid, 0, 0)
            while True:
                number, event = _next_stop(self._pid)
                if number == signal.SIGSEGV and not event:
                    after = _named(self._registers(_GENERAL))
                    if after['rip']:
                        raise TraceError('failed in a call')
                    return after['rax']
                _ptrace(_CONT, self._pid, 0, 0 if event else number)
        except _StillRunning:
            _ptrace(_INTERRUPT, self._pid, 0, 0)
            _next_stop(self._pid)
            raise
        finally:
            with contextlib.suppress(TraceError):    # it may have ended
                for kind, data in before.items():
                    self._set_registers(kind, data)

    def _registers(self, kind: int) -> bytes:
        data = ctypes.create_string_buffer(_MAX_BYTES)
        size = _transfer(_GETREGSET, self._pid, kind, data, _MAX_BYTES)
        return data.raw[:size]

    def _set_registers(self, kind: int, data: bytes) -> None:
        if _transfer(_SETREGSET, self._pid, kind, ctypes.create_string_buffer(data, len(data)), len(data)) != len(data):
            raise TraceError('has registers that cannot be set')


def _calling(registers: bytes, memory: BinaryIO, function: int, arguments: Tuple[int, ...]) -> bytes:
    """The general registers at the first instruction of a function."""
    found = _named(registers)
    for name, value in zip(('rdi', 'rsi', 'rdx', 'rcx', 'r8', 'r9'), arguments):
        found[name] = value & 0xffffffffffffffff
    top = ((found['rsp'] - 128) & ~15) - 8    # below what a function without calls may use
    memory.seek(top)
    memory.write(bytes(8))
    # No system call is repeated now, and strings run forwards.
    found.update(rsp=top, rip=function, rax=0, orig_rax=0xffffffffffffffff, eflags=found['eflags'] & ~0x400)
    return struct.pack('=27Q', *found.values())


def _named(registers: bytes) -> Dict[str, int]:
    return dict(zip(_NAMES, struct.unpack('=27Q', registers)))


def _check_signals(pid: int) -> None:
    """The return from a call raises SIGSEGV, which the kernel would reset if it were blocked or ignored."""
    try:
        with open(f'/proc/{pid}/status', encoding='utf-8', errors='replace') as file:
            found = dict(line.split(':', 1) for line in file)
    except OSError:
        raise TraceError('has ended') from None
    if (int(found['SigBlk'], 16) | int(found['SigIgn'], 16)) >> signal.SIGSEGV - 1 & 1:
        raise TraceError('blocks or ignores SIGSEGV')


def _next_stop(pid: int) -> Tuple[int, int]:
    """Signal and event of the next stop."""
    last = time.monotonic() + SECONDS
    while time.monotonic() < last:
        try:
            found, status = os.waitpid(pid, _WALL | os.WNOHANG)
        except ChildProcessError:
            raise TraceError('has ended') from None
        if found and os.WIFSTOPPED(status):
            return os.WSTOPSIG(status), status >> 16
        if found:
            raise TraceError('has ended')
        time.sleep(0.0005)
    raise _StillRunning('did not stop')


def _transfer(request: int, pid: int, kind: int, data: ctypes.Array[ctypes.c_char], size: int) -> int:
    """Bytes of a set of registers that were read or written."""
    class Vector(ctypes.Structure):
        _fields_ = [('start', ctypes.c_void_p), ('size', ctypes.c_size_t)]
    vector = Vector(ctypes.addressof(data), size)
    _ptrace(request, pid, kind, ctypes.addressof(vector))
    return int(vector.size)


_libc: Optional[ctypes.CDLL] = None


def _ptrace(request: int, pid: int, address: int, data: int) -> None:
    global _libc
    if _libc is None:
        _libc = ctypes.CDLL(None, use_errno=True)
        _libc.ptrace.argtypes = ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p
        _libc.ptrace.restype = ctypes.c_long
    if _libc.ptrace(request, pid, address, data) == -1:
        number = ctypes.get_errno()
        if isinstance(OSError(number, ''), PermissionError):
            raise NoRights('must not be traced')
        raise TraceError('has ended' if isinstance(OSError(number, ''), ProcessLookupError) else f'cannot be traced ({os.strerror(number)})')
