"""From a holder's name to the statements that put tensors into it: a static search in the program's own files."""
from __future__ import annotations

import ast
import dataclasses
import re
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple

from ..guard import ordinary
from ..plain import modules
from ..sources import is_users, text_of
from .deadline import Deadline
from .operations import EMPTY, GROWING, GROWING_FIRST, NAMED_BY, RELEASING, RELEASING_QUEUE

MOST_FILES = 200
MOST_STATEMENTS = 4    # for one holder


@dataclasses.dataclass(frozen=True)
class Holder:
    """The target of the search: a variable or attribute, and how it holds the tensors."""

    kind: str                   #: 'variable', 'attribute', 'cached', 'hook', 'handled', 'cycle', 'create_graph'
    name: str
    owner: Optional[str]        #: function of a variable, class of an attribute
    file: Optional[str]
    key: Optional[str]          #: of `history['aux']`: 'aux'
    container: bool             #: it is a list, dict, …, and grows; else the name is bound to the tensor itself
    line: Optional[int] = None


class Statements:
    """Answers are stored. Syntax trees are not: their many objects would change the runs of the collector."""

    def __init__(self) -> None:
        self.deadline = Deadline(float('inf'))
        self._trees: Dict[str, Optional[Tuple[ast.Module, List[str]]]] = {}
        self._answers: Dict[Holder, List[Dict[str, Any]]] = {}
        self._releases: Dict[Holder, List[Tuple[str, int]]] = {}

    def forget(self) -> None:
        self._trees.clear()

    def find(self, holder: Holder) -> List[Dict[str, Any]]:
        """Best first: ``{file, line, text, score}``."""
        if holder not in self._answers:
            found = self._find(holder)[:MOST_STATEMENTS]
            if self.deadline.missed:
                return found    # another snapshot may have more time
            self._answers[holder] = found
        return self._answers[holder]

    def _find(self, holder: Holder) -> List[Dict[str, Any]]:
        found = self._search(holder, _matches)
        if not found and holder.kind == 'attribute' and not holder.container:
            found = self._search(holder, _set_by_any_name)
        ranked = sorted(found.items(), key=lambda item: (-item[1][0], item[0]))
        return [{'file': path, 'line': line, 'text': text[:200], 'score': score} for (path, line), (score, text) in ranked[:MOST_STATEMENTS]]

    def releases(self, holder: Holder) -> List[Tuple[str, int]]:
        """Statements that may remove items from the holder, or bind its name again."""
        if holder not in self._releases:
            self._releases[holder] = sorted(self._search(holder, _releases))
        return self._releases[holder]

    def _search(self, holder: Holder, matches: Callable[[ast.Module, Holder, bool], Iterator[Tuple[Any, int]]]) -> Dict[Tuple[str, int], Tuple[int, str]]:
        found: Dict[Tuple[str, int], Tuple[int, str]] = {}
        for path in self._paths(holder.file):
            if self.deadline.passed():
                break    # where the time is over
            parsed = self._tree(path)
            if parsed is None:
                continue
            tree, lines = parsed
            for node, score in matches(tree, holder, path == holder.file):
                at = (path, node.lineno)
                text = lines[node.lineno - 1].strip() if node.lineno <= len(lines) else ''
                if score > found.get(at, (0, ''))[0]:
                    found[at] = (score, text)
        return found

    def _paths(self, first: Optional[str]) -> Iterator[str]:
        paths = [first] if first else []
        for _, _, path in modules():
            if path and path.endswith('.py') and path not in paths and len(paths) < MOST_FILES and is_users(path):
                paths.append(path)
        return iter(paths)

    def _tree(self, path: str) -> Optional[Tuple[ast.Module, List[str]]]:
        if path not in self._trees:
            try:
                text = text_of(path)
                if not text:
                    raise OSError('cannot be read')
                self._trees[path] = (ast.parse(text), text.splitlines())
            except ordinary(OSError, SyntaxError, ValueError, RecursionError, MemoryError):
                self._trees[path] = None
        return self._trees[path]


