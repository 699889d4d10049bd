"""In a process that ``leakline attach`` has reached: in its main thread, between two instructions of Python. As in a
signal handler, anything can be half done. Nothing is changed while what could notice the change is running.
"""
from __future__ import annotations

import contextlib
import ctypes
import json
import os
import sys
import threading
import time
import types
from typing import Any, Callable, Dict, Iterator, List, Tuple

import torch

from . import api
from .collector import at_rest
from .files import appearing, make_output
from .guard import OWN_FOLDER, in_a_line, ordinary
from .options import Options

#: own code below a program: it does nothing of its own meanwhile
_PASSIVE = ('attached.py', 'cli.py', '__main__.py')
_PASSIVE_FUNCTIONS = ('counted', 'waiting')    # around each call that is a step
_TORCH = os.path.join(os.path.dirname(torch.__file__), '')
#: Torch restores the modes of a thread when these end, so a mode that comes or goes within would stay or be lost.
_RESTORING = ('_ops.py', 'autograd', '_functorch', '_library', 'utils/_python_dispatch.py')
BUSY_SECONDS = 20.0      # for anything half done to end
PAUSE_SECONDS = 0.003
PASS_ON_SECONDS = 0.05
_waiting: List[Tuple[str, float]] = []    # a folder, and the end of its time
Answer = Dict[str, Any]


class Refused(Exception):
    """Why nothing was done: the end of a sentence that begins with the process."""


class Busy(Refused):
    """What is half done, and ends soon."""


def answer(folder: str) -> None:
    """Do what ``request.json`` in a folder says, and write ``answer.json``. Never raises."""
    try:
        # One side gets it: this one, or the one that no longer waits.
        os.rename(os.path.join(folder, 'request.json'), os.path.join(folder, 'taken.json'))
    except OSError:
        return
    _try(folder, time.monotonic() + BUSY_SECONDS)


def _try(folder: str, last: float) -> None:
    try:
        with at_rest(), open(os.path.join(folder, 'taken.json'), encoding='utf-8') as file:
            request = json.load(file)
            told = {'state': 'done', **_ACTIONS[request['action']](request)}
    except Busy as busy:
        if time.monotonic() < last:
            _waiting.append((folder, last))
            threading.Timer(PAUSE_SECONDS, ctypes.pythonapi.Py_AddPendingCall, (_again, None)).start()
            return
        told = {'state': 'refused', 'text': f'{busy}, at each moment of {BUSY_SECONDS:g} s. Try again later'}
    except Refused as refused:
        told = {'state': 'refused', 'text': str(refused)}
    except BaseException as error:
        told = {'state': 'refused', 'text': 'could not do it: ' + in_a_line(error)}
        if not isinstance(error, ordinary(Exception)):
            # A signal handler of the program raised it, such as that of Ctrl+C: the program gets it.
            threading.Timer(PASS_ON_SECONDS, _raise_in, (threading.get_ident(), type(error))).start()
    with contextlib.suppress(OSError), appearing(os.path.join(folder, 'answer.json')) as file:    # the folder is gone if the other side no longer waits
        file.write(json.dumps(told).encode('utf-8', 'surrogatepass'))


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
def _again(_: Any) -> int:
    """In the main thread, as before."""
    if _waiting:
        _try(*_waiting.pop())
    return 0


def _raise_in(thread: int, kind: type) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(kind))


def _start(request: Dict[str, Any]) -> Answer:
    from . import session  # noqa: F401  before the check, because an import lets other threads run

    options = Options(**request['settings'])
    if api.is_on():
        raise Refused('already records')
    if options.device == 'cuda' and not torch.cuda.is_initialized():
        raise Refused('has not used a GPU. Attach when it has, or record its CPU tensors with --device cpu')
    if options.device == 'cpu' and torch._C._len_torch_dispatch_stack():
        raise Busy('runs inside a TorchDispatchMode, where CPU tensors cannot be recorded')
    _check_rest(options.device)
    make_output(options.out)
    return {'folder': api.begin(options).folder}


def _stop(_: Dict[str, Any]) -> Answer:
    recording = api.session()
    if recording is None:
        raise Refused('does not record')
    if recording.options.device == 'cpu':
        modes = torch._C._len_torch_dispatch_stack()
        if not modes or torch._C._get_dispatch_stack_at(modes - 1) is not recording.memory:
            raise Busy('runs inside another TorchDispatchMode than the recorder')
        if torch.is_inference_mode_enabled():
            # The end of inference_mode restores the thread's state, and operations would then look for a mode that is gone.
            raise Busy('runs inside torch.inference_mode')
    _check_rest(recording.options.device)
    api.stop()
    return {'folder': recording.folder}


def _dump(_: Dict[str, Any]) -> Answer:
    recording = api.session()
    if recording is None:
        raise Refused('does not record')
    _check_rest(recording.options.device)
    api.dump()
    return {'folder': recording.folder}


def _holders(request: Dict[str, Any]) -> Answer:
    from .holders.now import holders_now
    _check_rest('cuda')
    try:
        return holders_now(request['device'], request['seconds'], request['names'])
    except ValueError as error:
        raise Refused(str(error)) from None


_ACTIONS: Dict[str, Callable[[Dict[str, Any]], Answer]] = {'start': _start, 'stop': _stop, 'dump': _dump, 'holders': _holders}


def _check_rest(device: str) -> None:
    """:raises Busy: while the program could notice a change of hooks, modes or importers, or a search for holders"""
    main = threading.main_thread().ident
    top = None
    try:
        for thread, top in sys._current_frames().items():
            for code in _codes(top):
                name = code.co_filename
                if name.startswith(OWN_FOLDER):
                    if os.path.basename(name) not in _PASSIVE and code.co_name not in _PASSIVE_FUNCTIONS:
                        raise Busy('is inside the recorder')
                elif name.startswith(_TORCH):
                    part = name[len(_TORCH):].replace(os.sep, '/')
                    if code.co_name == '_engine_run_backward':
                        # Nodes of the graph are locked, which the search for holders reads.
                        raise Busy('is inside a backward pass')
                    # An optimizer iterates over its hooks in each step, and raises if one comes or goes.
                    if part.startswith('optim/'):
                        raise Busy('is inside an optimizer')
                    if part == '_dynamo/convert_frame.py':
                        raise Busy('compiles')
                    if device == 'cpu' and thread == main and part.startswith(_RESTORING):
                        raise Busy('is inside an operation of PyTorch')
                elif thread == main and name.startswith('<frozen importlib'):
                    raise Busy('imports a module')
    finally:
        top = None    # This call's own frame would hold itself, and with it the variables of all calls around it.


def _codes(top: Any) -> Iterator[types.CodeType]:
    while top is not None:
        yield top.f_code
        top = top.f_back
