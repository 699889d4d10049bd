"""From a holder's name to the statements that put tensors into it: a static search in the program's own files."""
from __future__ import annotations

import ast
import dataclasses
import dis
import re
import types
from typing import Any, Callable, Dict, FrozenSet, Iterable, Iterator, List, Optional, Sequence, Tuple

from ..guard import ordinary
from ..monitoring import Monitoring
from ..plain import file_of, is_a, modules, type_name
from ..sources import cells, is_cell, is_users, text_of
from .deadline import Deadline
from .operations import EMPTY, GROWING, GROWING_FIRST
from .syntax import Module

MAX_FILES = 200
MAX_PACKAGE = 1000     # files of a library
MAX_STATEMENTS = 4    # for one holder
MAX_RANKED = 16        # statements that are ranked again in each search, by what has run
MAX_METHODS = 16       # of a library's file, that lead to a statement
RAN = 2                # score of a statement that has run
_NAMING = {'setattr': 1, 'register_buffer': 0, 'register_parameter': 0, 'add_module': 0, 'register_module': 0}    # with the name's argument
ADDS = 4               # minimum score of a statement that adds an item, in whatever file
FILLS = 5              # minimum score of a statement that fills a container; a statement that makes it has less


@dataclasses.dataclass(frozen=True)
class Holder:
    """The target of the search: a variable or attribute, and how it holds the tensors."""

    kind: str                   #: 'variable', 'attribute', 'cached', 'hook', 'registered', 'handled', 'cycle', 'create_graph', 'saved', 'called', 'through', 'passed'
    name: str
    owner: Optional[str]        #: function of a variable, class of an attribute, method that is called through a name
    file: Optional[str]
    key: Optional[str]          #: of `history['aux']`: 'aux'
    container: bool             #: it is a list, dict, …, and grows; else the name is bound to the tensor itself
    line: Optional[int] = None
    classes: Tuple[Tuple[str, str], ...] = ()   #: of an attribute's object: file and name
    near: Optional[Tuple[str, str]] = None      #: file and name of a function that a hook holds
    likely: Optional[str] = None                #: a key among many on the way to the tensors, which a statement may name


#: of an optimizer, and what adds to them; statements that set a learning rate mention the groups as well
GROUPS = Holder('attribute', 'param_groups', 'Optimizer', None, None, True)
ADDS_GROUP = Holder('called', 'add_param_group', None, None, None, True)


