/** One finding of each kind, as every surface tells it, side by side in `surfaces.golden.md`. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CASES, reportOf } from './cases.js';
import { surfacesOf } from './surfaces.js';

const GOLDEN = join(import.meta.dirname, 'surfaces.golden.md');
/** Reads some fifty snapshots. */
const MAX_MS = 120_000;

describe('The surfaces', () => {
  it('tell a finding in the words of surfaces.golden.md (UPDATE_GOLDENS=1 writes them again)', async function () {
    this.timeout(MAX_MS);
    const parts = ['# One finding, as every surface tells it\n'];
    for (const [title, recording] of Object.entries(CASES)) {
      parts.push(`## ${title}\n`, ...surfacesOf(await reportOf(recording)));
    }
    const text = parts.join('\n');
    if (process.env['UPDATE_GOLDENS'] === '1') writeFileSync(GOLDEN, text);
    assert.equal(text, readFileSync(GOLDEN, 'utf8'));
  });
});
