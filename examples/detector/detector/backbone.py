"""A small convolutional backbone: three stages, each halving the resolution."""
import torch
from torch import nn


class Stage(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, 3, stride=2, padding=1)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.act(self.conv(x))


class Backbone(nn.Module):
    """Returns the maps at strides 4 and 8; `widths` are the channels of the three stages."""

    def __init__(self, widths=(16, 32, 64)):
        super().__init__()
        chain = (3, *widths)
        self.stages = nn.ModuleList(Stage(a, b) for a, b in zip(chain, chain[1:]))
        self.out_channels = widths[-2:]

    def forward(self, images):
        maps, x = [], images
        for stage in self.stages:
            x = stage(x)
            maps.append(x)
        return maps[-2:]