class Statements:
    """Answers are stored. Syntax trees are not: their many objects would change the runs of the collector."""

    def __init__(self, monitoring: Optional[Monitoring] = None) -> None:
        self._monitoring = monitoring or Monitoring()
        self._running: FrozenSet[int] = frozenset()
        self.deadline = Deadline(float('inf'))
        self._texts: Dict[str, str] = {}
        self._modules: Dict[str, Optional[Module]] = {}
        self._answers: Dict[Holder, List[Dict[str, Any]]] = {}
        self._around: Dict[Tuple[str, int], types.CodeType] = {}
        self._calls: Dict[Tuple[Optional[str], str, int], Optional[Holder]] = {}    # by the object of a library, and its statement
        self._codes: Callable[[], Iterable[types.CodeType]] = tuple
        self._codes_of: Dict[str, List[types.CodeType]] = {}

    def begin(self, deadline: Deadline, codes: Callable[[], Iterable[types.CodeType]], running: Iterable[types.CodeType]) -> None:
        """``codes``: of all functions of the process; ``running``: of those that run now."""
        self.deadline, self._codes, self._running = deadline, codes, frozenset(map(id, running))

    def forget(self) -> None:
        self._codes = tuple
        self._texts.clear()
        self._modules.clear()
        self._codes_of.clear()

    def codes_of(self, path: str) -> List[types.CodeType]:
        if not self._codes_of:
            for code in self._codes():
                self._codes_of.setdefault(code.co_filename, []).append(code)
        return self._codes_of.get(path, [])

    def find(self, holder: Holder) -> List[Dict[str, Any]]:
        """Best first: ``{file, line, text, score}``. Statements of about equal score are ranked by what has run so far."""
        found = self._answers.get(holder)
        if found is None:
            found = self._find(holder)
            if not self.deadline.missed:    # else another snapshot may have more time
                self._answers[holder] = found
        if len(found) > 1 and found[0]['score'] < found[1]['score'] + RAN:
            found = sorted(found, key=lambda one: (-one['score'] - RAN * self._has_run(one['file'], one['line']),
                                                   not self._runs(one['file'], one['line']), one['file'], one['line']))
        return found[:MAX_STATEMENTS]

    def told(self, holder: Holder, through: Optional[str] = None) -> List[Dict[str, Any]]:
        """What a person changes: as ``find``, but the program's own calls if a library's method fills the holder.
        ``through``: the program's name of the object that has the holder.
        """
        found = self.find(holder)
        if holder is GROUPS:
            return self.find(ADDS_GROUP) or found
        if holder.kind != 'attribute' or not found or found[0]['score'] < ADDS or is_users(found[0]['file']):
            return found
        call = self._own_call(through, found[0]['file'], found[0]['line'])
        return self.find(call) if call else found

    def _find(self, holder: Holder) -> List[Dict[str, Any]]:
        found = self._search(holder, _matches)
        if not found and holder.kind == 'attribute':
            found = self._search(holder, _filled_by_any_name if holder.container else _set_by_made_name)
        if not found and holder.kind == 'attribute' and holder.file and not is_users(holder.file):
            found = self._search(holder, _matches, self._package(holder))
        ranked = sorted(found.items(), key=lambda item: (-item[1][0], item[0]))
        return [{'file': path, 'line': line, 'text': text[:200], 'score': score} for (path, line), (score, text) in ranked[:MAX_RANKED]]

    def _own_call(self, through: Optional[str], path: str, line: int) -> Optional[Holder]:
        """The program's calls that lead to a statement of a library."""
        key = (through, path, line)
        if key not in self._calls:
            code = self._code_around(path, line)
            calls = [self._called(path, code), *(self._calls_through(through, path, code.co_name) if through and code else ())]
            # If several calls pass the object on, it is unknown which of them fills it.
            call = next((one for one in calls if one and self.find(one) and (one.kind != 'passed' or len(self.find(one)) == 1)), None)
            if self.deadline.missed:
                return call
            self._calls[key] = call
        return self._calls[key]

    def _calls_through(self, name: str, path: str, method: str) -> Iterator[Holder]:
        """Calls of an object or of its method (``self.precision(…)``, ``self.precision.update(…)``), calls of another method
        that calls this one, and calls that pass the attribute with the object.
        """
        methods = [method]
        for one in methods:
            yield Holder('through', name, one, None, None, True)
            for _, module in self.mentioning([path], one) if len(methods) < MAX_METHODS else ():
                callers = (around.scope[-1] for _, around, is_call in module.names.get(one, ()) if is_call and around.scope)
                methods += [caller for caller in dict.fromkeys(callers) if caller not in methods]
        yield Holder('passed', name, None, None, None, True)

    @staticmethod
    def _called(path: str, code: Optional[types.CodeType]) -> Optional[Holder]:
        """Calls of the library's method, or of the class. A method's name of one word may be that of any other function, but
        not in a class that extends the library's.
        """
        if code is None:
            return None
        owner = getattr(code, 'co_qualname', '').split('.')[0]    # from Python 3.11 on
        name = owner if code.co_name == '__init__' else code.co_name
        is_known = name == owner or '_' in name.strip('_')
        classes = () if is_known else tuple(_extending(owner, path))
        return Holder('called', name, None, None, None, True, classes=classes) if name and (is_known or classes) else None

    def _has_run(self, path: str, line: int) -> bool:
        """True if a line is known to have run; where Python cannot tell, if the function around it is."""
        code = self._code_around(path, line)
        if code is None:
            return False
        ran = self._monitoring.ran(code, line)
        return self.has_run(code) is True if ran is None else ran

    def _runs(self, path: str, line: int) -> bool:
        """True if the function around a line runs now."""
        code = self._code_around(path, line)
        return code is not None and id(code) in self._running

    def _code_around(self, path: str, line: int) -> Optional[types.CodeType]:
        """The innermost function around a line."""
        if (path, line) not in self._around:
            around = [code for code in self.codes_of(path) if code.co_firstlineno <= line <= max((at for _, at in dis.findlinestarts(code) if at), default=0)]
            if not around:
                return None
            self._around[path, line] = max(around, key=lambda code: code.co_firstlineno)
        return self._around[path, line]

    def has_run(self, code: types.CodeType) -> Optional[bool]:
        """True if a function runs now, or is known to have run; ``None`` if Python cannot tell."""
        return id(code) in self._running or self._monitoring.calls(code)

    def has_function_run(self, path: str, defined: int) -> Optional[bool]:
        """True if the function with this first line is known to have run; ``None`` if Python cannot tell."""
        code = next((code for code in self.codes_of(path) if code.co_firstlineno == defined), None)
        return None if code is None else self.has_run(code)

    def _search(self, holder: Holder, matches: Callable[[ast.Module, Holder, bool], Iterator[Tuple[Any, int]]],
                paths: Optional[List[str]] = None) -> Dict[Tuple[str, int], Tuple[int, str]]:
        found: Dict[Tuple[str, int], Tuple[int, str]] = {}
        has_name = matches is _matches and holder.kind in ('variable', 'attribute', 'cycle', 'registered', 'called', 'through', 'passed') and holder.name != '<lambda>'
        name = holder.name if has_name else ''
        for path, module in self.mentioning(self.paths(holder) if paths is None else paths, name):
            for node, score in matches(module.tree, holder, is_of(path, holder)):
                at = (path, node.lineno)
                text = module.lines[node.lineno - 1].strip() if node.lineno <= len(module.lines) else ''
                if score > found.get(at, (0, ''))[0]:
                    found[at] = (score, text)
        return found

    def paths(self, holder: Holder) -> List[str]:
        """The holder's own files, wherever they lie, then the cells of a notebook, then the program's files. A function of a
        library may be registered anywhere in the library.
        """
        package = self._package(holder) if holder.kind == 'registered' else []
        return list(dict.fromkeys([*self.program([holder.file, *(file for file, _ in holder.classes)]), *package]))

    def program(self, first: Iterable[Optional[str]] = ()) -> List[str]:
        """These files, the cells of a notebook, and the program's files."""
        users = (path for _, _, path in modules() if path and path.endswith('.py') and is_users(path))
        return list(dict.fromkeys(path for path in (*first, *cells()[:MAX_FILES], *users) if path))[:MAX_FILES]

    @staticmethod
    def _package(holder: Holder) -> List[str]:
        """The loaded files of the library that has the holder."""
        package = next((name.partition('.')[0] for name, _, path in modules() if path == holder.file), None)
        return [path for name, _, path in modules() if path and path.endswith('.py') and name.partition('.')[0] == package][:MAX_PACKAGE]

    def mentioning(self, paths: Iterable[str], name: str) -> Iterator[Tuple[str, Module]]:
        """The files whose text contains a name, until the time is over."""
        word = re.compile(rf'\b{re.escape(name)}\b')
        for path in paths:
            if self.deadline.passed():
                return
            if path not in self._texts:
                self._texts[path] = text_of(path)
            text = self._texts[path]
            if text and (not name or name in text and word.search(text)):
                module = self._module(path)
                if module is not None:
                    yield path, module

    def _module(self, path: str) -> Optional[Module]:
        if path not in self._modules:
            try:
                self._modules[path] = Module(self._texts[path])
            except ordinary(SyntaxError, ValueError, RecursionError, MemoryError):
                self._modules[path] = None
        return self._modules[path]


