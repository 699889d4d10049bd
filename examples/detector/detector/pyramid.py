"""Feature pyramid: lateral 1x1 convolutions, a top-down pass, and one smoothing convolution per level."""
import torch.nn.functional as F
from torch import nn


class FeaturePyramid(nn.Module):
    def __init__(self, in_channels, channels=64):
        super().__init__()
        self.lateral = nn.ModuleList(nn.Conv2d(c, channels, 1) for c in in_channels)
        self.smooth = nn.ModuleList(nn.Conv2d(channels, channels, 3, padding=1) for _ in in_channels)
        self.visited = []

    def forward(self, maps):
        fine, coarse = (lateral(m) for lateral, m in zip(self.lateral, maps))
        fine = fine + F.interpolate(coarse, scale_factor=2, mode='nearest')
        levels = [F.relu(smooth(level)) for smooth, level in zip(self.smooth, (fine, coarse))]
        for level in levels:
            self.visited.append(level)  # the visualiser draws these after the run
        return levels
