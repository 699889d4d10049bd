"""Steps of programs without an optimizer: rounds of the loop that calls a module, or calls of a named function."""
from __future__ import annotations

import functools
import gc
import inspect
import sys
import threading
import types
import warnings
import weakref
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

import torch
from torch.nn.modules.module import register_module_forward_pre_hook

from .guard import guarded, say_once
from .imported import when_imported
from .loops import Around, Loops
from .memory import DeviceMemory, allocations
from .monitoring import Monitoring
from .plain import HELD_LOCALS, is_a
from .sources import is_machinery, is_standard, is_users
from .step_counter import StepCounter

CHECKED_ROUNDS = 3      # that must allocate device memory before a loop counts
MAX_OTHERS = 10_000     # calls of other modules before the watched class is given up

#: By name of a server or library: the functions whose calls are steps
PRESETS: Dict[str, Tuple[str, ...]] = {
    # An engine keeps its bound step in an attribute: attached later, only the callers of that attribute can be counted.
    'vllm': ('vllm.v1.engine.core:EngineCore.step', 'vllm.v1.engine.core:EngineCore.step_with_batch_queue',
             'vllm.v1.engine.core:EngineCoreProc._process_engine_step', 'vllm.v1.engine.core_client:InprocClient.get_output',
             'vllm.engine.llm_engine:LLMEngine.step'),
    'sglang': ('sglang.srt.managers.scheduler:Scheduler.run_batch',),
    'comfyui': ('execution:PromptExecutor.execute',),
    'generate': ('transformers.generation.utils:GenerationMixin.generate',),
    'diffusers': ('diffusers.pipelines.pipeline_utils:DiffusionPipeline.maybe_free_model_hooks',),
}


class Turn(NamedTuple):
    """A loop at one call of the watched module: ``mark`` differs in the next round."""

    code: int
    loop: int
    activation: int
    mark: Any


class LoopSteps:
    """Until an optimizer is made or the program marks its steps, each round of the innermost loop of the program around
    its first module is a step, if it allocates device memory.
    """

    def __init__(self, steps: StepCounter, memory: DeviceMemory, monitoring: Monitoring) -> None:
        self._steps, self._memory = steps, memory
        self._loops = Loops(monitoring)
        self._kind: Optional[Callable[[], Any]] = None
        self._thread = 0
        self._others = 0
        self._turns: Dict[Tuple[int, int], Turn] = {}      # the last of each loop
        self._checked: Dict[Tuple[int, int], int] = {}     # rounds of each loop that allocated device memory
        self._allocated: Dict[Tuple[int, int], int] = {}
        self._chosen: Optional[Tuple[int, int]] = None     # the loop whose rounds are steps
        self._handle: Any = None
        self._plain: Any = None      # of the optimizer's class, and what stands in for it
        self._created: Any = None
        self._filter: Any = None     # of warnings

    @property
    def looks(self) -> bool:
        return self._handle is not None

    def start(self, beside_optimizers: bool = False) -> None:
        """Unless there is an optimizer: with a hook, the stacks of the first step would have other frames of torch."""
        if not beside_optimizers and any(is_a(value, torch.optim.Optimizer) for value in gc.get_objects()):
            return
        # The collector may call this while torch goes through such hooks of the program.
        if beside_optimizers and getattr(torch.nn.modules.module, '_global_forward_pre_hooks', None):
            return
        def called(module: Any, _: Any) -> None:
            self._called(module)
        setattr(called, '_torchdynamo_disable', True)    # without importing the compiler, which takes seconds
        # The hook may be called once more for a compiled module: that has no effect, and the program did not ask for it.
        filters = list(warnings.filters)
        warnings.filterwarnings('ignore', message=r'Using `torch\.compile\(module\)` when there are global hooks')
        self._filter = next((one for one in warnings.filters[:1] if one not in filters), None)
        self._handle = register_module_forward_pre_hook(called)
        plain = self._plain = torch.optim.Optimizer.__init__

        @functools.wraps(plain)
        def created(optimizer: Any, *args: Any, **kwargs: Any) -> None:
            self.stop()
            plain(optimizer, *args, **kwargs)
        self._created = created
        torch.optim.Optimizer.__init__ = created  # type: ignore[method-assign]

    def stop(self) -> None:
        if self._handle is not None:
            self._handle.remove()
            self._handle = None
            if self._filter in warnings.filters:
                warnings.filters.remove(self._filter)    # type: ignore[attr-defined]
            if torch.optim.Optimizer.__init__ is self._created:
                torch.optim.Optimizer.__init__ = self._plain  # type: ignore[method-assign]

    @guarded('could not look for steps')
    def _called(self, module: Any) -> None:
        if not self._steps.counts_rounds:
            self.stop()
            return
        # By its class: the program may make a new module for each round.
        watched = self._kind() if self._kind is not None else None
        if type(module) is not watched:
            self._others += 1
            if watched is not None and self._others < MAX_OTHERS:
                return
            self._kind, self._chosen = weakref.ref(type(module)), None
            self._thread = threading.get_ident()
        self._others = 0
        if threading.get_ident() == self._thread:
            self._look(sys._getframe())

    def _look(self, frame: Optional[types.FrameType]) -> None:
        turn = self._turn(frame)
        if turn is None:
            return
        loop = turn.code, turn.loop
        last, self._turns[loop] = self._turns.get(loop), turn
        if HELD_LOCALS and self._chosen is None:
            held = {each.activation for each in self._turns.values()}
            for activation in [key for key in HELD_LOCALS if key not in held]:
                del HELD_LOCALS[activation]
        if last is None or turn == last or loop != (self._chosen or loop):
            return
        if self._chosen is None:
            before, self._allocated[loop] = self._allocated.get(loop), allocations(self._memory)
            self._checked[loop] = self._checked.get(loop, 0) + 1 if before is None or self._allocated[loop] > before else 0
            if self._checked[loop] >= CHECKED_ROUNDS:
                self._chosen = loop
            return
        self._steps.turn()

    def _turn(self, frame: Optional[types.FrameType]) -> Optional[Turn]:
        in_library: Any = None
        in_standard: Any = None
        while frame is not None:
            code = frame.f_code
            is_standards = is_standard(code.co_filename)
            around = self._loops.at(code, frame.f_lasti) if is_standards or not is_machinery(code.co_filename) else None
            if around is not None and is_users(code.co_filename):
                return self._turn_of(frame, around)
            if is_standards:
                in_standard = in_standard or around and (frame, around)
            else:
                in_library = in_library or around and (frame, around)
            frame = frame.f_back
        # A library's trainer runs its loop around the program's functions; asyncio and pools of threads run theirs around
        # requests.
        found = in_library or in_standard
        return self._turn_of(*found) if found else None

    def _turn_of(self, frame: types.FrameType, around: Around) -> Turn:
        activation, _, marks = self._loops.marks(frame, around)
        return Turn(id(frame.f_code), around.loops[-1].start, activation, marks[-1])


