"""Tests that pytest runs in other ways than a plain function."""
import asyncio
import unittest

import pytest
import torch

kept = []
limit = pytest.mark.limit_gpu_leaks


def keep():
    kept.append(torch.zeros(1000))


@pytest.fixture(params=[1000, 2000])
def held(request):
    return [torch.zeros(request.param)]


def test_fails_on_its_own_by_hand(gpu_leaks):
    for _ in range(20):
        with gpu_leaks.step():
            keep()
    raise KeyError('own')


@limit()
def test_leaks_after_a_failure():
    keep()


@limit()
def test_leaks_into_a_fixture(held):
    held.append(torch.zeros(1000))


@limit(per_step=10_000)
def test_clean_by_hand_with_a_limit(gpu_leaks):
    for _ in range(20):
        with gpu_leaks.step():
            keep()


@limit()
def test_skips_itself():
    keep()
    if len(kept) % 10 == 9:
        pytest.skip('enough')


@pytest.mark.xfail
@limit()
def test_xfails():
    keep()


@limit(steps=5)
def test_clean_in_so_few_steps():
    keep()


@limit(steps='30')
def test_fails_on_its_own_for_its_mark():
    keep()


class TestCase(unittest.TestCase):
    @limit()
    def test_leaks_in_unittest(self):
        keep()


class TestCoroutines(unittest.IsolatedAsyncioTestCase):
    @limit()
    async def test_leaks_in_a_coroutine(self):
        await asyncio.sleep(0)
        keep()
