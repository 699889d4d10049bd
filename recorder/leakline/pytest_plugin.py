"""``@pytest.mark.limit_gpu_leaks`` and the fixture ``gpu_leaks``: a test whose body leaks GPU memory fails.

The body runs some steps under the recorder, and the command line judges the recording. Without a GPU, a model of the
caching allocator stands for it: references, graphs and cycles are those of Python, but streams, fragmentation and
compiled regions are not seen.
"""
from __future__ import annotations

import contextlib
import functools
import inspect
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import TYPE_CHECKING, Any, ContextManager, Iterator, List, NamedTuple, Optional

import pytest

if TYPE_CHECKING:
    from .report import Finding

COST = 'leakline_seconds'
#: with fewer steps, no growth is proved to be a leak
MIN_STEPS = 16
_seconds: List[float] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup('leakline').addoption(
        '--leakline', choices=('auto', 'cpu', 'off'), default='auto',
        help='device that GPU leak tests measure: the GPU if there is one (auto), the CPU, or none (off)')


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line('markers', 'limit_gpu_leaks(per_step=0, steps=30, warmup=3): run the test as so many steps, '
                                       'and fail if GPU memory leaks more than per_step bytes per step')


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == 'call':    # by the report: the test may have run in another process
        _seconds.extend(value for name, value in report.user_properties if name == COST)


class GpuLeaks:
    """The memory of one test's steps. Its recording lies in a temporary folder until the verdict. :param per_step:
    bytes that may leak per step, over all findings :param every: steps from one snapshot to the next
    """

    def __init__(self, item: pytest.Item, per_step: int, every: int) -> None:
        self._item = item
        self._per_step = per_step
        self._every = every
        self._steps = 0
        self._model = item.config.getoption('--leakline') == 'cpu'
        self._folder: Optional[tempfile.TemporaryDirectory[str]] = None
        self._exits = contextlib.ExitStack()

    @contextlib.contextmanager
    def step(self) -> Iterator[None]:
        """One step: memory that it allocates and that outlives it is judged."""
        from leakline_recorder import api

        if self._item.config.getoption('--leakline') == 'off':
            yield
            return
        if self._folder is None:
            self._start()
        yield
        api.mark_step()
        self._steps += 1

    def _start(self) -> None:
        import torch
        from leakline_recorder import api
        from leakline_recorder.options import Options

        self._folder = tempfile.TemporaryDirectory(prefix='leakline-')
        self._exits.callback(self._folder.cleanup)
        memory = None
        self._model = self._model or not torch.cuda.is_available()
        if self._model:
            from leakline_recorder.cpu_memory import CpuMemory
            memory = self._exits.enter_context(CpuMemory(hide=(__file__,)))
        # The sources are available: they show the holder, without a search of all objects.
        options = Options(out=self._folder.name, run='test', start=0, every=self._every, widen=sys.maxsize, light=0,
                          limit=sys.maxsize, holders=False, signal='', at_exit=False, quiet=True)
        self._exits.callback(api.stop)
        api.start(options, memory=memory)

    def stop(self) -> None:
        """Stop recording without a verdict."""
        self._exits.close()
        self._folder = None

    def check(self) -> None:
        """Judge the steps so far, once. Fails the test on too large a leak."""
        from leakline_recorder import api

        if self._steps < MIN_STEPS:
            self._item.warn(pytest.PytestWarning(f'{self._steps} steps prove no leak of GPU memory: take {MIN_STEPS} or more'))
        if self._folder is None:
            return
        began = time.perf_counter()
        try:
            api.stop()
            findings = self._findings(self._folder.name)
        finally:
            self.stop()
            self._item.user_properties.append((COST, time.perf_counter() - began))
        leaks = [finding for finding in findings if finding.verdict == 'leak']
        if sum(leak.bytes_per_step or 0 for leak in leaks) > self._per_step:
            note = [f'Measured over {_sees()}.'] if self._model else []
            pytest.fail('\n'.join([line for leak in leaks for line in leak.told()] + note), pytrace=False)
        for finding in findings:
            if finding.verdict == 'growing':
                self._item.warn(pytest.PytestWarning('\n'.join(finding.told())))

    def _findings(self, folder: str) -> List[Finding]:
        from .command_line import NodeMissing
        from .report import AnalysisError, analyze

        try:
            return analyze(folder, root=_root(self._item.config)).findings
        except (NodeMissing, AnalysisError) as trouble:
            pytest.fail(f'No verdict on GPU leaks: {trouble}', pytrace=False)


