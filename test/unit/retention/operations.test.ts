import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { COPY, recorderOperations } from '../../../scripts/operations.mjs';

describe('The table of container operations', () => {
  it('is the one that the recorder has a copy of: node --import tsx scripts/operations.mts', () => {
    assert.equal(readFileSync(COPY, 'utf8'), recorderOperations());
  });
});
