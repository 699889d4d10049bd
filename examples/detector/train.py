"""Train a small detector on synthetic scenes, with a memory snapshot every few steps."""
import argparse
import os

import torch
from torch import nn

from detector.backbone import Backbone
from detector.data import Scenes
from detector.head import Head, detection_loss
from detector.pyramid import FeaturePyramid


class Detector(nn.Module):
    def __init__(self, channels=64):
        super().__init__()
        self.backbone = Backbone()
        self.pyramid = FeaturePyramid(self.backbone.out_channels, channels)
        self.head = Head(channels)

    def forward(self, images):
        return self.head(self.pyramid(self.backbone(images)))


@torch.inference_mode()
def evaluate(model, scenes, batches=2):
    model.eval()
    loss = sum(detection_loss(model(images), targets) for images, targets in (next(scenes) for _ in range(batches)))
    model.train()
    return loss.item() / batches


def train(args):
    device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
    model = Detector().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, fused=True)
    scenes = Scenes(args.batch, args.size, device)
    held_out = Scenes(args.batch, args.size, device, seed=1)
    for step in range(1, args.steps + 1):
        images, targets = next(scenes)
        loss = detection_loss(model(images), targets)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % args.evaluate_every == 0:
            print(f'step {step}  loss {loss.item():.3f}  held out {evaluate(model, held_out):.3f}', flush=True)
        if args.snapshots and step % args.snapshot_every == 0:
            torch.cuda.memory._dump_snapshot(os.path.join(args.snapshots, f'step_{step:04d}.pickle'))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--steps', type=int, default=40)
    parser.add_argument('--batch', type=int, default=16)
    parser.add_argument('--size', type=int, default=320)
    parser.add_argument('--evaluate-every', type=int, default=20)
    parser.add_argument('--snapshots', default='', help='folder for memory snapshots; none if empty')
    parser.add_argument('--snapshot-every', type=int, default=5)
    args = parser.parse_args()
    if args.snapshots:
        os.makedirs(args.snapshots, exist_ok=True)
        torch.cuda.memory._record_memory_history(max_entries=100_000, stacks='python')
    train(args)


if __name__ == '__main__':
    main()
