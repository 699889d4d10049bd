/** The curve of the whole run: of any snapshot of it the same, which is why the last represents it. */
import type { RunCurve } from '../../src/protocol/runData.js';
import type { Asks, Question } from '../model/question.js';

export const RUN: Asks<'runCurve'> = {
  method: 'runCurve',
  query: ({ selection, choices, axis, runPixels: pixels }) => {
    if (selection === null) return null;
    const own = choices?.find(({ path }) => path === selection.path);
    const last = choices?.findLast(({ run, devices }) => run === own?.run && devices.includes(selection.device));
    return pixels === 0 ? undefined : { path: last?.path ?? selection.path, device: selection.device, axis, pixels };
  },
  outlives: true,
};

/** The last answer; null without a run, as for amounts over time. */
export function runOf({ answer }: Question<'runCurve'>): RunCurve | null {
  return answer !== null && answer.parts.length > 0 ? answer : null;
}
