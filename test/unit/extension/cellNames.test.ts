import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { cellKeys, murmur2, recordedCellKey, storedCells } from '../../../src/extension/notebooks/cellNames.js';
import { repositoryRoot } from '../../support/repository.js';

const TEXTS = [
  '',
  'x',
  'xy',
  'xyz',
  'x = 1',
  'import torch\nhistory = []\n\nfor step in range(40):\n    history.append(model(batch).mean())',
  'größe = "模型" # 🔥',
  '%matplotlib inline\nprint(1)\n',
];

describe('The name of a cell that ran', () => {
  it('is the one that Python computes from its text', function () {
    const script = join(repositoryRoot(), 'test/unit/extension/cellNames.py');
    const python = spawnSync('python3', [script], { input: JSON.stringify(TEXTS), encoding: 'utf8' });
    if (python.error !== undefined) this.skip();
    const names = JSON.parse(python.stdout) as string[][];
    assert.equal(names.length, TEXTS.length);
    TEXTS.forEach((text, i) => {
      for (const name of names[i]) assert.ok(cellKeys(text).includes(recordedCellKey(name) ?? ''), `${text}: ${name}`);
      const others = TEXTS.filter((other) => other !== text).flatMap(cellKeys);
      for (const name of names[i]) assert.ok(!others.includes(recordedCellKey(name) ?? ''), `${text}: ${name}`);
    });
  });

  it('has the hash that other kernels test theirs with', () => {
    assert.equal(murmur2(Buffer.from('abc'), 0xc70f6907), 3350977461);
  });

  it('does not depend on how lines end in the editor', () => {
    assert.deepEqual(cellKeys('a = 1\r\nb = 2'), cellKeys('a = 1\nb = 2'));
  });

  it('is none of a file', () => {
    for (const file of ['/home/me/train.py', '/tmp/ipykernel_1/model.py', '<stdin>', '<ipython-input-1-x>', '??']) {
      assert.equal(recordedCellKey(file), null, file);
    }
  });
});

describe('A notebook on the disk', () => {
  it('gives the texts of its code cells, written in lines or whole', () => {
    const cells = [
      { cell_type: 'markdown', source: ['# Title'] },
      { cell_type: 'code', source: ['a = 1\n', 'b = 2'] },
      { cell_type: 'code', source: 'c = 3' },
    ];
    assert.deepEqual(storedCells(JSON.stringify({ nbformat: 4, cells })), ['a = 1\nb = 2', 'c = 3']);
  });

  it('may be anything, and gives nothing then', () => {
    for (const text of [
      '',
      '{',
      'null',
      '[]',
      '{"cells": 3}',
      '{"cells": [null, {"cell_type": "code", "source": [1]}]}',
    ]) {
      assert.deepEqual(storedCells(text), [], text);
    }
  });
});
