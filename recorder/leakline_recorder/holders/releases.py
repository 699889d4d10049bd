"""Statements that could release a holder's memory: where they stand, whether anything calls them, and their runs."""
from __future__ import annotations

import ast
import dataclasses
import dis
import re
import types
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

from ..monitoring import Monitoring
from ..plain import is_a
from ..sources import is_cell
from .operations import GROWING, RELEASING, RELEASING_QUEUE
from .statements import Holder, Statements, called_name, flat, is_of, is_of_other, keyed, named, shortens, uses
from .syntax import Around, first_line

MAX_WATCHED = 100     # statements whose runs are counted
MAX_RELEASES = 12     # of one owner
MAX_DEPTH = 3         # of functions that call one another
#: Methods that by their name give memory back
_RELEASES_BY_NAME = re.compile(r'_*(?:reset|clear|release|free|flush|close|clean|cleanup|dispose|purge|evict|empty|remove|unregister|teardown|shutdown|finish)(?:_|$)')
#: Methods that a framework calls, not the program
_CALLED_BY_FRAMEWORK = re.compile(r'__\w+__$|on_|forward$|backward$|step$|(?:training|validation|test|predict)_|configure_|setup$|teardown$|run$')
_EMPTYING = frozenset({'clear', 'cache_clear', 'reset', 'truncate', 'flush', 'drain'})
#: Functions that reach attributes by names made at run time
REFLECTION = frozenset({'setattr', 'delattr', 'vars'})

Place = Tuple[str, int]


@dataclasses.dataclass(frozen=True)
class Release:
    file: str
    line: int
    function: str
    kind: str              #: 'clear', 'take', 'trim', 'bound', 'memo', 'method'
    is_conditional: bool
    #: the same once its function has run, which decides the conditions of the calls
    is_conditional_inside: bool
    #: 'loop': in a loop around the steps, or called there; 'outside': elsewhere; 'framework'; 'uncalled': nothing calls it
    where: str
    #: the length at which a bound holds, if it is a number
    value: Optional[int] = None
    defined: int = 0       #: first line of the function around it; 0 at the top of a module


