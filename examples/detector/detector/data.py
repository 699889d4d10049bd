"""Synthetic scenes, rendered on the training device: a bright square on noise, and dense targets per pyramid level."""
import torch

STRIDES = (4, 8)


def grid(cells, spacing, device):
    """Centres of `cells` x `cells` cells: x as a row, y as a column, in pixels."""
    at = (torch.arange(cells, device=device) + 0.5) * spacing
    return at[None, None, :], at[None, :, None]


def inside(centres, half, x, y):
    """1 where a point lies in its image's square box, given by centre (x, y) and half its side, else 0."""
    cx, cy = centres[:, :, None, None].unbind(1)
    return torch.maximum((x - cx).abs_(), (y - cy).abs_()).lt(half).float()


class Scenes:
    """An endless stream of (images, one dense target per level)."""

    def __init__(self, batch, size, device, seed=0):
        self.batch, self.size, self.device = batch, size, device
        self.generator = torch.Generator(device).manual_seed(seed)
        self.pixels = grid(size, 1, device)
        self.levels = [grid(size // stride, stride, device) for stride in STRIDES]

    def __iter__(self):
        return self

    def __next__(self):
        images, centres = self.render()
        return images, [inside(centres, self.size / 6, x, y) for x, y in self.levels]

    def render(self):
        centres = torch.rand(self.batch, 2, device=self.device, generator=self.generator).mul_(self.size)
        images = torch.rand(self.batch, 3, self.size, self.size, device=self.device, generator=self.generator)
        images += inside(centres, self.size / 6, *self.pixels)[:, None]
        return images, centres
