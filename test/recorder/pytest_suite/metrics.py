"""A metric that a library keeps: only a whole run of the test could reset it."""
import pytest
import torch
import torchmetrics

kept = torchmetrics.CatMetric()
running = torchmetrics.MeanMetric()


@pytest.mark.limit_gpu_leaks()
def test_leaks_a_metric():
    kept.update(torch.rand(1000))


@pytest.mark.limit_gpu_leaks()
def test_clean_metric():
    running.update(torch.rand(1000).mean())


@pytest.mark.limit_gpu_leaks()
def test_clean_metric_that_is_reset():
    kept.update(torch.rand(1000))
    kept.reset()
