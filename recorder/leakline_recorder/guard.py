"""The recorder must not break the training: it prints its own errors once, on standard error."""
from __future__ import annotations

import dis
import functools
import inspect
import os
import signal
import sys
import types
from typing import Any, Callable, List, Set, Tuple, Type, TypeVar, cast

Function = TypeVar('Function', bound=Callable[..., Any])
_said: Set[str] = set()
#: what a message is about that several places have
NO_GPU = 'no GPU'
_RAISED_BY_C = (StopIteration, StopAsyncIteration, MemoryError)    # without arguments
_RAISING = ('RAISE_VARARGS', 'RERAISE')
OWN_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep
#: with the package that runs tests and training runs under the recorder
OWN_FOLDERS = OWN_FOLDER, os.path.join(os.path.dirname(OWN_FOLDER[:-1]), 'leakline') + os.sep


def say(message: str) -> None:
    """One line on standard error."""
    # A path may hold what acts on a terminal.
    visible = ''.join(char if char.isprintable() or char == '\n' else ascii(char)[1:-1] for char in message)
    try:
        sys.stderr.write(f'leakline: {visible}\n')
        sys.stderr.flush()
    except ordinary(Exception):
        pass  # standard error may be closed at exit


def say_once(message: str, about: str = '') -> None:
    """Prints a message once per ``about``, by default its own text."""
    if (about or message) not in _said:
        _said.add(about or message)
        say(message)


def ordinary(*kinds: Type[BaseException]) -> Tuple[Type[BaseException], ...]:
    """Behind ``except``: these errors, except those of the program, which must reach it. A signal handler may raise one
    while the recorder works.
    """
    error = sys.exc_info()[1]
    return () if error is not None and (_is_of_a_handler(error) or _is_of_another_thread(error)) else kinds


def _is_of_a_handler(error: BaseException) -> bool:
    trace, handlers = error.__traceback__, None
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(OWN_FOLDER):
            handlers = _handlers() if handlers is None else handlers
            if trace.tb_frame.f_code in handlers or _interrupted(trace.tb_frame):
                return True
        trace = trace.tb_next
    return False


def _is_of_another_thread(error: BaseException) -> bool:
    """``PyThreadState_SetAsyncExc`` makes the error without arguments, at an instruction that raises none itself."""
    trace = error.__traceback__
    if error.args or trace is None or isinstance(error, _RAISED_BY_C):
        return False
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    return dis.opname[code.co_code[max(0, trace.tb_lasti)]] not in _RAISING


def _interrupted(frame: types.FrameType) -> bool:
    """A handler gets the frame that it interrupts; another handler may have replaced it since."""
    code = frame.f_code
    names = code.co_varnames[:code.co_argcount + bool(code.co_flags & inspect.CO_VARARGS)]
    values = [frame.f_locals.get(name) for name in names]
    given = {id(part) for value in values for part in (value if type(value) is tuple else (value,)) if type(part) is types.FrameType}
    before = frame.f_back if given else None
    while before is not None and id(before) not in given:
        before = before.f_back
    return before is not None


def _handlers() -> List[Any]:
    """The function that runs at a signal."""
    found = []
    for number in signal.valid_signals():
        handler: Any = signal.getsignal(number)
        while isinstance(handler, functools.partial):
            handler = handler.func
        for part in (handler, getattr(type(handler), '__call__', None)):
            code = getattr(getattr(part, '__func__', part), '__code__', None)
            if code is not None and not code.co_filename.startswith(OWN_FOLDER):
                found.append(code)
    return found


def in_a_line(error: Exception) -> str:
    """Errors of torch have many lines, with hints and C++ stacks."""
    try:
        lines = str(error).strip().splitlines()
    except ordinary(Exception):
        lines = []
    return ': '.join([type(error).__name__, *lines[:1]])[:400]


def guarded(trouble: str) -> Callable[[Function], Function]:
    """Decorate a function that the program or torch calls: an error becomes one line and ``None``."""
    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def safe(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except ordinary(Exception) as error:
                # File names always differ: a failed write is reported once all the same.
                about = f'{trouble}: {type(error).__name__} {error.errno}' if isinstance(error, OSError) and error.errno else ''
                say_once(f'{trouble}: {in_a_line(error)}', about)
                return None
        return cast(Function, safe)
    return decorate
