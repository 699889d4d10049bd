"""Limits as text, and growth that is not proved to be a leak."""
import pytest
import torch

kept = []


@pytest.mark.limit_gpu_leaks('5KB')
def test_clean_below_sizes():
    kept.append(torch.zeros(1000))


@pytest.mark.limit_gpu_leaks('3 KiB')
def test_leaks_more_than_sizes():
    kept.append(torch.zeros(1000))


@pytest.mark.limit_gpu_leaks(steps=10, fail_on='growing')
def test_leaks_as_growth_of_sizes():
    kept.append(torch.zeros(1000))
