"""``leakline attach``, ``dump``, ``detach`` and ``holders``: reach a Python process that runs. Its main thread runs one file between
two instructions of Python, by ``sys.remote_exec`` from Python 3.14 on, else by a pending call that ptrace adds.
"""
from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import os
import re
import shutil
import sys
import tempfile
import time
from typing import Any, Dict, Iterator, List, Optional

from leakline_recorder import cli
from leakline_recorder.options import Options

from . import injection
from .holding import Holders
from .traced import NoRights, TraceError

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WAIT_SECONDS = 60.0     # for the main thread to run Python
TRACED_SECONDS = 10.0   # for an earlier command to leave the process
#: A line of /proc/PID/maps for code of PyTorch. A debugger maps the libraries of its process, too, but not for execution.
_RUNS_TORCH = re.compile(r'^\S+ \S\Sx.*/libtorch', re.M)
_DEVICES = '/dev/nvidia', '/dev/kfd', '/dev/dri/'
YAMA = '/proc/sys/kernel/yama/ptrace_scope'

#: Run in the process, in a namespace of its own.
_SCRIPT = '''
import sys
def begin():
    if sys.version_info < (3, 9):
        raise ImportError('Python 3.9 or newer is needed')
    folder = {recorder!r}
    is_new = folder not in sys.path
    if is_new:
        sys.path.append(folder)
    try:
        from leakline_recorder.attached import answer
    finally:
        if is_new:
            sys.path.remove(folder)
    return answer
try:
    answer = begin()
except Exception as error:
    text = 'could not load the recorder: %s' % error
    def answer(folder):
        import json, os
        os.rename(folder + '/request.json', folder + '/taken.json')
        with open(folder + '/answer.part', 'w') as file:
            json.dump(dict(state='refused', text=text), file)
        os.rename(folder + '/answer.part', folder + '/answer.json')
answer({folder!r})
'''
#: The script is gone if ``leakline attach`` no longer waits.
_READ = """try:
    with open({path!r}, encoding='utf-8') as file:
        text = file.read()
except OSError:
    text = ''
exec(text, {{}})
"""


_ABOUT = {
    'detach': 'Write a last snapshot and end the recording of a process.',
    'dump': 'Write a snapshot of a process that records now.',
    'holders': 'Show all objects of a process that hold GPU memory now, largest first.',
}


class AttachError(Exception):
    """Why the process could not be reached, in one sentence with the remedy."""


def main(action: str, arguments: List[str]) -> int:
    try:
        given = _parser(action).parse_args(arguments)
        if given.pid is None:
            raise AttachError(_which(action))
        return {'attach': _attach, 'dump': _dump, 'detach': _detach, 'holders': _holders}[action](given)
    except AttachError as error:
        print(f'leakline: {error}', file=sys.stderr)
        return 2
    except BrokenPipeError:    # the reader, such as `head`, has all it wants
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130


def _parser(action: str) -> argparse.ArgumentParser:
    name = f'leakline {action}'
    if action == 'attach':
        found = cli.parser(name, '%(prog)s PID [options]', 'Record the GPU memory of a running Python process until `leakline detach PID`.')
    else:
        found = argparse.ArgumentParser(prog=name, description=_ABOUT[action], allow_abbrev=False)
    found.add_argument('pid', metavar='PID', nargs='?', type=int, help='number of the process; without it, the processes that use PyTorch are listed')
    if action == 'holders':
        found.add_argument('--device', default=None, choices=('cuda', 'cpu'), help="'cpu' counts CPU tensors (default: 'cuda')")
        found.add_argument('--seconds', default=5.0, type=float, help='maximum number of seconds for the search (default: 5.0)')
        found.add_argument('--names', default='source', choices=('source', 'all'), help="'all' shows each key of a dictionary")
        found.add_argument('--json', action='store_true', help='write JSON')
    return found


