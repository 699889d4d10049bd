import assert from 'node:assert/strict';
import { join } from 'node:path';
import { digestSnapshot, type SnapshotDigest } from '../../../src/core/digest/digest.js';
import type { Snapshot } from '../../../src/core/model/snapshot.js';
import { LeftOut, outlineBefore } from '../../../src/core/runs/outline.js';
import { FIXTURES, picklesUnder, readBytes, readFile } from '../../support/snapshots.js';
import { RandomTraining } from '../../support/randomTraining.js';

/** A part of a digest, or the error that says that it was left out. */
function part(digest: object, key: string): unknown {
  try {
    return Reflect.get(digest, key);
  } catch (error) {
    return error;
  }
}

/** An outline and its omissions, beside the complete digest. */
function leftOut(outline: object, whole: object): string[] {
  return Object.keys(whole).filter((key) => {
    const value = part(outline, key);
    if (!(value instanceof LeftOut)) return false;
    assert.match(value.message, new RegExp(`no ${key}\\.$`));
    return true;
  });
}

describe('An outline', () => {
  const files = picklesUnder(join(FIXTURES, 'recordings/aux_loss'));
  let snapshots: Snapshot[];
  let last: SnapshotDigest;
  const outlineOf = (snapshot: Snapshot, later = last): SnapshotDigest | null =>
    outlineBefore(later, 'early.pickle', snapshot, null, 5, false);

  before(async () => {
    snapshots = await Promise.all(files.map((file) => readFile(file)));
    last = digestSnapshot(files[files.length - 1], snapshots[files.length - 1]);
  });

  it('has the values of the complete digest, without facts that need each event', () => {
    for (const snapshot of snapshots) {
      const whole = digestSnapshot('early.pickle', snapshot, null, 5);
      const outline = outlineOf(snapshot);
      assert.ok(outline !== null);
      assert.deepEqual(
        leftOut(outline, whole),
        ['blocks', 'steps', 'lifetimes', 'spans', 'curves', 'peaks', 'scopes'].sort(byKeysOf(whole)),
      );
      const { path, format, fileBytes, eventCount, takenAtUs, savedAtUs, devices, warnings, segments, failures } =
        outline;
      const { groups, heads, frames } = outline;
      const { groups: wholeGroups, heads: wholeHeads, frames: wholeFrames } = whole;
      const own = { path, format, fileBytes, eventCount, takenAtUs, savedAtUs, devices, warnings, segments, failures };
      for (const [key, value] of Object.entries(own)) assert.deepEqual(value, Reflect.get(whole, key), key);
      assert.deepEqual(frames, wholeFrames.slice(0, frames.length));
      assert.equal(groups.length, wholeGroups.length);
      groups.forEach((group, i) => {
        const { categories, ...known } = wholeGroups[i];
        assert.deepEqual(leftOut(group, wholeGroups[i]), ['categories'], `${categories.length}`);
        assert.deepEqual({ ...group }, known);
      });
      heads.forEach((head, i) => {
        assert.deepEqual(leftOut(head, wholeHeads[i]), ['isWhole']);
        assert.deepEqual({ ...head, isWhole: wholeHeads[i].isWhole }, wholeHeads[i]);
      });
    }
  });

  it('is not made where the later trace does not go on with its own', () => {
    const [first, second] = snapshots;
    const early = digestSnapshot('a.pickle', first);
    assert.equal(outlineOf(second, early), null, 'it is longer');
    const { events, traces } = second;
    const otherSize = { ...second, events: { ...events, size: events.size.map((size) => size + 512) } };
    assert.equal(outlineOf(otherSize), null, 'other events');
    const otherTime = { ...second, events: { ...events, originUs: events.originUs + 2e6 } };
    assert.equal(outlineOf(otherTime), null, 'another time');
    const overflowed = { ...second, traces: traces.map((trace) => ({ ...trace, first: 7, count: trace.count - 7 })) };
    assert.equal(outlineOf(overflowed), null, 'the ring lost events');
    const untraced = { ...second, traces: traces.map((trace) => ({ ...trace, count: 0 })) };
    assert.equal(outlineOf(untraced), null, 'there is no trace');
    const otherDevice = { ...second, traces: traces.map((trace) => ({ ...trace, device: 1 })) };
    assert.equal(outlineOf(otherDevice), null, 'another device');
  });

  it('leaves out failures where an allocation failed', async () => {
    const training = new RandomTraining(3, 3);
    for (let step = 0; step < 4; step++) training.run();
    const snapshot = await readBytes(training.dump(Infinity).bytes);
    const failing = {
      ...snapshot,
      events: { ...snapshot.events, action: snapshot.events.action.slice().fill(8, 5, 6) },
    };
    const outline = outlineOf(failing, digestSnapshot('late.pickle', failing));
    assert.ok(outline !== null);
    assert.ok(part(outline, 'failures') instanceof LeftOut);
  });
});

function byKeysOf(digest: object): (a: string, b: string) => number {
  const keys = Object.keys(digest);
  return (a, b) => keys.indexOf(a) - keys.indexOf(b);
}
