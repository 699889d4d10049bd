"""``python -m leakline_recorder [options] train.py …``: run a training script with recording on."""
from __future__ import annotations

import argparse
import dataclasses
import functools
import os
import runpy
import sys
import types
import typing
from typing import List, Optional, Tuple

from . import api
from .options import Options, describe, parse


def main(arguments: Optional[List[str]] = None) -> None:
    own, command = split(sys.argv[1:] if arguments is None else arguments)
    given = parser().parse_args(own)
    if not command or command == ['-m']:
        parser().error('which script?')
    api.start(**vars(given))
    if command[0] == '-m':
        sys.argv = command[1:]
        sys.path.insert(0, os.getcwd())
        runpy.run_module(command[1], run_name='__main__', alter_sys=True)
    else:
        run_script(command[0], command[1:])


def split(arguments: List[str]) -> Tuple[List[str], List[str]]:
    """The recorder's options, and the command behind them. All of ours take a value, but ``--help``."""
    at = 0
    while at < len(arguments) and arguments[at].startswith('--'):
        at += 1 if '=' in arguments[at] or arguments[at] == '--help' else 2
    return arguments[:at], arguments[at:]


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(prog='python -m leakline_recorder', usage='%(prog)s [options] (SCRIPT | -m MODULE) [arguments of the script]',
                                    description='Run a PyTorch training and record its GPU memory for Leakline.')
    kinds = typing.get_type_hints(Options)
    for field in dataclasses.fields(Options):
        kind = kinds[field.name]
        found.add_argument('--' + field.name.replace('_', '-'), dest=field.name, metavar=kind.__name__.upper(),
                           type=functools.partial(parse, kind), help=f'{describe(field.name) or field.name} (default: {field.default!r})')
    return found


def run_script(path: str, arguments: List[str]) -> None:
    """Execute a file as ``__main__``. Not ``runpy.run_path``: that empties the module before the exit snapshot sees it."""
    sys.argv = [path] + arguments
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    main_module = types.ModuleType('__main__')
    main_module.__file__ = os.path.abspath(path)
    main_module.__builtins__ = __builtins__  # type: ignore[attr-defined]
    sys.modules['__main__'] = main_module
    with open(path, 'rb') as file:
        code = compile(file.read(), os.path.abspath(path), 'exec')
    exec(code, main_module.__dict__)