class Evaluations:
    """Calls ``begins`` when the program takes a module from training to evaluation. Few objects are made in an evaluation, so
    the collector may not run in it.
    """

    def __init__(self, begins: Callable[[], None]) -> None:
        plain = self._plain = torch.nn.Module.train
        is_inside = False    # a module changes the mode of its parts

        @functools.wraps(plain)
        def changing(module: Any, mode: bool = True) -> Any:
            nonlocal is_inside
            if mode or is_inside or not module.training:
                return plain(module, mode)
            begins()
            is_inside = True
            try:
                return plain(module, mode)
            finally:
                is_inside = False
        self._wrapped = torch.nn.Module.train = changing  # type: ignore[method-assign]

    def stop(self) -> None:
        if torch.nn.Module.train is self._wrapped:
            torch.nn.Module.train = self._plain  # type: ignore[method-assign]


class NamedSteps:
    """Each finished call of a function is a step. ``name``: 'MODULE:FUNCTION', or one of ``PRESETS``."""

    def __init__(self, steps: StepCounter, name: str) -> None:
        self._steps = steps
        self._name = name
        self._is_preset = name in PRESETS
        self._is_imported = False
        self._awaited: Optional[str] = None    # a function that the script has not defined yet
        self._running = threading.local()
        self._ends: List[Callable[[], None]] = []    # each undoes one change of the program
        for target in PRESETS.get(name, (name,)):
            module, _, path = target.partition(':')
            if not path:
                raise ValueError(f"--step expects MODULE:FUNCTION or one of {', '.join(PRESETS)}, got {name!r}")
            wrap = functools.partial(self._wrap_later, path) if module == '__main__' else functools.partial(self._wrap, module, path)
            self._ends.append(when_imported(module, wrap))

    def stop(self) -> None:
        for end in self._ends:
            end()
        self._ends.clear()

    @property
    def missed(self) -> str:
        """A sentence on a module that the program has not imported; '' if it has."""
        module, _, path = self._name.partition(':')
        if self._is_imported or self._is_preset or module == '__main__':
            return ''
        return f'--step {self._name}: the program did not import {module}; a function of the script itself is __main__:{path}'

    def look(self, is_last: bool = False) -> None:
        """Called when the script first uses the device: most scripts have defined their functions by then."""
        if self._awaited is not None:
            self._wrap('__main__', self._awaited, is_last)

    @guarded('could not count calls as steps')
    def _wrap(self, module: str, path: str, is_last: bool = True) -> None:
        self._is_imported = True
        owner: Any = sys.modules[module]
        *outer, name = path.split('.')
        for part in outer:
            owner = getattr(owner, part, None)
        function = getattr(owner, name, None)
        if function is None:
            if is_last and not self._is_preset:    # whose functions are those of several releases
                say_once(f'{module} has no {path}: its calls are not counted as steps')
            return
        self._awaited = None
        plain, is_own = vars(owner).get(name, function), name in vars(owner)
        counted = self._counted(function)
        setattr(owner, name, counted)
        self._ends.append(functools.partial(_restore, owner, name, counted, plain, is_own))

    def _wrap_later(self, path: str) -> None:
        """The script imports torch before it defines its functions, and is not done before the program ends."""
        def called(*_: Any) -> None:
            handle.remove()
            self.look(is_last=True)
        setattr(called, '_torchdynamo_disable', True)
        handle = register_module_forward_pre_hook(called)
        self._ends.append(handle.remove)
        self._awaited = path
        self.look()

    def _counted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.iscoroutinefunction(function):
            @functools.wraps(function)
            async def waiting(*args: Any, **kwargs: Any) -> Any:
                result = await function(*args, **kwargs)
                self._steps.mark()
                return result
            return waiting

        @functools.wraps(function)
        def counted(*args: Any, **kwargs: Any) -> Any:
            is_inner = getattr(self._running, 'depth', 0) > 0
            self._running.depth = getattr(self._running, 'depth', 0) + 1
            try:
                return function(*args, **kwargs)
            finally:
                self._running.depth -= 1
                if not is_inner:
                    self._steps.mark()
        return counted


def _restore(owner: Any, name: str, counted: Any, plain: Any, is_own: bool) -> None:
    """``plain`` is as the owner had it, such as a static method, unless the program has replaced it since."""
    if vars(owner).get(name) is not counted:
        return
    if is_own:
        setattr(owner, name, plain)
    else:
        delattr(owner, name)