class Releases:
    def __init__(self, monitoring: Monitoring, statements: Statements) -> None:
        self._monitoring, self._statements = monitoring, statements
        self._known: Dict[Tuple[Holder, bool], List[Release]] = {}
        self._watched: Dict[Place, List[Tuple[int, int]]] = {}    # statements, with their places in the monitoring

    def find(self, holder: Holder, loops: Sequence[Dict[str, Any]], is_object: bool = False) -> Optional[List[Release]]:
        """The releases of a holder, in its own files and in those of the program; ``None`` if the time ran out.
        ``is_object``: it is an object on the way to the holder, which a new object may replace.
        """
        key = holder, is_object
        if key not in self._known:
            found = list((self._replacements if is_object else self._find)(holder, loops))[:MAX_RELEASES]
            if self._statements.deadline.missed:
                return None    # another search may have more time
            self._known[key] = found
        return self._known[key]

    def _replacements(self, holder: Holder, loops: Sequence[Dict[str, Any]]) -> Iterator[Release]:
        """Statements that bind a name to a new object while the training runs: ``traj = Trajectory()``."""
        paths = self._statements.paths(holder)
        for path, module in self._statements.mentioning(paths, holder.name):
            for node, around in module.statements:
                if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call) or uses(node.value, holder) \
                        or holder.kind == 'variable' and not is_of(path, holder) or around.scope[-1:] == ('__init__',):
                    continue
                if any(named(target, holder) for target in flat(node.targets)) and not is_of_other(node, around.scope, holder):
                    yield from (one for one in self._placed(path, node.lineno, 'clear', around, paths, loops) if one.where in ('loop', 'framework'))

    def _find(self, holder: Holder, loops: Sequence[Dict[str, Any]]) -> Iterator[Release]:
        paths = self._statements.paths(holder)
        fills = {(entry['file'], entry['line']) for entry in self._statements.find(holder)}
        for path, module in self._statements.mentioning(paths, '' if holder.kind == 'hook' else holder.key or holder.name):
            others = _local_names(module.statements, holder) if holder.container else {}
            for node, around in module.statements:
                kind, value = _kind_of(node, holder, is_of(path, holder), around)
                for other in others.get(around.defined, ()) if not kind and isinstance(node, (ast.Call, ast.Delete)) else ():
                    kind = kind or _kind_of(node, other, True, around)[0]
                if kind == 'clear' and any(_is_missing(test, is_else, holder) for test, is_else in around.tests):
                    continue    # makes what was not there
                if (path, node.lineno) in fills and kind != 'trim':
                    kind = _limit_of(around.tests) if isinstance(node, ast.stmt) and holder.container else ''
                if kind and around.scope[-1:] != ('__init__',) and not is_of_other(node, around.scope, holder):
                    yield from self._placed(path, node.lineno, kind, around, paths, loops, value)
        for path, name in dict.fromkeys(holder.classes):
            for _, module in self._statements.mentioning([path], name):
                yield from self._methods(path, module.tree, name, holder, paths, loops)

    def _methods(self, path: str, tree: ast.Module, name: str, holder: Holder, paths: List[str],
                 loops: Sequence[Dict[str, Any]]) -> Iterator[Release]:
        """Methods of the holder's class that release it, by their names and by what they touch."""
        for kind in ast.walk(tree):
            for method in kind.body if isinstance(kind, ast.ClassDef) and kind.name == name else ():
                if isinstance(method, ast.FunctionDef) and _RELEASES_BY_NAME.match(method.name) and _touches(method, holder.name):
                    around = Around((name, method.name), False, first_line(method))
                    yield from self._placed(path, method.lineno, 'method', around, paths, loops)

    def _placed(self, path: str, line: int, kind: str, around: Around, paths: List[str],
                loops: Sequence[Dict[str, Any]], value: Optional[int] = None) -> Iterator[Release]:
        search = Callers(self._statements, paths, loops)
        where, is_conditional = search.of_function(around) if kind == 'method' else search.of_statement(path, line, around)
        # A function that constructors call has run without any other call of it.
        is_conditional_inside = is_conditional if search.are_constructors else around.is_conditional
        if kind in ('bound', 'memo'):    # holds wherever it runs
            where, is_conditional, is_conditional_inside = where if where == 'uncalled' else 'loop', True, True
        if where == 'before' and kind != 'method':
            return    # makes the container
        yield Release(path, line, '.'.join(around.scope) or '<module>', kind, is_conditional, is_conditional_inside,
                      'uncalled' if where == 'before' else where, value, around.defined)

    def watch(self, found: Iterable[Release]) -> None:
        """Runs of statements that could release the memory of these owners are counted from now on, and calls of their
        functions.
        """
        for one in found:
            place = one.file, one.line
            if one.kind in ('bound', 'memo') or place in self._watched or len(self._watched) >= MAX_WATCHED or not self._monitoring.is_open():
                continue
            self._watched[place] = [(id(code), line) for code, line in self._lines(one) if self._monitoring.watch_line(code, line)]

    def _lines(self, one: Release) -> Iterator[Tuple[types.CodeType, int]]:
        """The code and line to watch; of a method its first line."""
        for code in self._statements.codes_of(one.file):
            lines = sorted({line for _, line in dis.findlinestarts(code) if line})
            if one.kind == 'method' and code.co_firstlineno == one.defined:
                yield from ((code, line) for line in lines[-1:] if line == one.line)
                yield from ((code, line) for line in [line for line in lines if line > one.line][:1])
            elif one.kind != 'method' and one.line in lines:
                yield code, one.line

    def _has_run(self, one: Release) -> Optional[bool]:
        """True if the function around it runs on steps, ``None`` if unknown. Before Python 3.12, that takes eight calls."""
        if not one.defined:
            return True    # the module itself
        return self._statements.has_function_run(one.file, one.defined)

    def describe(self, found: Iterable[Release]) -> List[Dict[str, Any]]:
        return [self._described(one, self._has_run(one)) for one in found]

    def _described(self, one: Release, has_run: Optional[bool]) -> Dict[str, Any]:
        is_conditional = one.is_conditional_inside if has_run and one.defined else one.is_conditional
        return {'file': one.file, 'line': one.line, 'function': one.function, 'kind': one.kind, 'where': one.where, 'isConditional': is_conditional,
                'value': one.value, 'runs': self._runs_of((one.file, one.line)), 'hasRun': has_run}

    def runs(self) -> List[Dict[str, Any]]:
        """Runs of each statement since it is watched, without those whose code was not found."""
        return [{'file': file, 'line': line, 'runs': self._runs_of((file, line))} for (file, line), places in sorted(self._watched.items()) if places]

    def _runs_of(self, place: Place) -> Optional[int]:
        places = self._watched.get(place)
        return sum(self._monitoring.lines[at] for at in places) if places else None