def _matches(tree: ast.Module, holder: Holder, same_file: bool) -> Iterator[Tuple[Any, int]]:
    if holder.kind == 'cached':
        yield from _cached(tree, holder, same_file)
        return
    if holder.kind == 'create_graph':
        yield from _create_graph(tree)
        return
    if holder.kind == 'handled':
        yield from _handler(tree, holder, same_file)
        return
    for node, scope in _scoped(tree):
        score = _score(node, holder)
        if score:
            names = [name for name in scope if name]
            here = holder.owner is not None and any(part in names for part in holder.owner.replace('.<locals>', '').split('.'))
            initial = bool(names) and names[-1] == '__init__'
            if holder.kind == 'variable' and not (same_file and (here or holder.owner is None or '<module>' in (holder.owner or ''))):
                continue
            yield node, score + 2 * here + same_file - 2 * initial
    if holder.kind == 'variable' and same_file:
        yield from _passed_on(tree, holder)


def _releases(tree: ast.Module, holder: Holder, same_file: bool) -> Iterator[Tuple[Any, int]]:
    if holder.kind not in ('variable', 'attribute') or holder.kind == 'variable' and not same_file:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            # `queue.get()` takes an item out, `dict.get(key)` does not.
            releases = node.func.attr in RELEASING or node.func.attr in RELEASING_QUEUE and not node.args
            taken = [node.func.value] if releases else []
        elif isinstance(node, ast.Delete):
            taken = node.targets
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and not _uses(node.value, holder):
            taken = list(_flat(node.targets if isinstance(node, ast.Assign) else [node.target]))
        else:
            taken = []
        if any(_keyed(1, expression, holder) for expression in taken):
            yield node, 1


def _uses(value: Any, holder: Holder) -> bool:
    return value is None or any(_named(part, holder) for part in ast.walk(value))


def _scoped(tree: ast.AST, scope: Tuple[str, ...] = ()) -> Iterator[Tuple[Any, Tuple[str, ...]]]:
    """Every node with the names of the classes and functions around it."""
    for child in ast.iter_child_nodes(tree):
        yield child, scope
        inner = scope + (child.name,) if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) else scope
        yield from _scoped(child, inner)


def _score(node: Any, holder: Holder) -> int:
    """The score of a statement; 0 if it does not touch the holder."""
    if isinstance(node, ast.Call) and _called(node.func) in GROWING_FIRST and node.args:
        return _keyed(4 if holder.container else 1, node.args[0], holder)
    if isinstance(node, ast.Call) and holder.kind == 'attribute' and not holder.container and _called(node.func) in NAMED_BY:
        at = NAMED_BY[_called(node.func) or '']
        return 4 if len(node.args) > at and _spells(node.args[at], holder.name) else 0
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr not in GROWING:
            return 0
        if holder.kind == 'hook':
            return 4 if 'hook' in node.func.attr else 0
        return _keyed(4 if holder.container else 1, node.func.value, holder)
    if isinstance(node, ast.AugAssign):
        return _keyed(4, node.target, holder)
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return max((_assigned(node, target, holder) for target in _flat(targets)), default=0)
    return 0


def _set_by_any_name(tree: ast.Module, holder: Holder, same_file: bool) -> Iterator[Tuple[Any, int]]:
    """``setattr(self, name, value)`` in a method, where no statement contains the name. Not in ``__init__``, which sets
    initial attributes.
    """
    for node, scope in _scoped(tree):
        at = NAMED_BY.get(_called(node.func) or '') if isinstance(node, ast.Call) else None
        if at is None or len(node.args) <= at or any(_spelling(node.args[at])):
            continue
        target = node.args[0] if at else getattr(node.func, 'value', None)
        itself = isinstance(target, ast.Name) and target.id == 'self'
        if itself and len(scope) > 1 and scope[-1] != '__init__' and holder.owner is not None and scope[-2] == holder.owner.split('.')[-1]:
            yield node, 1 + same_file


def _called(function: Any) -> Optional[str]:
    """The last part of a function's name: `heappush` of `heapq.heappush`."""
    return function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else None


def _spells(expression: Any, name: str) -> bool:
    """True if this expression can be the name: its literal parts must fit, and contain something of it."""
    parts = _spelling(expression)
    return any(len(part) > 1 for part in parts) and re.fullmatch('.*'.join(map(re.escape, parts)), name, re.DOTALL) is not None


