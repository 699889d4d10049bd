from __future__ import annotations

import types


class BackwardCFunction:
    pass


class saved_tensors_hooks:
    pass


function = types.SimpleNamespace(BackwardCFunction=BackwardCFunction)
graph = types.SimpleNamespace(saved_tensors_hooks=saved_tensors_hooks)
