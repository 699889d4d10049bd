import assert from 'node:assert/strict';
import { trainingLoop } from '../../../src/extension/commands/recordingPlace.js';

const SOURCE = `import torch

def train(model, loader):
    for epoch in range(3):
        for batch in (
            loader
        ):
            loss = model(
                batch,
)
            loss.backward()

            optimizer.step()
        # between the epochs
        print(epoch)

for name in names: print(name)
`;

function at(source: string, text: string): ReturnType<typeof trainingLoop> {
  const lines = source.split('\n');
  return trainingLoop(
    lines,
    lines.findIndex((line) => line.includes(text)),
  );
}

describe('The loop that recording code goes into', () => {
  it('is the innermost around the cursor, with the end of its body and its indentation', () => {
    assert.deepEqual(at(SOURCE, 'batch,'), { line: 4, behind: 12, indent: ' '.repeat(12) });
    assert.deepEqual(at(SOURCE, 'print(epoch)'), { line: 3, behind: 14, indent: ' '.repeat(8) });
  });

  it('is the one that trains where the cursor is in none', () => {
    assert.equal(at(SOURCE, 'import torch')?.line, 4);
    assert.equal(at('x = 1\nfor a in b:\n    print(a)\n', 'x = 1'), null);
  });

  it('has the call at the beginning of its body where a continue would pass it over', () => {
    const source = 'while True:\n    if skip:\n        continue\n    loss.backward()\n';
    assert.deepEqual(at(source, 'loss'), { line: 0, behind: 0, indent: '    ' });
  });
});