class Callers:
    """Finds where statements run, by the loops around the steps."""

    def __init__(self, statements: Statements, paths: List[str], loops: Sequence[Dict[str, Any]]) -> None:
        self._statements, self._paths, self._loops = statements, paths, loops
        self.are_constructors = False    # some of those found

    def of_statement(self, path: str, line: int, around: Around, depth: int = 0) -> Tuple[str, bool]:
        """As ``Release.where`` and whether a condition decides; 'before' for a statement before the loops."""
        here = [loop for loop in self._loops if loop['file'] == path]
        if any(loop['line'] <= line <= loop['lastLine'] for loop in here):
            return 'loop', around.is_conditional
        function = around.scope[-1] if around.scope else '<module>'
        same = [loop for loop in here if loop['function'] == function]
        if same:
            return 'before' if line < same[0]['line'] else 'outside', around.is_conditional
        if function == '<module>':    # top-level code of a cell does not run while another cell runs the loop
            return 'before' if is_cell(path) else 'outside', around.is_conditional
        if function == '__init__':
            self.are_constructors = True
            return 'before', around.is_conditional
        return self.of_function(around, depth)

    def of_function(self, around: Around, depth: int = 0) -> Tuple[str, bool]:
        function = around.scope[-1]
        if _CALLED_BY_FRAMEWORK.match(function):
            return 'framework', around.is_conditional
        if depth >= MAX_DEPTH:
            return 'outside', True
        callers = [self.of_statement(path, line, by, depth + 1) if is_call else ('framework', by.is_conditional)
                   for path, line, by, is_call in self._mentions(function)]
        for where in ('loop', 'framework', 'outside', 'before'):
            found = [is_conditional for other, is_conditional in callers if other == where]
            if found:
                return where, around.is_conditional or all(found)
        return 'uncalled', around.is_conditional

    def _mentions(self, function: str) -> Iterator[Tuple[str, int, Around, bool]]:
        """Places outside of the function that call it, or that pass it on to something that does."""
        for path, module in self._statements.mentioning(self._paths, function):
            for line, around, is_call in module.names.get(function, ()):
                if function not in around.scope:
                    yield path, line, around, is_call


def _kind_of(node: Any, holder: Holder, same_file: bool, around: Around) -> Tuple[str, Optional[int]]:
    """The kind of a release, and the length of a bound; '' for other nodes."""
    if holder.kind == 'hook':
        removes = isinstance(node, ast.Call) and called_name(node.func) == 'remove' and not node.args
        return ('take' if removes else ''), None
    if holder.kind == 'cached':
        clears = isinstance(node, ast.Call) and called_name(node.func) == 'cache_clear' and called_name(getattr(node.func, 'value', None)) == holder.name
        return ('clear' if clears else ''), None
    if holder.key is not None and _empties_key(node, holder.key):
        return 'clear', None
    if holder.kind not in ('variable', 'attribute', 'cycle') or holder.kind == 'variable' and not same_file:
        return '', None
    if not holder.container and around.is_conditional and _ends_graph(node, holder):
        return 'clear', None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        # `queue.get()` takes an item out, `dict.get(key)` does not.
        releases = node.func.attr in RELEASING or node.func.attr in RELEASING_QUEUE and not node.args
        return (('clear' if node.func.attr in _EMPTYING else 'take') if releases and keyed(1, node.func.value, holder) else ''), None
    if isinstance(node, ast.Delete):
        for target in node.targets:
            if keyed(1, target, holder):
                return ('trim' if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice) else 'take' if isinstance(target, ast.Subscript) else 'clear'), None
    elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
        targets = list(flat(node.targets if isinstance(node, ast.Assign) else [node.target]))
        if any(named(target, holder) or isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice) and named(target.value, holder) for target in targets):
            return ('clear' if not uses(node.value, holder) else 'trim' if shortens(node.value, holder) else ''), None
        if any(isinstance(target, ast.Subscript) and named(target.value, holder) for target in targets) and shortens(node.value, holder):
            return 'trim', None
    elif isinstance(node, (ast.If, ast.While)):
        return _bound(node, holder)
    return '', None


def _local_names(statements: Iterable[Tuple[Any, Around]], holder: Holder) -> Dict[int, List[Holder]]:
    """Variables of functions that are the container, by the functions' first lines: ``rows = self.rows``, and
    ``for held in (self.rows, self.labels)``.
    """
    found: Dict[int, List[Holder]] = {}
    for node, around in statements:
        if not around.defined:
            continue
        if isinstance(node, ast.Assign) and named(node.value, holder):
            targets = node.targets
        elif isinstance(node, ast.For) and isinstance(node.iter, (ast.Tuple, ast.List)) and any(named(part, holder) for part in node.iter.elts):
            targets = [node.target]
        else:
            continue
        found.setdefault(around.defined, []).extend(dataclasses.replace(holder, kind='variable', name=target.id)
                                                    for target in targets if isinstance(target, ast.Name))
    return found


