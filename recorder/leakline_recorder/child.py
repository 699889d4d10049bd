"""In a spawned process: begins to record at its first use of a device. Before that, it imports almost nothing."""
from __future__ import annotations

from typing import Any, Dict

from . import spawned
from .guard import guarded
from .imported import when_imported


def begin(settings: Dict[str, Any], rank: str) -> None:
    """Processes that it spawns get the same options."""
    spawned.arrange(settings, _name_run, rank)
    when_imported('torch', lambda: _wait(settings, rank))


def _name_run(settings: Dict[str, Any], rank: str) -> str:
    from . import api
    return api.run_of_children(settings, rank)


@guarded('could not wait for the device')
def _wait(settings: Dict[str, Any], rank: str) -> None:
    import torch

    @guarded('could not start')
    def first_use() -> None:
        from . import api
        api.start_on_device(settings, rank)
    torch.cuda._lazy_call(first_use)
