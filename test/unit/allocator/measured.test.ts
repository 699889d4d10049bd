/** What a replay predicts, and what the same program then reserved on a real GPU. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerDevice, finish, type DeviceAnswer } from '../../../src/core/allocator/deviceAnswer.js';
import { findSteps } from '../../../src/core/attribution/steps/steps.js';
import { deviceHistory } from '../../../src/core/model/history.js';
import type { Snapshot } from '../../../src/core/model/snapshot.js';
import { programChanges } from '../../../src/core/report/peak/programChanges.js';
import { FIXTURES, readFile } from '../../support/snapshots.js';

interface Measured {
  readonly workload: string;
  /** A setting of the allocator, the kind of a change of the program, or null. */
  readonly change: string | null;
  readonly capacityBytes: number | null;
  readonly reservedPeakBytes: number;
  readonly fits: boolean;
}

const FOLDER = join(FIXTURES, 'gpu/settings');
const { rows } = JSON.parse(readFileSync(join(FOLDER, 'measured.json'), 'utf8')) as { rows: Measured[] };
/** A checkpoint's recomputation needs temporary memory, which the recording does not have. */
const MAX_ESTIMATE_ERROR = 0.05;
/** Programs that allocate between the optimizer's step and the place where they empty the cache. */
const EMPTIED_ELSEWHERE = ['evals', 'images', 'kept_checkpoints'];

describe('A replay of recordings from a GPU', () => {
  const snapshots = new Map<string, Snapshot>();
  before(async () => {
    for (const name of new Set(rows.map(({ workload }) => workload)))
      snapshots.set(name, await readFile(join(FOLDER, `${name}.pickle.gz`)));
  });

  function answer(name: string, settings: string[] | null, capacity: number | null): DeviceAnswer {
    const snapshot = snapshots.get(name);
    assert.ok(snapshot !== undefined);
    const history = deviceHistory(snapshot, 0);
    const programs = settings === null ? programChanges(snapshot, history, findSteps(snapshot), [], () => null) : [];
    const question = { settings, capacity, without: null, steps: [], programs, wantsCapacities: false };
    return finish(answerDevice(snapshot, history, question));
  }
  const measured = (isOf: (row: Measured) => boolean): Measured[] => {
    const found = rows.filter(isOf);
    assert.ok(found.length > 0);
    return found;
  };
  const isSetting = ({ change }: Measured): boolean => change?.includes(':') === true;

  it('predicts to the byte what each setting reserves', () => {
    for (const row of measured((one) => isSetting(one) && one.capacityBytes === null)) {
      const [outcome] = answer(row.workload, [row.change ?? ''], null).outcomes;
      assert.equal(outcome.reservedPeakBytes, row.reservedPeakBytes, JSON.stringify(row));
    }
  });

  it('predicts whether a capacity is enough, and what is reserved if it is', () => {
    for (const row of measured(({ capacityBytes }) => capacityBytes !== null)) {
      const { recorded, outcomes } = answer(row.workload, row.change === null ? [] : [row.change], row.capacityBytes);
      const outcome = row.change === null ? recorded : outcomes[0];
      assert.equal(outcome?.fits, row.fits, JSON.stringify(row));
      if (row.fits) assert.equal((row.capacityBytes ?? 0) - (outcome.leftBytes ?? 0), row.reservedPeakBytes);
    }
  });

  it('predicts to the byte what changes of the program reserve, and a checkpoint within 5 %', () => {
    let compared = 0;
    for (const row of measured((one) => one.change !== null && !isSetting(one))) {
      const outcome = answer(row.workload, null, null).outcomes.find(({ program }) => program?.kind === row.change);
      // It is left out if it saves less than 2 %.
      if (outcome === undefined || (row.change === 'emptyCache' && EMPTIED_ELSEWHERE.includes(row.workload))) continue;
      const error = Math.abs(outcome.reservedPeakBytes / row.reservedPeakBytes - 1);
      assert.ok(error <= (outcome.isEstimate ? MAX_ESTIMATE_ERROR : 0), JSON.stringify(row));
      compared++;
    }
    assert.ok(compared >= 4);
  });
});