def _spelling(expression: Any) -> List[str]:
    """The texts in an expression that makes a text, with anything between them: ``f'seen_{i}'`` is ``['seen_', '']``."""
    if isinstance(expression, ast.Constant) and isinstance(expression.value, str):
        return [expression.value]
    if isinstance(expression, ast.JoinedStr):
        parts = ['']
        for value in expression.values:
            told = _spelling(value)
            parts[-1:] = [parts[-1] + told[0], *told[1:]]
        return parts
    if isinstance(expression, ast.BinOp) and isinstance(expression.op, ast.Add):
        left, right = _spelling(expression.left), _spelling(expression.right)
        return [*left[:-1], left[-1] + right[0], *right[1:]]
    if isinstance(expression, ast.BinOp) and isinstance(expression.op, ast.Mod):
        return [part for told in _spelling(expression.left) for part in re.split(r'%[-+ #0-9.]*[a-zA-Z]', told)]
    if isinstance(expression, ast.Call) and _called(expression.func) == 'format' and isinstance(expression.func, ast.Attribute):
        return [part for told in _spelling(expression.func.value) for part in re.split(r'{[^{}]*}', told)]
    return ['', '']


def _assigned(node: Any, target: Any, holder: Holder) -> int:
    if node.value is None or _is_empty(node.value):
        return 0
    if isinstance(target, ast.Subscript) and holder.container:
        return _keyed(4, target, holder)
    itself = any(_named(part, holder) for part in ast.walk(node.value) if isinstance(part, (ast.Name, ast.Attribute)))
    return _keyed(4 if itself else 3 if not holder.container else 1, target, holder)


def _keyed(score: int, expression: Any, holder: Holder) -> int:
    keys = []
    while isinstance(expression, ast.Subscript):
        index = expression.slice
        if isinstance(index, ast.Constant):
            keys.append(index.value)
        expression = expression.value
    if not _named(expression, holder):
        return 0
    if holder.key is not None and keys:
        score += 2 if holder.key in keys else -3
    return max(score, 0)


def _named(expression: Any, holder: Holder) -> bool:
    if holder.kind in ('attribute', 'cycle', 'hook'):
        return isinstance(expression, ast.Attribute) and expression.attr == holder.name
    return isinstance(expression, ast.Name) and expression.id == holder.name


def _flat(targets: Iterable[Any]) -> Iterator[Any]:
    for target in targets:
        if isinstance(target, (ast.Tuple, ast.List)):
            yield from _flat(target.elts)
        else:
            yield target


def _is_empty(value: Any) -> bool:
    if isinstance(value, ast.Constant):
        return True
    if isinstance(value, (ast.List, ast.Tuple, ast.Set)):
        return not value.elts
    if isinstance(value, ast.Dict):
        return not value.keys
    return isinstance(value, ast.Call) and not value.args and _called(value.func) in EMPTY


def _cached(tree: ast.Module, holder: Holder, same_file: bool) -> Iterator[Tuple[Any, int]]:
    """The decorator of the cached function, else its definition."""
    for node in ast.walk(tree):
        if same_file and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == holder.name:
            for decorator in node.decorator_list:
                if 'cache' in ast.dump(decorator):
                    yield decorator, 6
            yield node, 3


def _create_graph(tree: ast.Module) -> Iterator[Tuple[Any, int]]:
    """``backward`` calls that leave a graph behind the gradients."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == 'backward':
            if any(word.arg == 'create_graph' and not (isinstance(word.value, ast.Constant) and not word.value.value) for word in node.keywords):
                yield node, 6


def _handler(tree: ast.Module, holder: Holder, same_file: bool) -> Iterator[Tuple[Any, int]]:
    """The ``except`` whose ``try`` raised."""
    for node in ast.walk(tree):
        if same_file and isinstance(node, ast.Try) and node.handlers and holder.line is not None:
            if node.body[0].lineno <= holder.line <= (node.body[-1].end_lineno or node.body[-1].lineno):
                yield node.handlers[0], 6


def _passed_on(tree: ast.Module, holder: Holder) -> Iterator[Tuple[Any, int]]:
    """The variable is an argument of a call: look at the parameter inside the function that is called."""
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        function = functions.get(call.func.id)
        if function is None or function.name == holder.owner:
            continue
        for argument, parameter in zip(call.args, function.args.args):
            if _named(argument, holder):
                inner = dataclasses.replace(holder, name=parameter.arg, owner=function.name)
                for node in ast.walk(function):
                    score = _score(node, inner)
                    if score:
                        yield node, score + 1
