"""Variables that each round of the loop of the steps binds before it reads them. They hold nothing from one round to the
next, so another name carries a graph on.
"""
from __future__ import annotations

import ast
import sys
import types
from typing import Any, Dict, FrozenSet, Iterable, Iterator, List, Optional, Sequence, Tuple

from .chains import Chain
from .statements import Statements, flat


class Passing:
    def __init__(self, statements: Statements, loops: Optional[Sequence[Dict[str, Any]]]) -> None:
        self._statements = statements
        self._loop = next((loop for loop in loops or () if loop['isStepLoop']), None)
        self._inside = frozenset(_inside(self._loop)) if self._loop else frozenset()    # type: FrozenSet[Tuple[str, str]]
        self._known: Dict[str, bool] = {}

    def __call__(self, chain: Chain) -> bool:
        loop, root = self._loop, chain.root
        if loop is None or root is None or root.file is None or chain.links or root.kind not in ('local', 'global'):
            return False
        if (root.file, root.function) in self._inside:
            return True
        if root.file != loop['file'] or (root.function or '<module>') != loop['function']:
            return False
        if root.name not in self._known:
            self._known[root.name] = any(_binds_first(node, root.name) for _, module in self._statements.mentioning([root.file], root.name)
                                         for node in ast.walk(module.tree) if isinstance(node, (ast.For, ast.While)) and node.lineno == loop['line'])
        return self._known[root.name]


def _inside(loop: Dict[str, Any]) -> Iterator[Tuple[str, str]]:
    """Files and names of the functions that the loop's function has called and that still run."""
    frame: Optional[types.FrameType] = sys._getframe()
    inside: List[Tuple[str, str]] = []
    while frame is not None:
        place = frame.f_code.co_filename, frame.f_code.co_name
        if place == (loop['file'], loop['function']):
            yield from inside
            return
        inside.append(place)
        frame = frame.f_back


def _binds_first(loop: Any, name: str) -> bool:
    return isinstance(loop, ast.For) and _is_target(name, [loop.target]) or _first_binds(loop.body, name) is True


def _first_binds(body: Iterable[Any], name: str) -> Optional[bool]:
    """True if the first statement that mentions a name binds it in any case, ``None`` if none mentions it."""
    for statement in body:
        if not _mentions(name, [statement]):
            continue
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            return not _mentions(name, statement.items) and _first_binds(statement.body, name)
        if isinstance(statement, ast.Try):
            return _first_binds(statement.body, name)
        return isinstance(statement, ast.Assign) and not _mentions(name, [statement.value]) and _is_target(name, statement.targets)
    return None


def _is_target(name: str, targets: Iterable[Any]) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for part in flat(targets))


def _mentions(name: str, nodes: Iterable[Any]) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for node in nodes for part in ast.walk(node))