def _sees() -> str:
    from leakline_recorder.cpu_memory import SEES
    return SEES


def _root(config: pytest.Config) -> Path:
    """The root of the sources: the folder in which pytest started, if its configuration lies below, as in
    ``tests/pytest.ini``.
    """
    started, configured = config.invocation_params.dir, config.rootpath
    return started if started in configured.parents else configured


@pytest.fixture
def gpu_leaks(request: pytest.FixtureRequest) -> GpuLeaks:
    """Steps by hand: ``with gpu_leaks.step():`` around each. The test fails if they leak."""
    mark = request.node.get_closest_marker('limit_gpu_leaks')
    limits = _limits(*mark.args, **mark.kwargs) if mark is not None else _limits()
    # A snapshot after each step: any may be the last, after which the variables of the test are gone.
    return GpuLeaks(request.node, limits.per_step, every=1)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Not a wrapper: pluggy's older releases know other ones than its newer releases."""
    mark = item.get_closest_marker('limit_gpu_leaks')
    watch = getattr(item, 'funcargs', {}).get('gpu_leaks')
    if item.config.getoption('--leakline') == 'off' or not isinstance(item, pytest.Function):
        return
    if isinstance(watch, GpuLeaks):
        item.runtest = functools.partial(_checked, item, watch)    # type: ignore[method-assign]
    elif mark is not None:
        item.runtest = functools.partial(_repeated, item, _limits(*mark.args, **mark.kwargs))    # type: ignore[method-assign]


class Limits(NamedTuple):
    per_step: int
    steps: int
    warmup: int


def _limits(per_step: int = 0, steps: int = 30, warmup: int = 3) -> Limits:
    """The arguments of the marker."""
    limits = Limits(per_step, steps, warmup)
    if not all(isinstance(number, int) and number >= 0 for number in limits):
        raise ValueError(f'limit_gpu_leaks takes whole numbers: per_step={per_step!r} bytes, steps={steps!r}, warmup={warmup!r}')
    return limits


def _checked(item: pytest.Function, watch: GpuLeaks) -> None:
    del item.runtest    # that of its class again: a plugin may run the test once more
    try:
        item.runtest()
        watch.check()
    finally:
        watch.stop()


def _repeated(item: pytest.Function, limits: Limits) -> None:
    """Runs a test's body once per step; the warm-up runs before any memory is watched."""
    body = item.obj
    watch = GpuLeaks(item, limits.per_step, every=max(1, limits.steps // 3))

    def turns() -> Iterator[ContextManager[None]]:
        for turn in range(limits.warmup + limits.steps):
            yield contextlib.nullcontext() if turn < limits.warmup else watch.step()

    @functools.wraps(body)
    def called(*args: Any, **named: Any) -> None:
        for turn in turns():
            with turn:
                body(*args, **named)

    @functools.wraps(body)
    async def awaited(*args: Any, **named: Any) -> None:
        for turn in turns():
            with turn:
                await body(*args, **named)

    item.obj = awaited if inspect.iscoroutinefunction(body) else called
    instance = getattr(item, 'instance', None)
    if isinstance(instance, unittest.TestCase):
        setattr(instance, item.name, item.obj)    # unittest looks for a coroutine there
    try:
        _checked(item, watch)
    finally:
        item.obj = body


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if _seconds:
        terminalreporter.write_line(f'leakline: {sum(_seconds):.1f} s for verdicts of {len(_seconds)} tests')
