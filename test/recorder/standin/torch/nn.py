class Module:
    def __init__(self) -> None:
        self._modules, self._parameters, self._buffers = {}, {}, {}
