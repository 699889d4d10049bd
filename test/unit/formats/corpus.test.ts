import assert from 'node:assert/strict';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { SnapshotError, type SnapshotErrorReason } from '../../../src/core/bytes/snapshotError.js';
import { hasPython } from '../../support/bruteForce.js';
import { compareWithPython } from '../../support/columns.js';
import { everyNth } from '../../support/sample.js';
import { CORPUS, FIXTURES, hasCorpus, readFile } from '../../support/snapshots.js';

/** Files that hold no snapshot, and what they are called. */
const NO_SNAPSHOT: Readonly<Record<string, readonly [SnapshotErrorReason, RegExp]>> = {
  'NOTES.json': ['notASnapshot', /is JSON, but no memory snapshot/],
  'SOURCES.md': ['notASnapshot', /starts neither like a pickle/],
  'key_averages.txt': ['notASnapshot', /starts neither like a pickle/],
  'memory_summary.txt': ['unsupported', /over time \(memorySummary\)/],
  'memory_stats.json': ['unsupported', /over time \(memoryStats\)/],
  'memory_timeline.json': ['unsupported', /over time \(memoryTimeline\)/],
  'memory_timeline.json.gz': ['unsupported', /over time \(gzip\/memoryTimeline\)/],
  'memory_timeline.raw.json.gz': ['unsupported', /over time \(gzip\/rawTimeline\)/],
  'profiler_timeline_adamw.json': ['unsupported', /over time \(memoryTimeline\)/],
  'profiler_timeline_raw.json.gz': ['unsupported', /over time \(gzip\/rawTimeline\)/],
  'memory_timeline.html': ['unsupported', /picture of memory/],
  'profiler_timeline_adamw.html': ['unsupported', /picture of memory/],
  'cycle.dot': ['unsupported', /reference cycles/],
  'cycle.html': ['unsupported', /reference cycles/],
};

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/(?:\.py|\.tsv|(?:^|\/)LICENSE)$/.test(name))
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .sort();
}

async function checkAll(files: readonly string[]): Promise<void> {
  await compareWithPython(files.filter((path) => !(basename(path) in NO_SNAPSHOT)));
  for (const path of files) {
    const expected = NO_SNAPSHOT[basename(path)] as (typeof NO_SNAPSHOT)[string] | undefined;
    if (expected === undefined) continue;
    await assert.rejects(readFile(path), (error) => {
      assert.ok(SnapshotError.is(error, expected[0]), `${path}: ${String(error)}`);
      assert.match(error.message, expected[1]);
      return true;
    });
  }
}

describe('Every file', () => {
  it('of our fixtures gives the sums of CPython, or the kind of the file', async function () {
    if (!hasPython()) {
      console.log('    skipped: no python3 to compare with');
      this.skip();
    }
    await checkAll([...filesUnder(join(FIXTURES, 'shapes')), ...filesUnder(join(FIXTURES, 'profiler'))]);
  });

  it('of the corpus gives the sums of CPython, or the kind of the file', async function () {
    if (!hasPython() || !hasCorpus() || !existsSync(join(CORPUS, 'shapes'))) {
      console.log('    skipped: no python3, or no corpus beside the checkout');
      this.skip();
    }
    const files = filesUnder(CORPUS);
    assert.ok(files.length > 100);
    await checkAll(everyNth(files, 4));
  });
});
