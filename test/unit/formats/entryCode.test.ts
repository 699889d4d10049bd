import assert from 'node:assert/strict';
import { fromRoot } from '../../../scripts/lib/paths.mjs';
import { runNode } from '../../../scripts/lib/run.mjs';

describe('The reader of trace entries', () => {
  it('is compiled from its source', async () => {
    const { status, output } = await runNode([fromRoot('scripts/entries.mjs'), '--check'], { silent: true });
    assert.equal(status, 0, output);
  });
});
