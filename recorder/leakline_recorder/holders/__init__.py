"""The holders of old tensors: from blocks of the allocator to names in the source."""
from .blocks import Ages, Blocks
from .links import Shown
from .walk import HolderWalk

__all__ = ['Ages', 'Blocks', 'HolderWalk', 'Shown']
