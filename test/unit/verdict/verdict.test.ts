import assert from 'node:assert/strict';
import { evenly } from '../../../src/core/model/evenly.js';
import { rateOfRun } from '../../../src/core/verdict/rate.js';
import type { DigestLifetimes } from '../../../src/core/digest/digest.js';
import type { Series } from '../../../src/core/verdict/seriesFeatures.js';
import { seededRandom } from '../../support/seededRandom.js';
import { binStepsOf, summarizeLives } from '../../../src/core/attribution/categories/lifetimes.js';
import { shapeOf } from '../../../src/core/verdict/shapeOf.js';

/** A snapshot every 10 steps, blocks of 1 byte. */
function seriesOf(bytes: readonly number[], blocks = bytes): Series {
  return { bytes, blocks, at: bytes.map((_, i) => 10 * (i + 1)) };
}

const judged = (series: Series): ReturnType<typeof shapeOf> =>
  shapeOf({ series, lifetimes: null, collects: () => null });
const verdict = (...bytes: number[]): string => judged(seriesOf(bytes)).shape;

describe('The verdict on a series', () => {
  it('is growth without accusation on two snapshots', () => {
    assert.equal(verdict(0, 900), 'tooShort');
  });

  it('is a leak if growth continues', () => {
    assert.equal(verdict(1, 2, 3), 'lasting');
    assert.equal(verdict(0, 10, 20, 30, 40, 50), 'lasting');
    assert.equal(verdict(0, 10, 20, 20, 30, 40), 'lasting');
    assert.ok(judged(seriesOf(range(0, 9))).confidence > judged(seriesOf([0, 1, 2])).confidence);
  });

  it('accuses no constant, no jump, no warm-up, no full buffer', () => {
    assert.equal(verdict(7, 7, 7, 7), 'steady');
    assert.equal(verdict(0, 0, 9, 9, 9, 9), 'oneOff');
    assert.equal(verdict(0, 9, 9, 9, 9), 'oneOff');
    assert.equal(verdict(0, 3, 6, 9, 9, 9, 9), 'plateau');
    assert.equal(verdict(0, 3, 3, 3, 3, 6, 6, 6, 6, 9, 9, 9), 'growing', 'by an epoch, whose end is not reached');
    assert.equal(verdict(0, 3, 3, 3, 3, 6, 6, 6, 6, 9, 9, 9, 9, 9), 'plateau');
    assert.equal(verdict(0, 0, 0, 0, 9), 'growing');
  });

  it('accuses neither ever longer inputs nor a cache that has nearly all of its keys', () => {
    const one = new Array<number>(8).fill(1);
    assert.equal(judged(seriesOf([30, 40, 50, 60, 70, 80, 90, 100], one)).shape, 'growing');
    assert.equal(verdict(0, 40, 70, 90, 100, 105, 108, 109), 'growing');
    assert.equal(verdict(9, 12, 14, 15), 'growing');
  });

  it('names one tensor that grows from nothing, and waits with rare growth', () => {
    const one = new Array<number>(8).fill(1);
    assert.equal(judged(seriesOf([10, 20, 30, 40, 50, 60, 70, 80], one)).shape, 'lasting');
    assert.equal(verdict(0, 0, 1, 1, 2, 2, 3, 3, 4, 4), 'growing');
  });

  it('accuses no batch that doubles', () => {
    const one = new Array<number>(8).fill(1);
    assert.equal(judged(seriesOf([8, 8, 16, 16, 32, 32, 64, 128], one)).shape, 'growing');
  });

  it('accuses nothing that is freed', () => {
    assert.equal(verdict(1, 2, 3, 0, 1, 2, 3, 0, 1), 'periodic');
    assert.equal(verdict(5, 3, 6, 2, 7, 1), 'periodic');
    assert.equal(verdict(0, 4, 8, 2, 2, 2), 'plateau');
    assert.equal(verdict(8, 8, 8, 8, 8, 0), 'plateau', 'weights, after the function that trained has returned');
  });
});

/** Lifetimes of a stack that allocates 100 bytes on the steps of `births` and frees after `age` steps, or never. */
function lifetimes(steps: number, births: readonly number[], age: number | null, size = 100): DigestLifetimes {
  const live = (step: number): number[] => births.filter((b) => b <= step && (age === null || b + age > step));
  const dead = births.filter((b) => age !== null && b + age <= steps);
  return {
    steps,
    areStepsSure: true,
    binSteps: 1,
    floors: Float64Array.from({ length: steps + 1 }, (_, step) => live(step).length * size),
    survivorBirths: Uint32Array.from(live(steps)),
    usualFreedAge: dead.length === 0 ? null : age,
    oldestFreedAge: dead.length === 0 ? null : age,
    drops: [],
  };
}

function range(from: number, to: number, every = 1): number[] {
  return Array.from({ length: Math.floor((to - from) / every) + 1 }, (_, i) => from + i * every);
}

