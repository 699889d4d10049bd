/** Two notebooks, and snapshots of what their cells did under Jupyter. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TrainingRun } from '../../support/trainingRun.js';
import { writeFiles } from '../../support/workspaces.js';

export interface NotebookTruth {
  /** Leaks by notebook, 0-based cell and 1-based line of the cell. */
  readonly leaks: readonly {
    readonly notebook: string;
    readonly cell: number;
    readonly line: number;
    readonly bytes: number;
  }[];
  /** The name of a cell whose text is nowhere any more. */
  readonly changed: string;
}

const TRAIN = `def train(steps):
    for step in range(steps):
        loss = model(load(step)).mean()
        history.append(loss.clone())`;
const KEEP = `kept = []
for batch in loader:
    kept.append(batch.cuda())`;

/** As Python computes them from the texts, see `test/unit/extension/cellNames.py`. */
const NAMES = {
  train: '/tmp/ipykernel_4711/1969941655.py',
  keep: '<ipython-input-5-717808ecfcc3>',
  changed: '/tmp/ipykernel_4711/1234567890.py',
};

/** @returns what leaks in the folder */
export function writeNotebookWorkspace(folder: string): NotebookTruth {
  writeFiles(folder, {
    'analysis.ipynb': notebook(['# An analysis'], ['import torch\nhistory = []', TRAIN, 'train(40)']),
    'older/first.ipynb': notebook([], [KEEP]),
    'older/.ipynb_checkpoints/first-checkpoint.ipynb': notebook([], [KEEP]),
    'helper.py': 'def load(step):\n    return step\n',
    ...Object.fromEntries(Object.keys(NAMES).map((name) => [`snapshots/${name}/.gitkeep`, ''])),
  });
  const bytes = (['train', 'keep', 'changed'] as const).map((name, i) =>
    record(
      join(folder, 'snapshots', name),
      NAMES[name],
      i === 0 ? 4 : 3,
      i === 0 ? 'train' : '<module>',
      100_000 * (i + 1),
    ),
  );
  return {
    leaks: [
      { notebook: 'analysis.ipynb', cell: 2, line: 4, bytes: bytes[0] },
      { notebook: 'older/first.ipynb', cell: 0, line: 3, bytes: bytes[1] },
    ],
    changed: NAMES.changed,
  };
}

function notebook(markdown: readonly string[], code: readonly string[]): string {
  const cell = (type: 'markdown' | 'code', text: string): object => ({
    ...{ cell_type: type, metadata: {}, source: text.split(/(?<=\n)/) },
    ...(type === 'code' ? { execution_count: null, outputs: [] } : {}),
  });
  return JSON.stringify({
    nbformat: 4,
    nbformat_minor: 4,
    metadata: { language_info: { name: 'python' } },
    cells: [...markdown.map((text) => cell('markdown', text)), ...code.map((text) => cell('code', text))],
  });
}

/** @returns bytes that the line has leaked, by brute force */
function record(folder: string, filename: string, line: number, name: string, bytes: number): number {
  const run = new TrainingRun();
  for (let step = 1; step <= 40; step++) {
    const batch = run.allocate(2 * bytes, []);
    run.allocate(bytes, [{ filename, line, name }]);
    run.free(batch);
    run.step('AdamW');
    if (step % 10 === 0) writeFileSync(join(folder, `step_${step}.pickle`), run.dump());
  }
  return run.liveBytes(filename, line);
}
