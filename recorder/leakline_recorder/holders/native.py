"""Memory that no Python object holds, with a holder in C++ that the program's state shows."""
from __future__ import annotations

import ast
from typing import Any, Dict, List, Optional, Tuple

import torch

from ..guard import ordinary
from .blocks import LiveBlock, by_line
from .groups import MAX_ADDRESSES
from .roots import Roots

NATIVE = 'native'    #: kind of such an owner


def native_owner(unowned: List[LiveBlock], device_type: str, roots: Roots, texts: bool) -> Optional[Dict[str, Any]]:
    """autocast's cache of cast weights lives until its block ends; it cannot be listed, so this is an inference."""
    blocks = [block for block in unowned if block.allocated > 0]
    if not blocks or not _casts_are_cached(device_type):
        return None
    place = _autocast_block(roots)
    if place is None:
        return None
    file, line, function, text = place
    allocated = sorted({block.allocated for block in blocks})
    return {
        'kind': NATIVE, 'text': f"autocast's weight cache, inside {function}()", 'name': "autocast's weight cache", 'expression': text if texts else 'autocast',
        'file': file, 'line': line, 'statements': [{'file': file, 'line': line, 'text': text if texts else None, 'score': 3}],
        'links': [], 'cycle': None, 'pinnedBy': None, 'container': None, 'isDirect': True, 'outlivesLoops': False, 'staleKeys': None, 'items': None, 'releases': [], 'also': [], 'bytes': sum(block.size for block in blocks), 'blocks': len(blocks), 'graphBytes': 0,
        'roots': 1, 'savedBy': [], 'allocatedSteps': {'first': allocated[0], 'last': allocated[-1], 'steps': len(allocated)},
        'allocatedAt': by_line(blocks), 'addresses': sorted(block.address for block in blocks)[:MAX_ADDRESSES],
    }


def _casts_are_cached(device_type: str) -> bool:
    try:
        enabled = torch.is_autocast_enabled(device_type)
    except ordinary(TypeError):  # before 2.4 one function per device
        enabled = torch.is_autocast_enabled() if device_type == 'cuda' else torch.is_autocast_cpu_enabled()
    return enabled and torch.is_autocast_cache_enabled()


def _autocast_block(roots: Roots) -> Optional[Tuple[str, int, str, str]]:
    """The running ``with`` statement of a function of the program."""
    for frame in roots.frames.values():
        code = frame.f_code
        try:
            with open(code.co_filename, encoding='utf-8') as file:
                source = file.read()
            tree = ast.parse(source)
        except ordinary(OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.With) and node.lineno <= frame.f_lineno <= (node.end_lineno or node.lineno):
                if any('autocast' in ast.dump(item.context_expr) for item in node.items):
                    return code.co_filename, node.lineno, code.co_name, source.splitlines()[node.lineno - 1].strip()
    return None