def _attach(given: argparse.Namespace) -> int:
    settings = vars(given)
    pid = settings.pop('pid')
    # No signal is used: a signal that arrives after the end of the recording would end the process.
    plain = {'signal': '', 'quiet': True, 'run': time.strftime('%Y%m%d-%H%M%S') + f'-{pid}'}
    options = Options.from_environment(**{name: plain.get(name) if value is None else value for name, value in settings.items()})
    options = dataclasses.replace(options, out=os.path.abspath(options.out))
    answer = ask(pid, {'action': 'start', 'settings': dataclasses.asdict(options)})
    print(f"Process {pid} records into {answer['folder']}. To stop: leakline detach {pid}")
    return 0


def _detach(given: argparse.Namespace) -> int:
    answer = ask(given.pid, {'action': 'stop'})
    print(f"Process {given.pid} no longer records. To see the leaks: leakline analyze {answer['folder']}")
    return 0


def _dump(given: argparse.Namespace) -> int:
    answer = ask(given.pid, {'action': 'dump'})
    print(f"Process {given.pid} wrote a snapshot into {answer['folder']}.")
    return 0


def _holders(given: argparse.Namespace) -> int:
    device = given.device or os.environ.get('LEAKLINE_DEVICE') or 'cuda'
    answer = ask(given.pid, {'action': 'holders', 'device': device, 'seconds': given.seconds, 'names': given.names})
    found = Holders.of(answer)
    print(json.dumps(found.as_json(), indent=2) if given.json else found)
    return 0


@dataclasses.dataclass(frozen=True)
class Process:
    """A Python process that has loaded PyTorch."""

    pid: int
    command: str      #: with its arguments
    python: str       #: path of its interpreter
    uses_gpu: bool    #: has it opened a GPU?


def processes() -> List[Process]:
    """The processes of this user, or of all users for root, the newest first."""
    found = []
    for name in os.listdir('/proc') if sys.platform == 'linux' else ():
        try:
            with open(f'/proc/{name}/maps', encoding='utf-8', errors='replace') as maps, open(f'/proc/{name}/cmdline', 'rb') as command:
                mapped = maps.read()
                if name.isdigit() and _RUNS_TORCH.search(mapped):
                    given = ' '.join(part.decode(errors='replace') for part in command.read().split(b'\0') if part)
                    uses_gpu = any(device in mapped for device in _DEVICES) or any(path.startswith(_DEVICES) for path in _opened(name))
                    found.append(Process(int(name), _printable(given), os.readlink(f'/proc/{name}/exe'), uses_gpu))
        except OSError:
            continue    # it has ended, or is not a process, or another user's
    return sorted(found, key=lambda process: -process.pid)


def _opened(pid: str) -> Iterator[str]:
    for number in os.listdir(f'/proc/{pid}/fd'):
        with contextlib.suppress(OSError):    # it is closed by now
            yield os.readlink(f'/proc/{pid}/fd/{number}')


def _which(action: str) -> str:
    """Why nothing was done without a process."""
    found = processes()
    if not found:
        return f'{action} needs the number of a process, and none of this user has loaded PyTorch.'
    return '\n'.join([f'{action} needs the number of a process. These have loaded PyTorch:', *(f'{one.pid:>10}  {one.command}' for one in found)])


def ask(pid: int, request: Dict[str, Any]) -> Dict[str, Any]:
    """The process's answer. :raises AttachError: if it cannot be reached, or refuses"""
    _check(pid)
    answer = _answer(pid, request)
    if answer.get('state') == 'done':
        return answer
    raise AttachError(f"process {pid} {_printable(str(answer.get('text')))}.")


def _printable(text: str) -> str:
    """Another process's text, in one line."""
    return ''.join(part for part in text[:500] if part.isprintable())


def _answer(pid: int, request: Dict[str, Any]) -> Dict[str, Any]:
    with _private_folder(pid, request) as folder:
        path, taken, answer = (os.path.join(folder, name) for name in ('script.py', 'taken.json', 'answer.json'))
        _run(pid, path)
        last = time.monotonic() + WAIT_SECONDS
        while not os.path.exists(answer):
            if not os.path.exists(f'/proc/{pid}') or _status(pid).get('State', 'Z')[0] in 'ZX':
                raise AttachError(f'process {pid} has ended.')
            if time.monotonic() > last and not os.path.exists(taken):
                with contextlib.suppress(FileNotFoundError):
                    os.remove(os.path.join(folder, 'request.json'))
                    raise AttachError(f'the main thread of process {pid} ran no Python for {WAIT_SECONDS:g} s, so nothing was changed. '
                                      'Try again when it is not waiting.')
            time.sleep(0.01)
        with open(answer, encoding='utf-8') as file:
            found: Dict[str, Any] = json.load(file)
        return found