def _limit_of(tests: Iterable[Tuple[Any, bool]]) -> str:
    """What a branch around a statement that fills a holder may limit: 'bound' its number, 'memo' to keys that are new."""
    for test, is_else in tests:
        for part in ast.walk(test):
            if isinstance(part, ast.Compare):
                # A count that must be higher lets it begin, one that must be lower ends it.
                if any(isinstance(operator, (ast.Gt, ast.GtE) if is_else else (ast.Lt, ast.LtE)) for operator in part.ops):
                    return 'bound'
                if any(isinstance(operator, (ast.In, ast.NotIn, ast.Is)) for operator in part.ops):
                    return 'memo'
    return ''


def _is_missing(test: Any, is_else: bool, holder: Holder) -> bool:
    """True if a branch runs only where there is nothing to release: ``if not hasattr(module, 'kept')``."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _is_missing(test.operand, not is_else, holder)
    if isinstance(test, ast.Call) and called_name(test.func) == 'hasattr' and len(test.args) > 1:
        return is_else and isinstance(test.args[1], ast.Constant) and test.args[1].value == holder.name
    if isinstance(test, ast.Compare) and isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value is None:
        return named(test.left, holder) and isinstance(test.ops[0], ast.IsNot if is_else else ast.Is)
    return is_else and named(test, holder)


def _empties_key(node: Any, key: str) -> bool:
    """``anything['key'] = []``, or ``anything['key'].clear()``: the dictionary may have other names."""
    if isinstance(node, ast.Assign):
        return not (isinstance(node.value, ast.BinOp)) and any(_has_key(target, key) for target in node.targets) and not any(_has_key(part, key) for part in ast.walk(node.value))
    return isinstance(node, ast.Call) and called_name(node.func) in _EMPTYING and _has_key(getattr(node.func, 'value', None), key)


def _has_key(node: Any, key: str) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value == key


def _ends_graph(node: Any, holder: Holder) -> bool:
    """A new value, or a backward pass that frees the graph of the old one."""
    if isinstance(node, ast.Assign):
        return any(named(target, holder) for target in flat(node.targets))
    return isinstance(node, ast.Call) and called_name(node.func) == 'backward' and not any(word.arg == 'retain_graph' for word in node.keywords)


def _bound(node: Any, holder: Holder) -> Tuple[str, Optional[int]]:
    """A test of the length that decides whether something is added, taken out, or whether the function goes on."""
    for test in ast.walk(node.test):
        if not isinstance(test, ast.Compare):
            continue
        sides = [test.left, *test.comparators]
        if not any(isinstance(side, ast.Call) and called_name(side.func) == 'len' and side.args and keyed(1, side.args[0], holder) for side in sides):
            continue
        values = [side.value for side in sides if isinstance(side, ast.Constant) and type(side.value) is int]
        if values and values[0] <= 1 or not any(_decides(part, holder) for branch in node.body for part in ast.walk(branch)):
            continue
        return 'bound', values[0] if values else None
    return '', None


def _decides(part: Any, holder: Holder) -> bool:
    if isinstance(part, (ast.Return, ast.Break, ast.Continue, ast.Raise)):
        return True
    if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
        return bool(_RELEASES_BY_NAME.match(part.func.attr)) or part.func.attr in RELEASING | GROWING and bool(keyed(1, part.func.value, holder))
    return isinstance(part, (ast.Delete, ast.Assign)) and any(keyed(1, target, holder) for target in part.targets)


def _touches(method: ast.FunctionDef, name: str) -> bool:
    """True if it names the attribute, or any attribute by a name made at run time."""
    for part in ast.walk(method):
        if isinstance(part, ast.Attribute) and part.attr in (name, '__dict__'):
            return True
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id in REFLECTION:
            return True
    return False


def codes(objects: List[Any], frames: Iterable[types.FrameType]) -> Iterator[types.CodeType]:
    """Code of all functions, of functions in them, and of what runs."""
    pending = [value.__code__ for value in objects if is_a(value, types.FunctionType)] + [frame.f_code for frame in frames]
    seen: Set[int] = set()
    while pending:
        code = pending.pop()
        if id(code) not in seen:
            seen.add(id(code))
            yield code
            pending.extend(part for part in code.co_consts if is_a(part, types.CodeType))
