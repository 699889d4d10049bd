"""``@pytest.mark.limit_gpu_leaks`` and the fixture ``gpu_leaks``: a test whose body leaks GPU memory fails.

The body runs some steps under the recorder, and the command line judges the recording. Without a GPU, a model of the
caching allocator stands for it: references, graphs and cycles are those of Python, but streams, fragmentation and
compiled regions are not seen.
"""
from __future__ import annotations

import contextlib
import functools
import inspect
import json
import subprocess
import sys
import tempfile
import time
from typing import Any, Dict, Iterator, List, Optional

import pytest

MODEL = ('Measured on the CPU with a model of the CUDA allocator. It sees Python references, autograd graphs and cycles, '
         'but no streams, fragmentation, custom kernels or compiled regions.')
SECONDS = pytest.StashKey[float]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup('leakline').addoption(
        '--leakline', choices=('auto', 'cpu', 'off'), default='auto',
        help='where tests of GPU leaks measure: the GPU if there is one (auto), the CPU, or not at all')


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line('markers', 'limit_gpu_leaks(per_step=0, steps=30, warmup=3): run the test as so many steps, '
                                       'and fail if GPU memory leaks more than per_step bytes per step')
    config.stash[SECONDS] = 0.0


class GpuLeaks:
    """The memory of one test's steps. The recording lies in a temporary folder, and is removed with its verdict.

    :param per_step: bytes that may leak per step, over all findings
    :param every: steps from one snapshot to the next
    """

    def __init__(self, item: pytest.Item, per_step: int, every: int) -> None:
        self._item = item
        self._per_step = per_step
        self._every = every
        self._model = item.config.getoption('--leakline') == 'cpu'
        self._folder: Optional[tempfile.TemporaryDirectory[str]] = None
        self._exits = contextlib.ExitStack()

    @contextlib.contextmanager
    def step(self) -> Iterator[None]:
        """One step: what is allocated in it and outlives it is judged."""
        from leakline_recorder import api

        if self._item.config.getoption('--leakline') == 'off':
            yield
            return
        if self._folder is None:
            self._start()
        yield
        api.mark_step()

    def _start(self) -> None:
        import torch
        from leakline_recorder import api
        from leakline_recorder.options import Options

        self._folder = tempfile.TemporaryDirectory(prefix='leakline-')
        self._exits.callback(self._folder.cleanup)
        memory = None
        self._model = self._model or not torch.cuda.is_available()
        if self._model:
            from .cpu_memory import CpuMemory
            memory = self._exits.enter_context(CpuMemory(hide=(__file__,)))
        # The sources are at hand: they tell what holds the memory, without a walk over all objects.
        options = Options(out=self._folder.name, run='test', start=0, every=self._every, widen=sys.maxsize, light=0,
                          limit=sys.maxsize, holders=False, signal='', at_exit=False, quiet=True)
        self._exits.callback(api.stop)
        api.start(options, memory=memory)

    def stop(self) -> None:
        """Stop recording without a verdict."""
        self._exits.close()
        self._folder = None

    def check(self) -> None:
        """Judge the steps so far, once. Fails the test if more leaks than may."""
        from leakline_recorder import api

        if self._folder is None:
            return
        began = time.perf_counter()
        try:
            api.stop()
            findings = self._findings(self._folder.name)
        finally:
            self.stop()
            self._item.config.stash[SECONDS] += time.perf_counter() - began
        leaks = [finding for finding in findings if finding['verdict'] == 'leak']
        if sum(leak['bytesPerStep'] or 0 for leak in leaks) > self._per_step:
            note = [MODEL] if self._model else []
            pytest.fail('\n'.join([line for leak in leaks for line in _told(leak)] + note), pytrace=False)
        for finding in findings:
            if finding['verdict'] == 'growing':
                self._item.warn(pytest.PytestWarning('\n'.join(_told(finding))))

    def _findings(self, folder: str) -> List[Dict[str, Any]]:
        from .command_line import command

        root = str(self._item.config.rootpath)
        done = subprocess.run(command(['analyze', '--json', '--root', root, folder]), capture_output=True, text=True)
        if not done.stdout:
            pytest.fail(f'Leakline could not judge the recording: {done.stderr.strip()}', pytrace=False)
        return [finding for run in json.loads(done.stdout)['runs'] for finding in run['findings']]


def _told(finding: Dict[str, Any]) -> List[str]:
    """A finding in lines: place and sentence, allocating lines, fix."""
    holder = finding['holder'] or {}
    lines = [f"{finding['file']}:{finding['line']}: {finding['sentence']}"]
    lines += [f"  Allocated at {line['file']}:{line['line']} ({line['function']})." for line in finding['lines']
              if (line['file'], line['line']) != (finding['file'], finding['line'])]
    return lines + ([f"  Fix: {holder['fix']}"] if holder.get('fix') else [])


@pytest.fixture
def gpu_leaks(request: pytest.FixtureRequest) -> GpuLeaks:
    """Steps by hand: ``with gpu_leaks.step():`` around each. The test fails if they leak."""
    # A snapshot after each step: any may be the last, after which the variables of the test are gone.
    return GpuLeaks(request.node, per_step=0, every=1)


def pytest_runtest_setup(item: pytest.Item) -> None:
    mark = item.get_closest_marker('limit_gpu_leaks')
    if mark is not None and isinstance(item, pytest.Function) and item.config.getoption('--leakline') != 'off':
        item.obj = _repeated(item, **mark.kwargs)


def _repeated(item: pytest.Function, per_step: int = 0, steps: int = 30, warmup: int = 3) -> Any:
    """A test's body that runs once per step; the warm-up runs before any memory is watched."""
    body = item.obj
    watch = GpuLeaks(item, per_step, every=max(1, steps // 3))

    @functools.wraps(body)
    def called(*args: Any, **named: Any) -> None:
        with contextlib.ExitStack() as exits:
            exits.callback(watch.stop)
            for _ in range(warmup):
                body(*args, **named)
            for _ in range(steps):
                with watch.step():
                    body(*args, **named)
            watch.check()

    @functools.wraps(body)
    async def awaited(*args: Any, **named: Any) -> None:
        with contextlib.ExitStack() as exits:
            exits.callback(watch.stop)
            for _ in range(warmup):
                await body(*args, **named)
            for _ in range(steps):
                with watch.step():
                    await body(*args, **named)
            watch.check()
    return awaited if inspect.iscoroutinefunction(body) else called


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    result = yield
    watch = pyfuncitem.funcargs.get('gpu_leaks')
    if isinstance(watch, GpuLeaks):
        watch.check()
    return result


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if config.stash[SECONDS] > 0:
        terminalreporter.write_line(f'leakline: {config.stash[SECONDS]:.1f} s for steps and verdicts')
