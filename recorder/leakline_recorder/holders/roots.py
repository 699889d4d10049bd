"""The ends of chains: locals of running functions, globals of modules, attributes of classes, context variables."""
from __future__ import annotations

import contextvars
import dataclasses
import os
import sys
import types
from typing import Any, Dict, List, Optional, Tuple

from ..guard import OWN_FOLDERS
from ..plain import file_of, is_a, modules, read_locals, type_name
from ..sources import is_users


@dataclasses.dataclass(frozen=True)
class Root:
    """A name in the source."""

    kind: str            #: 'local', 'global', 'class', 'handled' (an exception in its handler)
    name: str
    file: Optional[str]
    function: Optional[str]
    line: Optional[int]
    users: bool          #: in the program's own code?

    @property
    def text(self) -> str:
        place = os.path.basename(self.file) if self.file else '?'
        if self.kind == 'local':
            return f'{place}: {self.function}() local {self.name}'
        if self.kind == 'handled':
            return f'{place}: exception being handled in {self.function}()'
        return f'{place}: {self.name}' if self.kind == 'class' else f'{place}: global {self.name}'


class Roots:
    def __init__(self) -> None:
        self._named: Dict[int, List[Root]] = {}
        self._namespaces: Dict[int, Tuple[str, Optional[str], bool]] = {}
        self.frames: Dict[int, types.FrameType] = {}    #: running frames, by identity
        self._threads()
        self._modules()

    def close(self) -> None:
        """Releases the frames: one of them is the walk's own, and leads back here."""
        self.frames.clear()
        self._named.clear()

    def of(self, value: Any) -> List[Root]:
        """Names bound directly to this object."""
        return self.at(id(value))

    def at(self, identity: int) -> List[Root]:
        return self._named.get(identity, [])

    def in_namespace(self, container: Any, value: Any) -> Optional[Root]:
        """If ``container`` is a module's dictionary or a class, the name under which it holds ``value``."""
        if id(container) in self._namespaces:
            module, file, users = self._namespaces[id(container)]
            for name, held in list(container.items()):
                if held is value and is_a(name, str):
                    return Root('global', name, file, None, None, users)
        elif is_a(container, type):
            file = file_of(container)
            for name, held in list(type.__getattribute__(container, '__dict__').items()):
                if held is value:
                    return Root('class', f'{type_name(container)}.{name}', file, None, None, bool(file and is_users(file)))
        return None

    def in_context(self, context: contextvars.Context, walk: List[Any]) -> Optional[Tuple[Root, Any]]:
        """The context variable that holds an object of a walk, and that object."""
        for variable, value in list(context.items()):
            if any(part is value for part in walk):
                found = ((name, file) for _, names, file in modules() for name, held in list(names.items()) if held is variable)
                name, file = next(found, (variable.name, None))
                return Root('global', name, file, None, None, bool(file and is_users(file))), value
        return None

    def is_namespace(self, container: Any) -> bool:
        return id(container) in self._namespaces

    def _threads(self) -> None:
        own_thread_exception = sys.exc_info()[1]
        if own_thread_exception is not None:
            self._add(own_thread_exception, _handler(own_thread_exception))
        for top in sys._current_frames().values():
            self._stack(top)
        del top    # this function's own frame: it would hold itself

    def _stack(self, top: types.FrameType) -> None:
        frame: Optional[types.FrameType] = top
        while frame is not None:
            self.frames[id(frame)] = frame
            code = frame.f_code
            if not code.co_filename.startswith(OWN_FOLDERS):
                if frame.f_locals is frame.f_globals:
                    self._namespaces[id(frame.f_globals)] = (code.co_filename, code.co_filename, is_users(code.co_filename))
                else:
                    self._locals(frame)
            frame = frame.f_back

    def _locals(self, frame: types.FrameType) -> None:
        code = frame.f_code
        users = is_users(code.co_filename)
        for name, value in read_locals(frame):
            if not name.startswith('.'):
                self._add(value, Root('local', name, code.co_filename, code.co_name, code.co_firstlineno, users))

    def _modules(self) -> None:
        for name, names, file in modules():
            self._namespaces.setdefault(id(names), (name, file, bool(file and is_users(file))))

    def _add(self, value: Any, root: Root) -> None:
        self._named.setdefault(id(value), []).append(root)


def _handler(error: BaseException) -> Root:
    """The function whose ``except`` block is running: the outermost frame of the traceback."""
    trace = error.__traceback__
    if trace is None:
        return Root('handled', type(error).__name__, None, '?', None, True)
    code = trace.tb_frame.f_code
    return Root('handled', type(error).__name__, code.co_filename, code.co_name, trace.tb_lineno, is_users(code.co_filename))
