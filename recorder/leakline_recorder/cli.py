"""``python -m leakline_recorder [options] train.py …``: run a training script with recording on."""
from __future__ import annotations

import argparse
import contextlib
import dataclasses
import functools
import os
import pkgutil
import runpy
import sys
import types
import typing
from importlib.machinery import SourceFileLoader
from typing import Any, List, Optional, Tuple

from . import api, spawned
from .gpus import any_gpu
from .guard import NO_GPU, say, say_once
from .imported import when_imported
from .launch import launch, launcher
from .options import DEFAULT_OUT, Options, describe, parse


def main(arguments: Optional[List[str]] = None, name: str = 'python -m leakline_recorder') -> None:
    own, command = split(sys.argv[1:] if arguments is None else arguments)
    given = parser(name).parse_args(own)
    if not command or command == ['-m']:
        parser(name).error('which script?')
    settings = vars(given)
    if not (given.device or os.environ.get('LEAKLINE_DEVICE')) and not any_gpu():
        say_once('this machine has no GPU: nothing will be recorded. To record on the CPU over a model of the allocator:\n'
                 f"leakline: {name} --device cpu {' '.join(command)}", NO_GPU)
    # Relative to the start folder: the script may change to another one before it imports torch.
    with contextlib.suppress(OSError):    # that folder was removed
        settings['out'] = os.path.abspath(given.out or os.environ.get('LEAKLINE_OUT') or DEFAULT_OUT)
    path = launcher(command)
    if path is not None:
        launch(path, command, settings)
    spawned.arrange(settings, api.run_of_children)
    when_imported('torch', lambda: api.start(**settings))
    try:
        if command[0] == '-m':
            run_module(command[1], command[2:])
        else:
            run_script(command[0], command[1:])
    except SystemExit:
        raise
    except BaseException as error:
        _shown_from_the_program_on(error)
        raise
    finally:
        if 'torch' not in sys.modules:
            say('nothing was recorded: the program never imported torch')


def split(arguments: List[str]) -> Tuple[List[str], List[str]]:
    """The recorder's options, and the command after them. All take a value, except ``--help``."""
    at = 0
    while at < len(arguments) and arguments[at].startswith('--') or arguments[at:at + 1] == ['-h']:
        if arguments[at] == '--':
            return arguments[:at], arguments[at + 1:]
        at += 1 if '=' in arguments[at] or arguments[at] in ('-h', '--help') else 2
    return arguments[:at], arguments[at:]


def parser(name: str = 'python -m leakline_recorder', usage: str = '%(prog)s [options] (SCRIPT | -m MODULE | torchrun …) [arguments]',
           about: str = 'Run a PyTorch training and record its GPU memory for Leakline.') -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(prog=name, usage=usage, description=about, allow_abbrev=False)
    kinds = typing.get_type_hints(Options)
    for field in dataclasses.fields(Options):
        kind = kinds[field.name]
        found.add_argument('--' + field.name.replace('_', '-'), dest=field.name, metavar=kind.__name__.upper(),
                           type=functools.partial(_argument, field.name), help=f'{describe(field.name) or field.name} (default: {field.default!r})')
    return found


def _argument(name: str, text: str) -> Any:
    try:
        return parse(name, text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def run_script(path: str, arguments: List[str]) -> None:
    """Execute a file as ``__main__``; a folder or zip file with a ``__main__.py``; standard input for ``-``.
    ``runpy.run_path`` would empty the module before the exit snapshot.
    """
    sys.argv = [path] + arguments
    if path == '-':
        _look_first_in('')
        _execute(sys.stdin.buffer.read(), '<stdin>')
        return
    whole = os.path.abspath(path)
    if pkgutil.get_importer(path) is not None:
        _look_first_in(whole, even_if_safe=True)
        _new_main()
        runpy._run_module_as_main('__main__', alter_argv=False)  # type: ignore[attr-defined]
        return
    try:
        with open(path, 'rb') as file:
            source = file.read()
    except OSError as error:
        say(f"can't open {path!r}: {error.strerror}")
        sys.exit(2)
    _look_first_in(os.path.dirname(whole))
    _execute(source, whole)


def _execute(source: bytes, name: str) -> None:
    main_module = _new_main()
    main_module.__file__ = name
    main_module.__loader__ = SourceFileLoader('__main__', name)
    main_module.__dict__['__cached__'] = None
    # dont_inherit: the annotations of the program are its own, not the strings that this file asks for
    exec(compile(source, name, 'exec', dont_inherit=True), main_module.__dict__)


def run_module(name: str, arguments: List[str]) -> None:
    """Like ``python -m``, by its own function: the module stays ``__main__`` until the process ends."""
    sys.argv = ['-m'] + arguments
    _look_first_in(os.getcwd())
    _new_main()
    runpy._run_module_as_main(name)  # type: ignore[attr-defined]


def _new_main() -> types.ModuleType:
    module = types.ModuleType('__main__')
    module.__dict__['__builtins__'] = __builtins__
    if sys.version_info < (3, 14):
        module.__dict__['__annotations__'] = {}
    sys.modules['__main__'] = module
    return module


def _look_first_in(folder: str, even_if_safe: bool = False) -> None:
    """Python searches modules beside the script, not beside the recorder."""
    if getattr(sys.flags, 'safe_path', False) and not even_if_safe:
        return
    if sys.path and _is_working_folder(sys.path[0]):
        del sys.path[0]
    sys.path.insert(0, folder)


def _is_working_folder(entry: str) -> bool:
    try:
        return not entry or entry == os.getcwd()
    except OSError:
        return False  # the folder was removed


def _shown_from_the_program_on(error: BaseException) -> None:
    """Shows the program's error as without the recorder: the traceback begins in the program."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    show, traces = sys.excepthook, [trace]

    def shown(kind: Any, value: BaseException, _: Any) -> None:
        sys.excepthook, trace = show, traces.pop()    # its frames keep what the program had: not until the very end
        show(kind, value.with_traceback(trace), trace)
    sys.excepthook = shown