describe('The verdict on lifetimes', () => {
  const lived = (evidence: DigestLifetimes, collects: boolean | null = null): string =>
    shapeOf({ series: seriesOf([]), lifetimes: evidence, collects: () => collects }).shape;

  it('is a leak if each period adds survivors that outlive the freed blocks', () => {
    assert.equal(lived(lifetimes(50, range(1, 50), null)), 'lasting');
    assert.equal(lived(lifetimes(50, range(1, 50, 3), null)), 'lasting');
  });

  it('sees one block in ten steps, and one per epoch from five epochs on', () => {
    assert.equal(lived(lifetimes(80, range(3, 80, 10), null, 1024)), 'lasting');
    assert.equal(lived(lifetimes(240, range(40, 240, 40), null, 1024)), 'lasting');
    assert.equal(lived(lifetimes(200, range(40, 200, 40), null, 1024)), 'growing');
    assert.equal(lived(lifetimes(240, range(40, 240, 40), null, 512)), 'growing', 'the loss of each epoch');
    assert.equal(lived(lifetimes(240, range(10, 240, 10), null, 512)), 'growing', 'the loss of each of many epochs');
  });

  it('sees twenty blocks at uneven intervals of a run of any length', () => {
    const uneven = (count: number): number[] => range(0, count).map((i) => 100 + i * 40 + (i % 3) * 6);
    assert.equal(lived(lifetimes(900, uneven(20), null, 1024)), 'lasting');
    assert.equal(lived(lifetimes(840, uneven(18), null, 1024)), 'growing');
    assert.equal(lived(lifetimes(900, uneven(20), null, 512)), 'growing', 'numbers');
  });

  it('waits with a few rare allocations, and after a gap longer than any before', () => {
    assert.equal(lived(lifetimes(60, [8, 20, 30, 44, 56], null)), 'growing');
    assert.equal(lived(lifetimes(45, range(1, 31, 5), null)), 'plateau', 'layers that were unfrozen, all of them');
    assert.equal(lived(lifetimes(45, range(1, 41, 5), null)), 'lasting');
  });

  it('is a plateau if later blocks only replace earlier ones, however uneven the intervals are', () => {
    const rare = lifetimes(119, [20, 60, 98, 99, 100], null);
    assert.equal(lived(rare), 'growing');
    // Two blocks are live, except on every eleventh step, where one of them has been freed and not yet replaced.
    const level = Float64Array.from(rare.floors, (_, step) =>
      step < 8 ? 0 : step % 11 === 0 && step < 80 ? 100 : 200,
    );
    assert.equal(lived({ ...rare, floors: level }), 'plateau');
  });

  it('waits with its judgement while a buffer may still grow to its bound', () => {
    assert.equal(lived(lifetimes(10, range(1, 10), null)), 'growing');
  });

  it('accuses no parameter, no jump, no sliding window, no buffer that is full', () => {
    assert.equal(lived(lifetimes(50, [1], null)), 'steady');
    assert.equal(lived(lifetimes(50, [1, 2], null)), 'steady');
    assert.equal(lived(lifetimes(50, [20], null)), 'oneOff');
    assert.equal(lived(lifetimes(100, range(1, 100), 30)), 'plateau');
    assert.equal(lived(lifetimes(50, range(1, 25), null)), 'plateau');
    assert.equal(lived(lifetimes(50, range(1, 50), 1)), 'steady');
  });

  it('is growth of a queue that is filled faster than it is emptied, and none of a queue of fixed length', () => {
    const queue = (steps: number, put: number, taken: (step: number) => number, first = 0): string => {
      const births = new Array<number>(first).fill(1);
      const deaths: number[] = [];
      for (let step = 1; step <= steps; step++) {
        for (let i = 0; i < put; i++) births.push(step);
        for (let i = 0; i < taken(step) && deaths.length < births.length; i++) deaths.push(step);
      }
      const lives = births.map((birth, i) => ({ birth, death: deaths.at(i) ?? null, bytes: 100 }));
      const words = { frames: [], forwardFrames: [], stackless: 'noStack', areStepsSure: true } as const;
      const life = { ...words, steps, binSteps: binStepsOf(steps), ...summarizeLives(lives, steps) };
      const drops = life.drops.map(({ step, bytes }) => ({ step, bytes, site: null }));
      return shapeOf({ series: seriesOf([]), lifetimes: { ...life, drops }, collects: () => null }).shape;
    };
    const two = queue(60, 2, () => 1);
    const three = queue(600, 3, (step) => (step > 20 ? 2 : 0));
    assert.deepEqual([two, three], ['lasting', 'lasting']);
    const late = queue(100, 4, () => 3, 40);
    assert.equal(late, 'growing', 'the trace begins when the queue has items');
    for (const length of [5, 20, 45, 50]) {
      const fixed = queue(60, 1, (step) => Number(step > length));
      assert.equal(fixed, 'plateau', `${length}`);
    }
  });

  it('waits with a cache whose keys become rarer, and with ever longer inputs', () => {
    assert.equal(lived(lifetimes(60, [1, 2, 3, 5, 6, 8, 9, 11, 14, 18, 22, 31, 55], null)), 'growing');
    const longer = { ...lifetimes(60, [60], null), floors: Float64Array.from({ length: 61 }, (_, i) => 1000 + 50 * i) };
    assert.equal(lived(longer), 'steady');
    const midStep = longer.floors.map((bytes, i) => (i === 60 ? 2 * bytes : bytes));
    assert.equal(lived({ ...longer, floors: midStep }), 'steady', 'a dump in the middle of a step');
  });

  it('names one tensor that every step replaces by a longer one', () => {
    const floors = Float64Array.from({ length: 61 }, (_, i) => 50 * i);
    assert.equal(lived({ ...lifetimes(60, [60], null), floors }), 'lasting');
    const given = floors.map((bytes, i) => (i > 40 ? bytes - 2000 : bytes));
    assert.equal(lived({ ...lifetimes(60, [60], null), floors: given }), 'steady');
    const justGiven = floors.map((bytes, i) => (i === 60 ? 50 : bytes));
    assert.equal(
      lived({ ...lifetimes(60, [60], null), floors: justGiven }),
      'steady',
      'the last step gave it all back',
    );
  });

  it('distinguishes the collector’s frees from a list that is cleared', () => {
    const drops = [20, 40].map((step) => ({ step, bytes: 2000, site: { file: 'a.py', line: 9, function: 'main' } }));
    const cycle = { ...lifetimes(50, range(41, 50), null), usualFreedAge: 18, drops };
    cycle.floors.set([2000], 20);
    assert.equal(lived(cycle), 'periodic');
    assert.equal(lived(cycle, true), 'cycle');
    const elsewhere = drops.map((drop, i) => ({ ...drop, site: { ...drop.site, line: 9 + i } }));
    assert.equal(lived({ ...cycle, drops: elsewhere }), 'cycle');
    const mostly = [...elsewhere, { ...drops[0], step: 30 }];
    assert.equal(
      lived({ ...cycle, drops: mostly }),
      'periodic',
      'a thread that takes items on one line, and once elsewhere',
    );
  });

  it('from a rhythm alone needs snapshots that grow as well', () => {
    const inferred = { ...lifetimes(50, range(1, 50), null), areStepsSure: false };
    const of = (...series: number[]): string =>
      shapeOf({ series: seriesOf(series), lifetimes: inferred, collects: () => null }).shape;
    assert.equal(of(5000), 'tooShort');
    assert.equal(of(5000, 5000, 5000), 'steady');
    assert.equal(of(1000, 2000, 3000, 5000), 'lasting');
  });

  it('of a few beats of a rhythm asks many snapshots', () => {
    const few = { ...lifetimes(4, range(1, 4), null), areStepsSure: false };
    const of = (evidence: DigestLifetimes, count: number): string =>
      shapeOf({ series: seriesOf(range(1, count)), lifetimes: evidence, collects: () => null }).shape;
    assert.equal(of(few, 5), 'growing');
    assert.equal(of(few, 12), 'lasting');
    assert.equal(of({ ...few, areStepsSure: true }, 12), 'growing', 'steps that are known to be few');
  });
});

