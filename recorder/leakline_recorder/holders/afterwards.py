"""Whether training goes on after its outermost loop: the next part may release what this one holds."""
from __future__ import annotations

import ast
import sys
import types
from typing import Any, Dict, Iterator, List, Optional, Sequence, Set, Tuple

from ..guard import OWN_FOLDERS
from ..sources import is_users
from .statements import Statements, called_name

_TRAINING = frozenset({'backward', 'step', 'mark_step'})    # calls that a loop of training makes


def next_part(statements: Statements, loops: Sequence[Dict[str, Any]]) -> Optional[Dict[str, Any]]:
    """The place where the functions that run now train again, after their outermost loop; ``None`` if there is none."""
    places = _running(loops[0]) if loops else []
    names = {code.co_name for code, _ in places} | {loop['function'] for loop in loops}
    for code, line in places:
        for path, module in statements.mentioning([code.co_filename], ''):
            trains = names | {node.name for node in ast.walk(module.tree) if isinstance(node, ast.FunctionDef) and _has_training_loop(node, names)}
            for node in _statements_after(module.tree, code, line):
                if _trains(node, trains):
                    return {'file': path, 'line': node.lineno}
    return None


def _running(outermost: Dict[str, Any]) -> List[Tuple[types.CodeType, int]]:
    """The function with the outermost loop, and the functions of the program that called it; the last line of what runs
    in each.
    """
    frame: Optional[types.FrameType] = sys._getframe()
    found: List[Tuple[types.CodeType, int]] = []
    while frame is not None:
        code = frame.f_code
        is_outermost = code.co_filename == outermost['file'] and outermost['line'] <= frame.f_lineno <= outermost['lastLine']
        if not found and is_outermost:
            found.append((code, outermost['lastLine']))
        elif found and is_users(code.co_filename) and not code.co_filename.startswith(OWN_FOLDERS):
            found.append((code, frame.f_lineno))
        frame = frame.f_back
    return found


def _statements_after(tree: ast.Module, code: types.CodeType, line: int) -> Iterator[Any]:
    """Statements of the function, or of the module, that begin after a line."""
    bodies: List[Any] = [tree] if code.co_name == '<module>' else [
        node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == code.co_name
        and node.lineno <= line <= (node.end_lineno or node.lineno)]
    pending = [statement for body in bodies for statement in body.body]
    while pending:
        node = pending.pop(0)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        if node.lineno > line:
            yield node
        elif (node.end_lineno or node.lineno) > line:
            for name in ('body', 'orelse', 'finalbody'):
                pending.extend(part for part in getattr(node, name, ()) if isinstance(part, ast.stmt))


def _trains(node: Any, functions: Set[str]) -> bool:
    """True if a statement calls one of these functions, or is a loop of training."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return False
    called = {called_name(part.func) for part in ast.walk(node) if isinstance(part, ast.Call)}
    return bool(called & functions) or _has_training_loop(node, functions)


def _has_training_loop(node: Any, functions: Set[str]) -> bool:
    for loop in ast.walk(node):
        if isinstance(loop, (ast.For, ast.While)):
            called = {called_name(part.func) for part in ast.walk(loop) if isinstance(part, ast.Call)}
            if called & (_TRAINING | functions):
                return True
    return False
