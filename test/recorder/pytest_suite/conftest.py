import pytest
import torch


def pytest_configure(config):
    """Tensors are on the device that the plugin measures."""
    if config.getoption('--leakline') == 'auto' and torch.cuda.is_available():
        torch.set_default_device('cuda')


@pytest.fixture
def net():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
