"""The recorder must not break the training it watches: what fails is said once, on standard error."""
from __future__ import annotations

import functools
import sys
from typing import Any, Callable, Set, TypeVar, cast

Function = TypeVar('Function', bound=Callable[..., Any])
_said: Set[str] = set()


def say(message: str) -> None:
    """One line on standard error."""
    try:
        sys.stderr.write(f'leakline: {message}\n')
        sys.stderr.flush()
    except Exception:
        pass  # standard error may be closed at exit


def say_once(message: str, about: str = '') -> None:
    """Nothing more is said of what one message was ``about``, by default its own text."""
    if (about or message) not in _said:
        _said.add(about or message)
        say(message)


def _in_a_line(error: Exception) -> str:
    """Errors of torch go on for many lines, with hints and C++ stacks."""
    try:
        lines = str(error).strip().splitlines()
    except Exception:
        lines = []
    return ': '.join([type(error).__name__, *lines[:1]])[:400]


def guarded(trouble: str) -> Callable[[Function], Function]:
    """Decorate a function that the training program or torch calls: errors become one line, and ``None`` is returned."""
    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def safe(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except Exception as error:
                # Files have ever new names: what cannot be written is said once all the same.
                about = f'{trouble}: {type(error).__name__} {error.errno}' if isinstance(error, OSError) and error.errno else ''
                say_once(f'{trouble}: {_in_a_line(error)}', about)
                return None
        return cast(Function, safe)
    return decorate