@contextlib.contextmanager
def _private_folder(pid: int, request: Dict[str, Any]) -> Iterator[str]:
    """With the script and the request, for the user of the process alone."""
    folder = tempfile.mkdtemp(prefix='leakline-')
    try:
        for name, text in (('script.py', _SCRIPT.format(recorder=FOLDER, folder=folder)), ('request.json', json.dumps(request))):
            with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
                file.write(text)
        if os.geteuid() == 0:
            os.chown(folder, os.stat(f'/proc/{pid}').st_uid, -1)
            for name in os.listdir(folder):
                os.chown(os.path.join(folder, name), os.stat(f'/proc/{pid}').st_uid, -1)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _check(pid: int) -> None:
    """:raises AttachError: for what is known without touching the process"""
    if sys.platform != 'linux':
        raise AttachError('attach, dump, detach and holders need Linux.')
    status = _status(pid)
    last = time.monotonic() + TRACED_SECONDS
    while status.get('TracerPid', '0') != '0' and time.monotonic() < last:
        time.sleep(0.05)
        status = _status(pid)
    if not status:
        raise AttachError(f'there is no process {pid}.')
    if status['State'][0] in 'ZX':
        raise AttachError(f'process {pid} has ended.')
    if os.geteuid() not in (0, int(status['Uid'].split()[0])):
        raise AttachError(f'process {pid} belongs to another user. Run this command as that user, or as root.')
    if status['TracerPid'] != '0':
        raise AttachError(f"process {pid} is traced by process {status['TracerPid']}, such as a debugger. End that first.")
    if status['State'][0] in 'Tt':
        raise AttachError(f'process {pid} is stopped. Let it go on first: kill -CONT {pid}')
    try:
        if os.readlink(f'/proc/{pid}/ns/mnt') != os.readlink('/proc/self/ns/mnt'):
            raise AttachError(f'process {pid} runs in a container. Run this command in there.')
        with open(f'/proc/{pid}/maps', encoding='utf-8', errors='replace') as file:
            maps = file.read()
    except PermissionError:
        raise _no_rights(pid) from None
    if 'libpython' not in maps and 'python' not in os.path.basename(os.readlink(f'/proc/{pid}/exe')):
        raise AttachError(f'process {pid} is not a Python process. A launcher has one per rank: pgrep -P {pid}')
    if not _RUNS_TORCH.search(maps):
        raise AttachError(f'process {pid} has not imported torch.')


def _status(pid: int) -> Dict[str, str]:
    try:
        with open(f'/proc/{pid}/status', encoding='utf-8', errors='replace') as file:
            return {name: value.strip() for name, _, value in (line.partition(':') for line in file)}
    except OSError:
        return {}


def _no_rights(pid: int) -> AttachError:
    try:
        with open(YAMA, encoding='ascii') as file:
            scope = file.read().strip()
    except OSError:
        scope = '0'
    remedy = {'1': 'Run this command as root, or allow it: echo 0 | sudo tee ' + YAMA, '2': 'Run this command as root.',
              '3': f'{YAMA} is 3, which only a restart of the machine can change.'}
    return AttachError(f'this system does not let one process trace another, here {pid}. '
                       + remedy.get(scope, 'Run this command as root. A container needs the option --cap-add=SYS_PTRACE.'))


def _run(pid: int, path: str) -> None:
    remote: Any = getattr(sys, 'remote_exec', None)
    if remote is not None:
        try:
            remote(pid, path)
            return
        except PermissionError:
            raise _no_rights(pid) from None
        except (RuntimeError, OSError):
            pass    # another version of Python, on which ptrace does not depend
    line = f'exec({_READ.format(path=path)!r}, {{}})'    # it binds no name in the program
    try:
        injection.run_line(pid, line)
    except NoRights:
        raise _no_rights(pid) from None
    except TraceError as error:
        raise AttachError(f'process {pid} {error}.') from None
