"""Whether the machine has a GPU, without a call of torch: that could initialize CUDA before the program chooses devices."""
from __future__ import annotations

import ctypes.util
import glob
import sys

#: where Linux shows the drivers of NVIDIA, on Jetson too, of AMD and of others, and GPUs under WSL
DEVICES = ('/dev/nvidia[0-9]*', '/dev/nvhost*', '/dev/nvmap', '/dev/kfd', '/dev/dri/renderD*', '/dev/dxg')


def any_gpu() -> bool:
    """True if a driver of a GPU is there; true as well where that is not known."""
    if sys.platform == 'darwin':
        return False
    if sys.platform == 'win32':
        return ctypes.util.find_library('nvcuda') is not None
    return any(glob.glob(pattern) for pattern in DEVICES) if sys.platform == 'linux' else True