describe('The rate', () => {
  it('is the median slope, which one jump does not move', () => {
    assert.equal(rateOfRun([0, 10, 20, 30], [0, 50, 100, 150])?.median, 5);
    assert.equal(rateOfRun([0, 1, 2, 3, 4, 5, 6], [0, 1005, 1010, 1015, 1020, 1025, 1030])?.median, 5);
    assert.equal(rateOfRun([3], [9]), null);
  });

  it('of a long run is that of some snapshots, the first and the last among them', () => {
    const at = Array.from({ length: 100_000 }, (_, i) => i);
    const bytes = at.map((step) => (step === 0 ? 0 : 7 * step + (step % 2)));
    const median = rateOfRun(at, bytes)?.median ?? 0;
    assert.ok(Math.abs(median - 7) < 0.001, String(median));
    assert.deepEqual(evenly(5, 3), [0, 2, 4]);
    assert.deepEqual(evenly(2, 3), [0, 1]);
  });

  it('of 64 snapshots is that of all of them', () => {
    const random = seededRandom(3);
    const at = Array.from({ length: 64 }, (_, i) => i);
    const bytes = at.map(() => random(1000));
    const slopes = at.flatMap((to) => at.slice(0, to).map((from) => (bytes[to] - bytes[from]) / (to - from)));
    slopes.sort((a, b) => a - b);
    assert.equal(rateOfRun(at, bytes)?.median, (slopes[1007] + slopes[1008]) / 2);
  });

  it('has a range that holds the true rate in nine of ten noisy runs', () => {
    const random = seededRandom(5);
    for (const points of [5, 8, 15, 40]) {
      let held = 0;
      for (let round = 0; round < 400; round++) {
        const truth = 1000 + random(100_000);
        // Noise of up to two steps' growth, as dumps at another moment of the step have it.
        const at = Array.from({ length: points }, (_, i) => 10 * i + random(5));
        const bytes = at.map((step) => truth * step + truth * (random(4001) / 1000 - 2));
        const rate = rateOfRun(at, bytes);
        if (rate !== null && rate.low <= truth && truth <= rate.high) held++;
      }
      assert.ok(held >= 360, `${held} of 400 with ${points} points`);
    }
  });
});