def _matches(tree: ast.Module, holder: Holder, same_file: bool) -> Iterator[Tuple[Any, int]]:
    if holder.kind == 'cached':
        yield from _cached(tree, holder, same_file)
        return
    if holder.kind == 'create_graph':
        yield from _create_graph(tree)
        return
    if holder.kind in ('saved', 'called'):
        yield from ((node, 6) for node, scope in scoped(tree) if isinstance(node, ast.Call) and called_name(node.func) == holder.name
                    and (not holder.classes or _is_own_call(node.func, scope, holder)))
        return
    if holder.kind == 'through':
        yield from ((node, 6) for node in ast.walk(tree) if isinstance(node, ast.Call) and _is_through(node.func, holder))
        return
    if holder.kind == 'passed':
        yield from ((node, 6) for node in ast.walk(tree) if isinstance(node, ast.Call)
                    and any(isinstance(value, ast.Attribute) and value.attr == holder.name for value in [*node.args, *(word.value for word in node.keywords)]))
        return
    if holder.kind == 'registered':
        yield from _registered(tree, holder, same_file)
        return
    if holder.kind == 'handled':
        yield from _handler(tree, holder, same_file)
        return
    for node, scope in scoped(tree):
        score = _score(node, holder)
        if score:
            names = [name for name in scope if name]
            if is_of_other(node, names, holder):
                continue
            here = _is_inside(names, holder)
            initial = bool(names) and names[-1] == '__init__'
            if holder.kind == 'variable' and not (same_file and (here or _is_of_module(holder))):
                continue
            near = holder.near is not None and same_file and any(part in names for part in holder.near[1].split('.')[:-1])
            yield node, score + 2 * here + same_file - 2 * initial + 2 * near
    if holder.kind == 'variable' and same_file:
        yield from _passed_on(tree, holder)


