"""A dozen tests, of which half leak: which of them fail stands in `test_plugin.py`."""
import collections

import pytest
import torch

history = []
latest = []
window = collections.deque(maxlen=4)
hooks = []


def loss_of(net):
    return net(torch.randn(32, 64)).square().mean()


@pytest.mark.limit_gpu_leaks()
def test_leaks_graphs(net):
    loss = loss_of(net)
    loss.backward()
    history.append(loss)


@pytest.mark.limit_gpu_leaks()
def test_clean_numbers(net):
    loss = loss_of(net)
    loss.backward()
    history.append(loss.item())


class TestCache:
    seen = []

    @pytest.mark.limit_gpu_leaks(steps=40)
    @pytest.mark.parametrize('size', [100, 2000])
    def test_leaks_batches(self, size):
        self.seen.append(torch.randn(size, 16))

    @pytest.mark.limit_gpu_leaks()
    def test_clean_batches(self):
        torch.randn(2000, 16).sum()

    @pytest.mark.limit_gpu_leaks(per_step=1_000_000)
    def test_clean_below_the_limit(self):
        self.seen.append(torch.randn(1000))


@pytest.mark.limit_gpu_leaks()
def test_clean_window(net):
    window.append(loss_of(net))


@pytest.mark.limit_gpu_leaks()
def test_clean_latest(net):
    latest.clear()
    latest.append(loss_of(net))


def test_leaks_by_hand(net, gpu_leaks):
    for _ in range(30):
        with gpu_leaks.step():
            history.append(loss_of(net))


def test_clean_by_hand(net, gpu_leaks):
    for _ in range(30):
        with gpu_leaks.step():
            loss_of(net).backward()


@pytest.mark.limit_gpu_leaks()
def test_leaks_hooks(net):
    batch = torch.randn(32, 64)
    hooks.append(lambda: batch.sum())
    net(batch)


@pytest.mark.limit_gpu_leaks()
def test_fails_on_its_own(net):
    assert loss_of(net).item() < 0


@pytest.mark.limit_gpu_leaks()
async def test_leaks_async(net):
    history.append(loss_of(net))
