"""Recording a part of a program."""
from __future__ import annotations

import contextlib
from typing import Any, Optional


class record(contextlib.ContextDecorator):    # a name like `contextlib.suppress`
    """Record the GPU memory of a block, or as a decorator that of each call of a function. ``options`` are those of
    ``leakline run``: ``record(out='recordings', every=20, device='cpu')``. Inside another recording, it does nothing.
    """

    def __init__(self, **options: Any) -> None:
        self._options = options
        self._is_outermost = False

    def __enter__(self) -> 'record':
        from leakline_recorder import api
        self._is_outermost = not api.is_on()
        api.start(**self._options)
        return self

    def __exit__(self, *error: Any) -> Optional[bool]:
        from leakline_recorder import api
        if self._is_outermost:
            api.stop()
        return None