def _extending(name: str, path: str) -> Iterator[Tuple[str, str]]:
    """File and name of the program's classes that extend the one with this name and file."""
    for _, names, file in modules():
        for kind in list(names.values()) if file and is_users(file) else ():
            if is_a(kind, type) and any(type_name(base) == name and file_of(base) == path for base in type.__getattribute__(kind, '__mro__')):
                yield file or '', type_name(kind)


def _is_own_call(function: Any, scope: Sequence[str], holder: Holder) -> bool:
    """True for ``self.name(…)`` and ``super().name(…)`` in one of the holder's classes."""
    value = function.value if isinstance(function, ast.Attribute) else None
    is_own = isinstance(value, ast.Name) and value.id == 'self' or isinstance(value, ast.Call) and called_name(value.func) == 'super'
    return is_own and any(name in scope for _, name in holder.classes)


def _is_through(function: Any, holder: Holder) -> bool:
    value = function.value if isinstance(function, ast.Attribute) and function.attr == holder.owner else function
    while isinstance(value, ast.Subscript):
        value = value.value
    return called_name(value) == holder.name


def is_of(path: str, holder: Holder) -> bool:
    """Is the holder a name of this file? All cells of a notebook have the same names."""
    return path == holder.file or holder.file is not None and is_cell(holder.file) and is_cell(path)


def _is_inside(scope: Sequence[str], holder: Holder) -> bool:
    return holder.owner is not None and any(part in scope for part in holder.owner.replace('.<locals>', '').split('.'))


def _is_of_module(holder: Holder) -> bool:
    return holder.owner is None or '<module>' in holder.owner


