"""A source file of the program as the search for statements reads it: each part of its syntax tree with its surroundings."""
from __future__ import annotations

import ast
import functools
from typing import Any, Dict, Iterator, List, NamedTuple, Set, Tuple

_LEAVING = (ast.Return, ast.Continue, ast.Break)    # an error ends more than the function
_RELEASING_NODES = (ast.Call, ast.Expr, ast.Delete, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.If, ast.While, ast.For)


class Around(NamedTuple):
    """Where a node stands."""

    scope: Tuple[str, ...]    #: names of the classes and functions around it
    is_conditional: bool      #: in a branch or an exception's handler of its function
    defined: int = 0          #: first line of the innermost function
    tests: Tuple[Tuple[Any, bool], ...] = ()    #: of the branches around it in its function; true for those behind `else`


class Module:
    """A source file: its syntax tree, its lines, and the nodes that the search for releases looks at, from one pass."""

    def __init__(self, text: str) -> None:
        self.tree, self.lines = ast.parse(text), text.splitlines()

    @property
    def statements(self) -> List[Tuple[Any, Around]]:
        """Nodes that may release something, or fill a holder."""
        return self._nodes[0]

    @property
    def names(self) -> Dict[str, List[Tuple[int, Around, bool]]]:
        """Mentions by name: line, surroundings, true for a call."""
        return self._nodes[1]

    @functools.cached_property
    def _nodes(self) -> Tuple[List[Tuple[Any, Around]], Dict[str, List[Tuple[int, Around, bool]]]]:
        statements: List[Tuple[Any, Around]] = []
        names: Dict[str, List[Tuple[int, Around, bool]]] = {}
        called: Set[int] = set()
        for node, around in contexts(self.tree):
            if isinstance(node, _RELEASING_NODES):
                statements.append((node, around))
                if isinstance(node, ast.Call):
                    called.add(id(node.func))
            elif isinstance(node, (ast.Attribute, ast.Name)):
                name = node.attr if isinstance(node, ast.Attribute) else node.id
                # A call comes before its parts.
                names.setdefault(name, []).append((node.lineno, around, id(node) in called))
        return statements, names


def contexts(tree: ast.AST) -> Iterator[Tuple[Any, Around]]:
    """Every node of a module with its surroundings."""
    pending: List[Tuple[ast.AST, Around]] = [(tree, Around((), False))]
    while pending:
        node, around = pending.pop()
        for name, value in ast.iter_fields(node):
            inner = around
            if isinstance(node, ast.If) and name != 'test' and not _is_main(node):
                inner = around._replace(is_conditional=True, tests=around.tests + ((node.test, name == 'orelse'),))
            for child in value if isinstance(value, list) else (value,):
                if not isinstance(child, ast.AST):
                    continue
                here = inner._replace(is_conditional=True) if isinstance(child, ast.ExceptHandler) else inner
                if isinstance(child, ast.If) and not child.orelse and isinstance(child.body[-1], _LEAVING):
                    # What follows `if …: return` runs as if it stood behind `else`.
                    inner = inner._replace(is_conditional=True, tests=inner.tests + ((child.test, True),))
                yield child, here
                if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    here = Around(here.scope + (child.name,), False, first_line(child))
                elif isinstance(child, ast.ClassDef):
                    here = Around(here.scope + (child.name,), False)
                pending.append((child, here))


def first_line(function: Any) -> int:
    """The first line of a function with its decorators, as code objects have it."""
    return min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])


def _is_main(node: ast.If) -> bool:
    return any(isinstance(part, ast.Name) and part.id == '__name__' for part in ast.walk(node.test))
