/** A program whose third layer requested memory that was not there, and the snapshot that it left. */
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installedDebugpy } from '../../support/debugpy.js';
import { writeFiles } from '../../support/workspaces.js';
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

const MESSAGE =
  'CUDA out of memory. Tried to allocate 2.10 GiB. GPU 0 has a total capacity of 16.00 GiB of which 512.00 MiB is ' +
  'free. Of the allocated memory 4.80 GiB is allocated by PyTorch, and 9.90 GiB is reserved by PyTorch but unallocated.';

const LOGGED = `outputs = []
for batch in loader:
    outputs.append(net(batch))
`;

/** A line of `net.py`, 1-based. */
export const ASKING_LINE = 8;

/** A program that runs out of memory, and that a test debugs. */
const DEBUGGED = `class OutOfMemoryError(RuntimeError):
    pass


def forward(batch):
    raise OutOfMemoryError(${JSON.stringify(MESSAGE)})


losses = []
for batch in range(3):
    losses.append(forward(batch))
`;

/** What the tests know of the workspace. */
export interface OutOfMemoryTruth {
  readonly debugpy: ReturnType<typeof installedDebugpy>;
}

export function writeOutOfMemory(folder: string): OutOfMemoryTruth {
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
  writeFileSync(join(folder, 'debugged.py'), DEBUGGED);
  writeFileSync(join(folder, 'out_of_memory.pickle'), pickle({ segments: [segment], device_traces: [trace] }));
  writeLogs(folder);
  return { debugpy: installedDebugpy() };
}

/** Logs of two ranks, written before a window opens: one line stands in a file that has been written since. */
function writeLogs(folder: string): void {
  const settings = { 'leakline.outOfMemory.logs': ['logs/*.log'] };
  writeFiles(folder, {
    '.vscode/settings.json': JSON.stringify(settings),
    'logged.py': LOGGED,
    'rewritten.py': LOGGED,
    ...Object.fromEntries(
      [0, 1].map((rank) => [
        `logs/rank${rank}.log`,
        ['logged.py', 'rewritten.py']
          .map((file, i) =>
            [
              'Traceback (most recent call last):',
              `  File "/job/${file}", line 3, in <module>`,
              `torch.OutOfMemoryError: ${MESSAGE.replace('2.10 GiB', `2.${i + 3}0 GiB`)}\n`,
            ].join('\n'),
          )
          .join(''),
      ]),
    ),
  });
  // A program may fail in the millisecond in which its file was written, in seconds since 1970.
  const written = Math.floor(Date.now() / 1000) + 0.0007;
  for (const name of ['logged.py', 'logs/rank0.log', 'logs/rank1.log'])
    utimesSync(join(folder, name), written, written);
  utimesSync(join(folder, 'rewritten.py'), written + 60, written + 60);
}
