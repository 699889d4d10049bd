"""``@pytest.mark.limit_gpu_leaks`` and the fixture ``gpu_leaks``: a test whose body leaks GPU memory fails.

The body runs some steps under the recorder, and the command line judges the recording. Without a GPU, a model of the
caching allocator stands for it: references, graphs and cycles are those of Python, but streams, fragmentation and
compiled regions are not seen.
"""
from __future__ import annotations

import contextlib
import functools
import inspect
import re
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import TYPE_CHECKING, Any, ContextManager, Iterator, List, NamedTuple, Optional, Tuple, Union

import pytest

if TYPE_CHECKING:
    from types import CodeType

    from .report import Finding

COST = 'leakline_seconds'
#: with fewer steps, no growth is proved to be a leak
MIN_STEPS = 16
#: steps from one search for holders to the next, where each step has a snapshot
SEARCHED = 6
#: Before this step, growth may be a warm-up.
FIRST_SEARCH = 12
#: Three searches prove what a holder retains. They are as many snapshots before the last one, if the last one is known:
#: over more than 15 steps in all.
SNAPSHOTS_LEFT = (3, 1, 0)
_seconds: List[float] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup('leakline').addoption(
        '--leakline', choices=('auto', 'cpu', 'off'), default='auto',
        help='device that GPU leak tests measure: the GPU if there is one (auto), the CPU, or none (off)')


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line('markers', "limit_gpu_leaks(per_step=0, steps=30, warmup=3, fail_on='leak'): run the test as so "
                                       "many steps, and fail if GPU memory leaks more than per_step ('1MB') per step")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == 'call':    # by the report: the test may have run in another process
        _seconds.extend(value for name, value in report.user_properties if name == COST)


