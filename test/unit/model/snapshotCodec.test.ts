import assert from 'node:assert/strict';
import { join } from 'node:path';
import { checkSnapshot } from '../../../src/core/model/snapshotCheck.js';
import { packSnapshot, unpackSnapshot, type Column } from '../../../src/core/model/snapshotCodec.js';
import { NO_INDEX } from '../../../src/core/model/snapshot.js';
import { everyNth } from '../../support/sample.js';
import { CORPUS, FIXTURES, hasCorpus, picklesUnder, readFile } from '../../support/snapshots.js';
import { wholeSnapshot } from '../../support/wholeSnapshot.js';

/** One has annotations, the other a failure and several devices. */
const EXAMPLES = ['t213.p4.pickle', 'multidevice_oom.pickle'].map((name) => join(FIXTURES, 'shapes', name));

/** Columns of four or eight bytes. */
const WIDENED = new Set(['events.size', 'events.sinceUs']);

/** Packs a snapshot, sends it as to another thread, unpacks it there, and compares with a second reading. */
async function expectRoundTrip(path: string): Promise<void> {
  const packed = packSnapshot(await readFile(path));
  const transfer = [...new Set(Object.values(packed.columns).map(({ buffer }) => buffer as ArrayBuffer))];
  const snapshot = unpackSnapshot(structuredClone(packed, { transfer }));
  checkSnapshot(snapshot);
  assert.deepStrictEqual(wholeSnapshot(snapshot), wholeSnapshot(await readFile(path)), path);
}

describe('A snapshot as plain data', () => {
  it('comes back as it was, for every file of our fixtures', async () => {
    const files = picklesUnder(FIXTURES);
    assert.ok(files.length > 100);
    for (const path of everyNth(files, 8)) await expectRoundTrip(path);
  });

  it('comes back as it was, for every file of the corpus', async function () {
    if (!hasCorpus()) {
      console.log('    skipped: no corpus beside the checkout');
      this.skip();
    }
    for (const path of everyNth(picklesUnder(CORPUS), 3)) await expectRoundTrip(path);
  });

  it('is refused if a column is missing, of another type or of another length', async () => {
    for (const path of EXAMPLES) {
      const { facts, columns } = packSnapshot(await readFile(path));
      for (const [name, column] of Object.entries(columns)) {
        const without = Object.fromEntries(Object.entries(columns).filter(([other]) => other !== name));
        const isOptional = ['forwardStack', 'category', 'metadata', 'compileContext'].some((optional) =>
          name.endsWith(optional),
        );
        if (!isOptional) assert.throws(() => unpackSnapshot({ facts, columns: without }), RangeError, name);
        const other =
          column instanceof Float64Array || WIDENED.has(name) ? new Uint8Array(column) : new Float64Array(column);
        assert.throws(() => unpackSnapshot({ facts, columns: { ...columns, [name]: other } }), RangeError, name);
        // What nothing refers to may be missing.
        if (column.length === 0 || (path !== EXAMPLES[0] && name.startsWith('strings.'))) continue;
        const shorter = column.subarray(0, -1);
        assert.throws(
          () => {
            checkSnapshot(unpackSnapshot({ facts, columns: { ...columns, [name]: shorter } }));
          },
          RangeError,
          name,
        );
      }
    }
  });

  it('is refused if an index leads out of its table, or an amount is endless', async () => {
    const unchecked = [/addr(Low|High)$/, /\.line$/, /\.device$/, /is(Small|Expandable|Start)$/];
    let refused = 0;
    for (const packed of await Promise.all(EXAMPLES.map(async (path) => packSnapshot(await readFile(path)))))
      for (const [name, column] of Object.entries(packed.columns)) {
        if (column.length === 0 || name === 'strings.bytes' || unchecked.some((pattern) => pattern.test(name)))
          continue;
        const damaged: Column = WIDENED.has(name) ? new Float64Array(column) : column.slice();
        damaged[damaged.length >> 1] = damaged instanceof Float64Array ? NaN : NO_INDEX - 1;
        const snapshot = unpackSnapshot({ ...packed, columns: { ...packed.columns, [name]: damaged } });
        assert.throws(
          () => {
            checkSnapshot(snapshot);
          },
          RangeError,
          name,
        );
        refused++;
      }
    assert.ok(refused >= 20, `only ${refused} columns looked at`);
  });

  it('is refused if its facts are not those of a snapshot', async () => {
    const { facts, columns } = packSnapshot(await readFile(EXAMPLES[0]));
    const [trace] = facts.traces;
    for (const wrong of [
      { format: 1 },
      { fileBytes: null },
      { traces: null },
      { traces: [null] },
      { traces: [{ ...trace, count: 1e9 }] },
      { traces: [{ ...trace, first: -1 }] },
      { traces: [trace, trace] },
      { settings: 'x' },
      { takenAtUs: 'now' },
      { originUs: null },
      { warnings: [{ code: 1, message: 'x' }] },
      { absent: [1] },
    ]) {
      assert.throws(() => {
        checkSnapshot(unpackSnapshot({ facts: { ...facts, ...(wrong as object) }, columns }));
      }, Error);
    }
  });
});