def is_of_other(node: Any, scope: Sequence[str], holder: Holder) -> bool:
    """True for ``self.name`` in a class that the holder is not of."""
    if not holder.classes or holder.kind not in ('attribute', 'cycle') or any(name in scope for _, name in holder.classes):
        return False
    return any(isinstance(part, ast.Attribute) and part.attr == holder.name and isinstance(part.value, ast.Name) and part.value.id == 'self'
               for part in ast.walk(node))


def uses(value: Any, holder: Holder) -> bool:
    return value is None or any(named(part, holder) for part in ast.walk(value))


def scoped(tree: ast.AST, scope: Tuple[str, ...] = ()) -> Iterator[Tuple[Any, Tuple[str, ...]]]:
    """Every node with the names of the classes and functions around it."""
    for child in ast.iter_child_nodes(tree):
        yield child, scope
        inner = scope + (child.name,) if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) else scope
        yield from scoped(child, inner)


def _score(node: Any, holder: Holder) -> int:
    """The score of a statement; 0 if it does not touch the holder."""
    if isinstance(node, ast.Call) and called_name(node.func) in GROWING_FIRST and node.args:
        return keyed(4 if holder.container else 1, node.args[0], holder)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if holder.kind == 'hook' and node.func.attr.startswith('register_') and node.func.attr.endswith('_hook'):
            # `register_full_backward_hook` fills `_backward_hooks`, and libraries have hooks of their own.
            return 8 if node.func.attr.endswith(holder.name.strip('_').rstrip('s')) else 4
        if node.func.attr not in GROWING and node.func.attr != 'set':    # of a context variable
            return 0
        return keyed(4 if holder.container else 1, node.func.value, holder)
    if isinstance(node, ast.AugAssign):
        return keyed(4, node.target, holder)
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return max((_assigned(value, part, holder) for target in targets for part, value in paired(target, node.value)), default=0)
    return 0


def _filled_by_any_name(tree: ast.Module, holder: Holder, same_file: bool) -> Iterator[Tuple[Any, int]]:
    """``getattr(self, name).append(value)`` in a method of the holder's class."""
    classes = {name for _, name in holder.classes}
    for node, scope in scoped(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in GROWING and classes & set(scope):
            target = node.func.value
            if isinstance(target, ast.Call) and called_name(target.func) == 'getattr' and len(target.args) > 1 and not isinstance(target.args[1], ast.Constant):
                yield node, 1 + same_file


def _set_by_made_name(tree: ast.Module, holder: Holder, same_file: bool) -> Iterator[Tuple[Any, int]]:
    """``self.register_buffer(f'keys_{step}', value)`` for ``keys_12``, and ``setattr(self, name, value)``, in a method of the
    holder's class.
    """
    classes = {name for _, name in holder.classes}
    for node, scope in scoped(tree):
        at = _NAMING.get(called_name(node.func) or '') if isinstance(node, ast.Call) and classes & set(scope) else None
        if at is not None and len(node.args) > at:
            start = _start_of(node.args[at])
            if isinstance(node.args[at], ast.Name) or start and holder.name.startswith(start):
                yield node, 1 + bool(start) + same_file


def _start_of(made: Any) -> str:
    """`keys_` of `f'keys_{step}'`, `'keys_' + str(step)`, `'keys_%d' % step` and `'keys_{}'.format(step)`."""
    first = next(iter(made.values), None) if isinstance(made, ast.JoinedStr) else made.left if isinstance(made, ast.BinOp) \
        else made.func.value if isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) else None
    return re.split('[%{]', first.value)[0] if isinstance(first, ast.Constant) and isinstance(first.value, str) else ''


def called_name(function: Any) -> Optional[str]:
    """The last part of a function's name: `heappush` of `heapq.heappush`."""
    return function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else None


def _assigned(value: Any, target: Any, holder: Holder) -> int:
    if value is None or _is_empty(value):
        return 0
    if isinstance(target, ast.Subscript) and holder.container:
        return keyed(4, target, holder)
    itself = any(named(part, holder) for part in ast.walk(value) if isinstance(part, (ast.Name, ast.Attribute)))
    # A statement that leaves items out ranks below one that adds some.
    return keyed(4 if itself and not shortens(value, holder) else 3 if itself or not holder.container else 1, target, holder)