class GpuLeaks:
    """The memory of one test's steps. Its recording lies in a temporary folder until the verdict. :param limits:
    ``per_step`` is over all findings :param every: steps from one snapshot to the next :param repeats: the code that
    repeats the test's body, and the body's
    """

    def __init__(self, item: pytest.Item, limits: 'Limits', every: int, repeats: 'Optional[Tuple[CodeType, CodeType]]' = None) -> None:
        self._item = item
        self._limits = limits
        self._every = every
        self._repeats = repeats
        self._steps = 0
        self._amounts: List[Tuple[int, int]] = []    # live bytes and blocks after each step
        self._model = item.config.getoption('--leakline') == 'cpu'
        self._folder: Optional[tempfile.TemporaryDirectory[str]] = None
        self._exits = contextlib.ExitStack()

    @contextlib.contextmanager
    def step(self) -> Iterator[None]:
        """One step: memory that it allocates and that outlives it is judged."""
        __tracebackhide__ = True
        from leakline_recorder import api

        if self._item.config.getoption('--leakline') == 'off':
            yield
            return
        if self._folder is None:
            self._start()
        yield
        # A search takes a second, and only growth needs the holder.
        self._steps += 1
        self._amounts.append(api.live())
        api.search_holders(self._is_due() and self._grows())
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
            from leakline_recorder.cpu_memory import CpuMemory
            memory = self._exits.enter_context(CpuMemory(hide=(__file__,)))
        options = Options(out=self._folder.name, run='test', start=0, every=self._every, widen=sys.maxsize, light=0,
                          limit=sys.maxsize, holders=False, signal='', at_exit=False, quiet=True)
        self._exits.callback(api.stop)
        api.start(options, memory=memory)
        if self._repeats is not None:
            api.repeat(*self._repeats)

    def _is_due(self) -> bool:
        """True if the next snapshot should have a search for holders."""
        if self._steps < FIRST_SEARCH:
            return False
        left, rest = divmod(self._steps if self._repeats is None else self._limits.steps - self._steps, self._every if self._every > 1 else SEARCHED)
        return rest == 0 and (self._repeats is None or left in SNAPSHOTS_LEFT)

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
            findings = self._findings(self._folder.name) if self._steps < MIN_STEPS or self._grows() else []
        finally:
            self.stop()
            self._item.user_properties.append((COST, time.perf_counter() - began))
        per_step, fail_on = self._limits.per_step, self._limits.fail_on
        leaks = [finding for finding in findings if finding.verdict == 'leak' or finding.verdict == fail_on]
        if sum(leak.bytes_per_step or 0 for leak in leaks) > per_step:
            note = [f'Measured over {_sees()}.'] if self._model else []
            pytest.fail('\n'.join([*map(str, leaks), *note]), pytrace=False)
        for finding in findings:
            if finding.verdict == 'growing' and finding not in leaks:
                self._item.warn(pytest.PytestWarning(str(finding)))

    def _grows(self) -> bool:
        """True if more is live after the last steps than after earlier ones: what does not grow does not leak."""
        part = max(1, len(self._amounts) // 4)
        earlier, last = self._amounts[part:2 * part], self._amounts[-part:]
        return any(max(column) < max(after) for column, after in zip(zip(*earlier), zip(*last)))

    def _findings(self, folder: str) -> List[Finding]:
        from .command_line import NodeMissing
        from .report import AnalysisError, analyze

        try:
            return analyze(folder, root=_root(self._item.config)).findings
        except (NodeMissing, AnalysisError) as error:
            trouble = f'No verdict on GPU leaks: {error}'
        pytest.fail(trouble, pytrace=False)    # outside of the handler: the cause would be printed too


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
    return GpuLeaks(request.node, limits, every=1)


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
    per_step: int      #: bytes that may leak per step
    steps: int
    warmup: int
    fail_on: str       #: 'leak', or 'growing' for growth that is not proved to be a leak, too


def _limits(per_step: Union[int, str] = 0, steps: int = 30, warmup: int = 3, fail_on: str = 'leak') -> Limits:
    """The arguments of the marker."""
    size = _size(per_step)
    if size is None or not all(isinstance(number, int) and number >= 0 for number in (steps, warmup)) or fail_on not in ('leak', 'growing'):
        pytest.fail(f"limit_gpu_leaks takes a size such as '1MB', whole numbers, and 'leak' or 'growing': "
                    f'per_step={per_step!r}, steps={steps!r}, warmup={warmup!r}, fail_on={fail_on!r}', pytrace=False)
    return Limits(size, steps, warmup, fail_on)


def _size(size: Union[int, str]) -> Optional[int]:
    """Bytes of a size such as ``1MB`` or ``512 KiB``; None for anything else."""
    if isinstance(size, int):
        return size if size >= 0 else None
    found = re.fullmatch(r'(\d+(?:\.\d+)?) ?([KMG]?)(i?)B', str(size))
    if found is None:
        return None
    number, power, binary = found.groups()
    return int(float(number) * (1024 if binary else 1000) ** ' KMG'.index(power or ' '))


def _checked(item: pytest.Function, watch: GpuLeaks) -> None:
    __tracebackhide__ = True
    del item.runtest    # that of its class again: a plugin may run the test once more
    try:
        item.runtest()
        watch.check()
    finally:
        watch.stop()


def _repeated(item: pytest.Function, limits: Limits) -> None:
    """Runs a test's body once per step; the warm-up runs before any memory is watched."""
    __tracebackhide__ = True
    body = item.obj
    # The last step has a snapshot, where the number of steps allows it.
    every = next((each for each in (6, 5, 4, 3) if limits.steps % each == 0 and limits.steps >= 3 * each), 1)

    def turns() -> Iterator[ContextManager[None]]:
        for turn in range(limits.warmup + limits.steps):
            yield contextlib.nullcontext() if turn < limits.warmup else watch.step()

    @functools.wraps(body)
    def called(*args: Any, **named: Any) -> None:
        __tracebackhide__ = True
        for turn in turns():
            with turn:
                body(*args, **named)

    @functools.wraps(body)
    async def awaited(*args: Any, **named: Any) -> None:
        __tracebackhide__ = True
        for turn in turns():
            with turn:
                await body(*args, **named)

    repeater = awaited if inspect.iscoroutinefunction(body) else called
    watch = GpuLeaks(item, limits, every, (repeater.__code__, getattr(inspect.unwrap(body), '__code__', repeater.__code__)))
    item.obj = repeater
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
