/** Two folders of one workspace, and snapshots that Windows machines recorded of both. */
import { join } from 'node:path';
import { TrainingRun, type Frame } from '../../support/trainingRun.js';
import { writeFiles } from '../../support/workspaces.js';
import { writeFileSync } from 'node:fs';

export interface RootsTruth {
  /** The leak by its name in reports, and its size. */
  readonly mapped: readonly { readonly file: string; readonly line: number; readonly bytes: number }[];
  /** A leak whose file could be either folder's. */
  readonly open: { readonly recorded: string; readonly bytes: number };
  /** A leak in one of two folders that have the same name and the same files. */
  readonly twin: { readonly file: string; readonly line: number; readonly bytes: number };
}

const STEPS = 40;
const KEEP = 'class Memory:\n    def keep(self, loss):\n        self.kept.append(loss.clone())\n';
const LOOP = 'kept = []\n\n\ndef step(loss):\n    kept.append(loss.clone())\n';
const TRAIN = 'from models.net import Memory\n\n\ndef train(memory, loss):\n    memory.kept.append(loss.clone())\n';

/** @returns the names of the folders, and what leaks in them */
export function writeRoots(parent: string): { folders: string[]; leaks: RootsTruth } {
  writeFiles(parent, {
    'detector/train.py': TRAIN,
    'detector/models/net.py': KEEP,
    'detector/models/__init__.py': '',
    'detector/snapshots/.gitkeep': '',
    'tracker/train.py': TRAIN,
    'tracker/tracking/memory.py': KEEP,
    'tracker/snapshots/.gitkeep': '',
    'tracker/elsewhere/.gitkeep': '',
    'north/app/loop.py': LOOP,
    'south/app/loop.py': LOOP,
    'south/app/snapshots/.gitkeep': '',
  });
  const [net, memory, train] = [
    // Letter case means nothing on Windows, and differs from call to call.
    { file: 'c:\\Users\\X\\Proj\\detector\\Models\\NET.py', line: 3, name: 'keep', into: 'detector/snapshots' },
    { file: '\\\\server\\share\\jobs\\tracker\\tracking\\memory.py', line: 3, name: 'keep', into: 'tracker/snapshots' },
    { file: 'D:\\jobs\\41\\train.py', line: 5, name: 'train', into: 'tracker/elsewhere' },
  ].map(({ file, line, name, into }, i) => ({
    file,
    line,
    bytes: record(join(parent, into), { filename: file, line, name }, 100_000 * (i + 1)),
  }));
  const twin = { file: 'south/app/loop.py', line: 5 };
  return {
    folders: ['detector', 'tracker', 'north/app', 'south/app'],
    leaks: {
      mapped: [
        { file: 'detector/models/net.py', line: net.line, bytes: net.bytes },
        { file: 'tracker/tracking/memory.py', line: memory.line, bytes: memory.bytes },
      ],
      open: { recorded: train.file, bytes: train.bytes },
      twin: {
        ...twin,
        bytes: record(
          join(parent, 'south/app/snapshots'),
          { filename: `C:\\jobs\\${twin.file.replaceAll('/', '\\')}`, line: twin.line, name: 'step' },
          400_000,
        ),
      },
    },
  };
}

/** @returns bytes that the line has leaked, by brute force */
function record(folder: string, frame: Frame, bytes: number): number {
  const run = new TrainingRun();
  for (let step = 1; step <= STEPS; step++) {
    const activation = run.allocate(2 * bytes, []);
    run.allocate(bytes, [frame]);
    run.free(activation);
    run.step('AdamW');
    if (step % 10 === 0) writeFileSync(join(folder, `step_${step}.pickle`), run.dump());
  }
  return run.liveBytes(frame.filename, frame.line);
}
