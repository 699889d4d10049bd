"""Dense head shared by all pyramid levels, and its loss."""
import torch.nn.functional as F
from torch import nn


class Head(nn.Module):
    """One objectness score per cell."""

    def __init__(self, channels=64):
        super().__init__()
        self.score = nn.Conv2d(channels, 1, 3, padding=1)

    def forward(self, levels):
        return [self.score(level)[:, 0] for level in levels]


def detection_loss(scores, targets):
    fine, coarse = (F.binary_cross_entropy_with_logits(score, target) for score, target in zip(scores, targets))
    return fine + coarse
