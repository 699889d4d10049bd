/**
 * Reads mutated snapshots by the hundred thousand: `npm run fuzz [-- ROUNDS SEED]`. Each must give a snapshot or a
 * `SnapshotError`; anything else is printed with the seed that makes it again, and fails the run. Bounded by its rounds.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { digestSnapshot } from '../../src/core/digest/digest.js';
import { SnapshotError } from '../../src/core/bytes/snapshotError.js';
import { mutated } from '../support/mutate.js';
import { seededRandom } from '../support/seededRandom.js';
import { FIXTURES, readBytes } from '../support/snapshots.js';

const rounds = Number(process.argv[2] ?? 100_000);
const firstSeed = Number(process.argv[3] ?? 1);
/** Larger files only make rounds slower: what can go wrong is the same. */
const LARGEST = 40_000;
/** No mutation of a small file may make the reader take much. */
const MAX_MEMORY = 2 ** 30;

const folder = join(FIXTURES, 'shapes');
const inputs = readdirSync(folder)
  .map((name) => join(folder, name))
  .filter((path) => statSync(path).size <= LARGEST)
  .map((path) => ({ path, bytes: Uint8Array.from(readFileSync(path)) }));

const outcomes = new Map<string, number>();
let failures = 0;
for (let round = 0; round < rounds; round++) {
  const seed = firstSeed + round;
  const random = seededRandom(seed);
  const { path, bytes } = inputs[random(inputs.length)];
  let outcome: string;
  try {
    digestSnapshot(path, await readBytes(mutated(bytes, random)));
    outcome = 'read';
  } catch (error) {
    if (SnapshotError.is(error)) outcome = error.reason;
    else {
      outcome = 'FAILED';
      failures++;
      console.error(
        `seed ${seed}, ${path}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    }
  }
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  if (process.memoryUsage.rss() > MAX_MEMORY) {
    failures++;
    console.error(`seed ${seed}, ${path}: more than ${MAX_MEMORY} bytes of memory`);
    break;
  }
}
console.log([...outcomes].map(([outcome, count]) => `${outcome}: ${count}`).join(', '));
console.log(`${rounds - failures} passed, ${failures} failed`);
process.exit(failures === 0 ? 0 : 1);
