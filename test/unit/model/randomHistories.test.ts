import assert from 'node:assert/strict';
import { stackOfKey } from '../../../src/core/digest/stackKey.js';
import { digestSnapshot, type DigestLifetimes, type SnapshotDigest } from '../../../src/core/digest/digest.js';
import { joinTraces, type JoinedTraces } from '../../../src/core/runs/joinTraces.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import { RandomTraining, type RandomDump } from '../../support/randomTraining.js';
import { tries } from '../../support/sample.js';
import { seededRandom } from '../../support/seededRandom.js';
import { readBytes } from '../../support/snapshots.js';

type Random = (below: number) => number;

const SEEDS = tries(24, 6);
const LINES = 6;

interface Recorded {
  training: RandomTraining;
  dumps: RandomDump[];
  digests: SnapshotDigest[];
}

/**
 * A process of 24 to 48 steps, dumped at random.
 * @param ringOf how many events the ring holds at a dump, of those since the dump before
 */
async function record(seed: number, ringOf: (since: number, random: Random) => number): Promise<Recorded> {
  const random = seededRandom(seed);
  const training = new RandomTraining(seed, LINES);
  const dumps: RandomDump[] = [];
  const steps = 24 + random(25);
  for (let step = 1; step <= steps; step++) {
    training.run();
    if (step < steps && (step <= 6 || random(5) > 0)) continue;
    const since = training.eventCount - (dumps.at(-1)?.endEvent ?? 0);
    dumps.push(training.dump(ringOf(since, random)));
  }
  const digests = await Promise.all(
    dumps.map(async ({ bytes }, i) => digestSnapshot(`job/step${i}.pickle`, await readBytes(bytes))),
  );
  return { training, dumps, digests };
}

/** Adjacent dumps whose traces do not meet. */
function trueGaps(dumps: readonly RandomDump[]): number {
  return dumps.slice(1).filter(({ firstEvent }, i) => firstEvent > dumps[i].endEvent).length;
}

function byLine({ stacks }: JoinedTraces): Map<number, DigestLifetimes> {
  return new Map(
    stacks.map(({ key, lifetimes }) => {
      const { frames } = stackOfKey(key);
      assert.equal(frames.length, 1);
      return [frames[0].line, lifetimes] as const;
    }),
  );
}

describe('Random histories, cut into dumps', () => {
  it('joined are the whole history where rings of random size overlap, to the step and the byte', async () => {
    let joins = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      // Every ring reaches back behind the dump before; the first holds everything.
      const { training, digests } = await record(seed, (since, random) => since + 40 + random(200));
      const joined = joinTraces(digests);
      if (joined === null) continue;
      joins++;
      assert.equal(joined.gaps, 0, `seed ${seed}`);
      const found = byLine(joined);
      for (const line of training.lines) {
        const lives = training.lives.filter(
          (life) => life.line === line && (life.deathStep === null || life.deathStep > life.birthStep),
        );
        const lifetimes = found.get(line);
        assert.deepEqual(
          [...(lifetimes?.survivorBirths ?? [])],
          lives.filter(({ deathStep }) => deathStep === null).map(({ birthStep }) => birthStep),
          `seed ${seed}, line ${line}`,
        );
        const live = (step: number): number =>
          lives
            .filter(({ birthStep, deathStep }) => birthStep <= step && (deathStep === null || deathStep > step))
            .reduce((sum, { size }) => sum + size, 0);
        assert.deepEqual(
          [...(lifetimes?.floors ?? [])],
          Array.from({ length: training.step + 1 }, (_, step) => live(step)),
          `seed ${seed}, line ${line}`,
        );
        const ages = lives.flatMap(({ birthStep, deathStep }) => (deathStep === null ? [] : [deathStep - birthStep]));
        assert.equal(lifetimes?.oldestFreedAge ?? null, ages.length === 0 ? null : Math.max(...ages));
      }
    }
    assert.ok(joins >= SEEDS / 3, `${joins} histories were joined`);
  });

  it('end in the blocks of the last dump however small the rings, and gaps are counted', async () => {
    let gaps = 0;
    let joins = 0;
    for (let seed = 101; seed <= 100 + SEEDS; seed++) {
      const { training, dumps, digests } = await record(
        seed,
        (since, random) => 140 + random(random(2) === 0 ? 60 : since),
      );
      const joined = joinTraces(digests);
      if (joined === null) continue;
      joins++;
      const missing = trueGaps(dumps);
      gaps += missing;
      // Where two traces share a few events only, nothing may tell where they meet.
      assert.ok(joined.gaps >= missing, `seed ${seed}: ${joined.gaps} of ${missing} gaps`);
      const found = byLine(joined);
      for (const line of training.lines) {
        // What was there before the first trace has no birth.
        const alive = training.lives.filter(
          (life) => life.line === line && life.deathStep === null && life.birthEvent >= dumps[0].firstEvent,
        );
        const { survivorBirths, floors } = found.get(line) ?? { survivorBirths: [], floors: [0] };
        assert.deepEqual(
          [survivorBirths.length, floors[floors.length - 1]],
          [alive.length, alive.reduce((sum, { size }) => sum + size, 0)],
          `seed ${seed}, line ${line}, ${joined.gaps} gaps`,
        );
        for (const floor of floors) assert.ok(floor >= 0, `seed ${seed}, line ${line}: ${floor}`);
      }
    }
    assert.ok(joins > SEEDS / 2 && gaps > SEEDS / 2, `${gaps} gaps in ${joins} histories`);
  });

  it('have lines whose live bytes, blocks and growth are those of the process', async () => {
    for (let seed = 201; seed <= 200 + SEEDS / 2; seed++) {
      const { training, dumps, digests } = await record(seed, (since, random) => 140 + random(since));
      const { runs } = buildReport(digests, { files: [], rules: [] }).report;
      assert.equal(runs.length, 1);
      for (const line of training.lines) {
        const series = dumps.map(({ live }) => live.get(line)?.bytes ?? 0);
        const found = runs[0].lines.find((one) => one.line === line);
        assert.deepEqual(found?.series ?? series.map(() => 0), series, `seed ${seed}, line ${line}`);
        assert.equal(found?.growthBytes ?? 0, series[series.length - 1] - series[0]);
        assert.equal(found?.blocks ?? 0, dumps[dumps.length - 1].live.get(line)?.blocks ?? 0);
      }
    }
  });
});