def shortens(value: Any, holder: Holder) -> bool:
    """``x[-n:]``, ``torch.cat([x, y])[:, -n:].clone()``, or a comprehension that leaves some out."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return shortens(value.func.value, holder)
    if isinstance(value, ast.Subscript):
        return any(isinstance(part, ast.Slice) for part in ast.walk(value.slice)) and uses(value.value, holder)
    return isinstance(value, (ast.ListComp, ast.DictComp, ast.SetComp)) and any(part.ifs for part in value.generators)


def keyed(score: int, expression: Any, holder: Holder) -> int:
    keys = []
    while isinstance(expression, ast.Subscript):
        index = expression.slice
        if isinstance(index, ast.Constant):
            keys.append(index.value)
        expression = expression.value
    if not named(expression, holder):
        return 0
    key = holder.likely if holder.key is None else holder.key
    if key is not None and keys:
        score += 2 if key in keys else -3
    return max(score, 0)


def named(expression: Any, holder: Holder) -> bool:
    if holder.kind in ('attribute', 'cycle', 'hook'):
        return isinstance(expression, ast.Attribute) and expression.attr == holder.name
    return isinstance(expression, ast.Name) and expression.id == holder.name


def flat(targets: Iterable[Any]) -> Iterator[Any]:
    for target in targets:
        if isinstance(target, (ast.Tuple, ast.List)):
            yield from flat(target.elts)
        else:
            yield target


def paired(target: Any, value: Any) -> Iterator[Tuple[Any, Any]]:
    """Each target with its value: `inbox, errors = Queue(), []`."""
    kinds = (ast.Tuple, ast.List)
    if isinstance(target, kinds) and isinstance(value, kinds) and len(target.elts) == len(value.elts) \
            and not any(isinstance(part, ast.Starred) for part in target.elts + value.elts):
        for part, its in zip(target.elts, value.elts):
            yield from paired(part, its)
        return
    for part in flat([target]):
        yield part, value


def _is_empty(value: Any) -> bool:
    if isinstance(value, ast.Constant):
        return True
    if isinstance(value, (ast.List, ast.Tuple, ast.Set)):
        return not value.elts
    if isinstance(value, ast.Dict):
        return not value.keys
    return isinstance(value, ast.Call) and not value.args and called_name(value.func) in EMPTY


def _cached(tree: ast.Module, holder: Holder, same_file: bool) -> Iterator[Tuple[Any, int]]:
    """The decorator of the cached function, else its definition."""
    for node in ast.walk(tree):
        if same_file and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == holder.name:
            for decorator in node.decorator_list:
                if 'cache' in ast.dump(decorator):
                    yield decorator, 6
            yield node, 3


def _registered(tree: ast.Module, holder: Holder, same_file: bool) -> Iterator[Tuple[Any, int]]:
    """Calls that pass the function on, such as ``register_hook(f)``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and any(called_name(value) == holder.name or isinstance(value, ast.Lambda) and holder.name == '<lambda>' and value.lineno == holder.line
                                              for value in [*node.args, *(word.value for word in node.keywords)]):
            name = called_name(node.func) or ''
            yield node, (4 if 'hook' in name or name in GROWING else 1) + same_file


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
    for call, scope in scoped(tree):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or not (_is_inside(scope, holder) or _is_of_module(holder)):
            continue
        function = functions.get(call.func.id)
        if function is None or function.name == holder.owner:
            continue
        for argument, parameter in zip(call.args, function.args.args):
            if named(argument, holder):
                inner = dataclasses.replace(holder, name=parameter.arg, owner=function.name)
                for node in ast.walk(function):
                    score = _score(node, inner)
                    if score:
                        yield node, score + 1
