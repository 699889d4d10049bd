/**
 * Moves each threshold of the verdicts by 30 % down and up until a planted program's report changes: `npm run
 * thresholds`. Fails where none does, or another one than the table names. Names of thresholds restrict it to these.
 */
import { THRESHOLDS, type Threshold, type ThresholdName } from '../src/core/verdict/thresholds.js';
import { judgeProgram, loadPlanted, reportText, type Mode, type RecordedProgram } from './planted.js';

const { recorded, digests } = await loadPlanted();

/** The results for a program after each number of steps. */
async function said(one: RecordedProgram, mode: Mode): Promise<string> {
  const { name } = one.program;
  const judged = await judgeProgram(one, [mode], digests.get(name));
  return judged.map(({ runs }) => reportText(name, runs)).join('\n');
}

/** The cheapest first: without a source, nothing is followed. */
const MODES: readonly Mode[] = ['neither', 'neither, no traces', 'recorder and source'];
const before = new Map<string, string>();
for (const mode of MODES) for (const one of recorded) before.set(`${mode} ${one.program.name}`, await said(one, mode));

/** A program that notices that a threshold moves, and the factor; null if none does. */
async function noticing(threshold: { value: number; readonly fixedBy?: string }): Promise<string | null> {
  const { value, fixedBy } = threshold;
  const first = recorded.filter(({ program }) => program.name === fixedBy);
  try {
    for (const programs of [first, recorded]) {
      for (const mode of MODES) {
        for (const factor of [0.7, 1.3]) {
          threshold.value = moved(value, factor);
          for (const one of programs)
            if ((await said(one, mode)) !== before.get(`${mode} ${one.program.name}`)) return one.program.name;
        }
      }
    }
    return null;
  } finally {
    threshold.value = value;
  }
}

/** Counts stay integers. */
function moved(value: number, factor: number): number {
  if (!Number.isInteger(value)) return value * factor;
  return factor < 1 ? Math.min(value - 1, Math.round(value * factor)) : Math.max(value + 1, Math.round(value * factor));
}

const asked = process.argv.slice(2);
const wrong: string[] = [];
for (const name of Object.keys(THRESHOLDS) as ThresholdName[]) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const threshold: Threshold = THRESHOLDS[name];
  const by = await noticing(threshold);
  console.log(`${name} ${threshold.value}: ${by ?? 'not noticed'}`);
  if (by === null) wrong.push(`${name} is not noticed`);
  else if (by !== threshold.fixedBy) wrong.push(`${name} is fixed by ${by}`);
}
console.log(wrong.length === 0 ? 'Each is noticed.' : wrong.join('\n'));
process.exitCode = wrong.length === 0 ? 0 : 1;
