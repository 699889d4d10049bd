/** A program whose third layer requested memory that was not there, and the snapshot that it left. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pickle, type Picklable } from '../../support/plainPickle.js';

const MIB = 2 ** 20;

const NET = `import torch


class Net(torch.nn.Module):
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
            x = torch.relu(x)
        return x
`;

/** Of `net.py`, 1-based. */
export const ASKING_LINE = 8;

export function writeOutOfMemory(folder: string): void {
  const frames = (line: number): Picklable => [{ filename: '/job/net.py', line, name: 'forward' }];
  const block = (at: number, size: number): Picklable & { address: number } => ({
    ...{ address: at * MIB, size, requested_size: size, state: 'active_allocated', frames: frames(7) },
  });
  const blocks = [block(1, 384 * MIB), block(385, 384 * MIB)];
  const segment = { device: 0, address: MIB, total_size: 768 * MIB, stream: 0, blocks };
  const trace = [
    ...blocks.map(({ address }) => ({ action: 'alloc', addr: address, size: 384 * MIB, stream: 0, frames: frames(7) })),
    { action: 'oom', size: 384 * MIB, device_free: 112 * MIB, stream: 0, frames: frames(ASKING_LINE) },
  ];
  writeFileSync(join(folder, 'net.py'), NET);
  writeFileSync(join(folder, 'out_of_memory.pickle'), pickle({ segments: [segment], device_traces: [trace] }));
}
