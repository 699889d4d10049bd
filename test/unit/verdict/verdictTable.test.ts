import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { VERDICT_TABLE, verdictTable } from '../../../bench/verdictTable.js';

describe('docs/verdicts.md', () => {
  it('agrees with the rules (npm run verdicts writes it again)', () => {
    assert.equal(readFileSync(VERDICT_TABLE, 'utf8').replaceAll('\r\n', '\n'), verdictTable());
  });
});
