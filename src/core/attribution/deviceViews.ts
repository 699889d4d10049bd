import type { Snapshot } from '../model/snapshot.js';
import { Categorizer } from './categories/categorizer.js';
import { deviceHistory, type TraceHistory } from '../model/history.js';
import { StackRoles } from './stackRole.js';
import { stepsOnDevice, type Steps } from './steps/steps.js';

/** A device's curve, with facts for its steps and categories. */
export interface DeviceView {
  history: TraceHistory;
  /** null if the trace shows none. */
  steps: Steps | null;
  categorizer: Categorizer;
  roles: StackRoles;
}

/** All devices of the snapshot. */
export function deviceViews(
  snapshot: Snapshot,
  steps: Steps | null,
  roles = new StackRoles(snapshot),
): Map<number, DeviceView> {
  const devices = new Set([...snapshot.traces.map((trace) => trace.device), ...snapshot.segments.device]);
  const views = new Map<number, DeviceView>();
  for (const device of devices) {
    const history = deviceHistory(snapshot, device);
    const own = steps === null || history.trace.count === 0 ? null : stepsOnDevice(snapshot, steps, device);
    views.set(device, { history, steps: own, categorizer: new Categorizer(snapshot, history, own, roles), roles });
  }
  return views;
}
