"""Whether what holds memory outlives each round of a library's loops: it was made outside of them, as the source tells.
Code of a library does not know the program's objects, so the rounds of its loops replace them only through the program's
own functions, and all of these that mention the holder have run.
"""
from __future__ import annotations

import sys
import types
from typing import Any, Dict, FrozenSet, List, Optional, Sequence, Set, Tuple

from ..sources import is_users
from .chains import Chain
from .releases import REFLECTION, Callers
from .statements import Holder, Statements
from .syntax import Around

_STEADY_LINKS = frozenset({'attribute', 'key', 'item'})
_IN_ROUNDS = frozenset({'loop', 'framework'})    # where a constructor makes an object per round


class Lasting:
    def __init__(self, statements: Statements, loops: Optional[Sequence[Dict[str, Any]]]) -> None:
        self._statements, self._loops = statements, loops or ()
        self._outside, self._arguments = _around(self._loops[0]) if self._loops else (frozenset(), frozenset())
        self._paths = statements.program()
        self._known: Dict[Tuple[str, str], bool] = {}
        self._reflections: Optional[List[Tuple[str, Around]]] = None

    def __call__(self, holder: Optional[Holder], chain: Chain, split: Optional[int]) -> bool:
        """``split``: the link that is an item of the container; ``None`` without a container."""
        root = chain.root
        if holder is None or root is None or not root.users or root.file is None or chain.cycle:
            return False
        place = root.file, root.function or ''
        if root.kind != 'global' and place not in self._outside and (*place, root.name) not in self._arguments:
            return False
        links = chain.links[:split] if split is not None else chain.links
        classes = [next(iter(part.classes)) for part in links if part.classes]
        return all(part.kind in _STEADY_LINKS for part in links) and \
            all(self._is_made_outside(*one) for one in classes if is_users(one[0])) and not self._is_mentioned_later(holder)

    def _is_made_outside(self, file: str, name: str) -> bool:
        """True if no round makes an object of the class. A class that nothing calls is made in a way that was not read."""
        if (file, name) not in self._known:
            paths = [file, *self._paths]
            made = [Callers(self._statements, paths, self._loops).of_statement(path, line, around)[0]
                    for path, module in self._statements.mentioning(dict.fromkeys(paths), name)
                    for line, around, is_call in module.names.get(name, ()) if is_call]
            self._known[file, name] = bool(made) and not _IN_ROUNDS & set(made)
        return self._known[file, name]

    def _is_mentioned_later(self, holder: Holder) -> bool:
        """True if a function that rounds have yet to run mentions the holder, or any attribute of its object."""
        if self._reflections is None:
            self._reflections = [place for name in REFLECTION for place in self._mentions(name)]
        classes = {name for _, name in holder.classes}
        return any(self._is_to_come(*place) for place in self._mentions(holder.name)) or \
            any(classes & set(around.scope) and self._is_to_come(path, around) for path, around in self._reflections) or \
            self._statements.deadline.missed

    def _mentions(self, name: str) -> List[Tuple[str, Around]]:
        return [(path, around) for path, module in self._statements.mentioning(self._paths, name)
                for _, around, _ in module.names.get(name, ())]

    def _is_to_come(self, path: str, around: Around) -> bool:
        if not around.defined or around.scope[-1] == '__init__' or self._statements.has_function_run(path, around.defined):
            return False
        return Callers(self._statements, self._paths, self._loops).of_function(around)[0] in _IN_ROUNDS


def _around(loop: Dict[str, Any]) -> Tuple[FrozenSet[Tuple[str, str]], FrozenSet[Tuple[str, str, str]]]:
    """Files and names of the running functions that have called the loop's function, and the arguments of that."""
    frame: Optional[types.FrameType] = sys._getframe()
    outside: Set[Tuple[str, str]] = set()
    arguments: Optional[FrozenSet[Tuple[str, str, str]]] = None
    while frame is not None:
        code = frame.f_code
        if arguments is not None:
            outside.add((code.co_filename, code.co_name))
        elif (code.co_filename, code.co_name) == (loop['file'], loop['function']):
            names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
            arguments = frozenset((code.co_filename, code.co_name, name) for name in names)
        frame = frame.f_back
    return frozenset(outside), arguments or frozenset()
