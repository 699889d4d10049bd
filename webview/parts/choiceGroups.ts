/** The snapshots and devices as items of a dropdown. */
import type { TimelineChoice } from '../../src/protocol/timelineApi.js';
import { deviceName } from '../../src/core/text/deviceName.js';
import type { DropdownGroup } from '../ui/dropdown.js';

/** Choices under the names of their runs; one run alone needs no heading. */
export function groupsOf(choices: readonly TimelineChoice[]): DropdownGroup[] {
  const runs = [...new Set(choices.map(({ run }) => run))];
  return runs.map((run) => ({
    name: runs.length > 1 ? run : null,
    items: choices.filter((choice) => choice.run === run).map(({ path, label }) => ({ value: path, text: label })),
  }));
}

export function devicesOf(devices: readonly number[]): DropdownGroup[] {
  const items = devices.map((device) => ({ value: String(device), text: deviceName(device) }));
  return [{ name: null, items }];
}

/** The choices that can be compared. */
export function comparable(choices: readonly TimelineChoice[] | null): TimelineChoice[] {
  return (choices ?? []).filter(({ kind }) => kind === 'snapshot');
}
