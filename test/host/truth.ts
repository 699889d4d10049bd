/** The known facts of the generated workspace. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

/** Names the file that the launcher wrote. */
export const truthVariable = 'LEAKLINE_TRUTH';

export function truth(): unknown {
  const file = process.env[truthVariable];
  assert.ok(file !== undefined, 'nothing is known of this workspace');
  return JSON.parse(readFileSync(file, 'utf8'));
}
