"""Find GPU memory leaks in PyTorch training: ``leakline run train.py``, ``leakline analyze leakline-recordings``.

``leakline.pytest_plugin`` fails a test whose body leaks.
"""
