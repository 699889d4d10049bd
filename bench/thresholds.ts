/**
 * Moves each threshold of the verdicts by 30 % down and up, and names the programs whose report changes: `npm run
 * thresholds`. Fails where none does. Names of thresholds restrict it to these.
 */
import { THRESHOLDS, type ThresholdName } from '../src/core/verdict/thresholds.js';
import {
  digestsOf,
  judgeProgram,
  PLANTED,
  recordedPrograms,
  reportText,
  type Mode,
  type PlantedDigests,
} from './planted.js';

/** Thresholds that only decide where the source or the recorder tells of releases. */
const WITH_SOURCE: ReadonlySet<ThresholdName> = new Set(['stillLive', 'fewBlocks', 'seldom', 'mostState']);

const recorded = recordedPrograms(PLANTED);
if (recorded.length === 0) {
  console.log('skipped: no recordings under test/fixtures/planted/recordings');
  process.exit(0);
}
const digests = new Map<string, PlantedDigests>();
for (const one of recorded) digests.set(one.program.name, await digestsOf(one));

/** What is said of every program after each number of steps. */
async function said(modes: readonly Mode[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const one of recorded) {
    const { name } = one.program;
    const judged = await judgeProgram(one, modes, digests.get(name));
    texts.set(name, judged.map(({ runs }) => reportText(name, runs)).join('\n'));
  }
  return texts;
}

const SHAPES: readonly Mode[] = ['neither', 'neither, no traces'];
const CHANCES: readonly Mode[] = ['recorder and source'];
const asked = process.argv.slice(2);
const names = (Object.keys(THRESHOLDS) as ThresholdName[]).filter((name) => asked.length === 0 || asked.includes(name));
const before = { shapes: await said(SHAPES), chances: await said(CHANCES) };
const unnoticed: string[] = [];
console.log('| threshold | value | moved to | reports that change |\n| :-- | --: | --: | :-- |');
for (const name of names) {
  const threshold: { value: number } = THRESHOLDS[name];
  const { value } = threshold;
  let noticed = 0;
  for (const factor of [0.7, 1.3]) {
    threshold.value = value * factor;
    const withSource = WITH_SOURCE.has(name);
    const after = await said(withSource ? CHANCES : SHAPES);
    const was = withSource ? before.chances : before.shapes;
    const changed = [...after].filter(([program, text]) => was.get(program) !== text).map(([program]) => program);
    noticed += changed.length;
    const few = changed.slice(0, 4).join(', ') + (changed.length > 4 ? ` and ${changed.length - 4} more` : '');
    console.log(`| ${name} | ${value} | ${(value * factor).toFixed(2)} | ${few || 'none'} |`);
  }
  threshold.value = value;
  if (noticed === 0) unnoticed.push(name);
}
console.log(unnoticed.length === 0 ? 'Each is noticed.' : `Not noticed: ${unnoticed.join(', ')}.`);
process.exitCode = unnoticed.length === 0 ? 0 : 1;
