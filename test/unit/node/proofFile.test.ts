import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProofFile } from '../../../src/node/proofFile.js';
import { eventually } from '../../support/eventually.js';

const PROOFS = [{ key: 'run\ntrain.py\n3', versions: [['train.py', 'ab']], holder: null }];

describe('A stored proof', () => {
  let folder: string;

  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'leakline-proofs-')), 'kept');
  });
  afterEach(() => {
    rmSync(join(folder, '..'), { recursive: true });
  });

  const fileOf = (version: string, maxBytes = 1 << 20): ProofFile =>
    new ProofFile(() => ({ folder, maxBytes }), version);

  it('is found for the same code in another process, and for no other code', async () => {
    fileOf('one').store(PROOFS);
    await eventually(async () => {
      assert.deepEqual(await fileOf('one').load(), PROOFS);
    });
    assert.equal(await fileOf('two').load(), null);
  });

  it('is absent without a folder, and rejected if it is damaged', async () => {
    for (const nowhere of [fileOf('one', 0), new ProofFile(() => null, 'one')]) {
      nowhere.store(PROOFS);
      assert.equal(await nowhere.load(), null);
    }
    const file = fileOf('one');
    file.store(PROOFS);
    await eventually(async () => {
      assert.notEqual(await file.load(), null);
    });
    const path = join(folder, readdirSync(folder)[0]);
    writeFileSync(path, readFileSync(path).subarray(0, -1));
    assert.equal(await file.load(), null);
  });
});
