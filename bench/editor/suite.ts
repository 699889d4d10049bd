/**
 * What VS Code runs inside its extension host for the benchmark: every measurement of one window, written as JSON into
 * the file that `LEAKLINE_MEASURED` names.
 */
import { writeFileSync } from 'node:fs';
import { measureActivation } from './activation.js';
import { measureLargeWorkspace } from './largeWorkspace.js';
import { measureLookups } from './lookups.js';

const MEASUREMENTS = {
  activation: measureActivation,
  lookups: measureLookups,
  largeWorkspace: measureLargeWorkspace,
} as const;

export async function run(): Promise<void> {
  const name = process.env['LEAKLINE_MEASURE'] as keyof typeof MEASUREMENTS;
  const file = process.env['LEAKLINE_MEASURED'];
  if (file === undefined) throw new Error('LEAKLINE_MEASURED names no file.');
  writeFileSync(file, JSON.stringify(await MEASUREMENTS[name]()));
}
