import assert from 'node:assert/strict';
import { fromRoot } from '../../../scripts/lib/paths.mjs';
import { runNode } from '../../../scripts/lib/run.mjs';
import { SnapshotError } from '../../../src/core/bytes/snapshotError.js';
import { readBytes } from '../../support/snapshots.js';

describe('The reader of trace entries', () => {
  it('is compiled from its source', async () => {
    const { status, output } = await runNode([fromRoot('scripts/entries.mjs'), '--check'], { silent: true });
    assert.equal(status, 0, output);
  });

  it('keeps its memory for the next file, also after files that cannot be read', async () => {
    const { Instance } = WebAssembly;
    let instances = 0;
    WebAssembly.Instance = class extends Instance {
      constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
        super(module, imports);
        instances++;
      }
    };
    try {
      // Ends early; names code; is no snapshot.
      for (const content of ['\u0080\u0004}(', '\u0080\u0004cos\nsystem\n.', '\u0080\u0004}.'])
        for (let i = 0; i < 3; i++) await assert.rejects(readBytes(Buffer.from(content, 'latin1')), SnapshotError);
    } finally {
      WebAssembly.Instance = Instance;
    }
    assert.ok(instances <= 1, `${instances} memories`);
  });
});
