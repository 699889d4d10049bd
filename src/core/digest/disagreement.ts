import type { DeviceTrace, SnapshotWarning } from '../model/snapshot.js';
import type { Bytes } from '../model/units.js';
import { deviceName } from '../text/deviceName.js';
import { tCount } from '../text/translate.js';

/** Warns where a trace and the live blocks disagree about what is live at its end. */
export function disagreement({ device }: DeviceTrace, bytes: Bytes): SnapshotWarning[] {
  if (bytes === 0) return [];
  return [
    {
      code: 'traceDisagrees',
      device,
      message: tCount(
        bytes,
        'The trace and the blocks of {1} differ by 1 byte; Leakline uses the blocks: dump while no other thread allocates.',
        'The trace and the blocks of {1} differ by {0} bytes; Leakline uses the blocks: dump while no other thread allocates.',
        deviceName(device),
      ),
    },
  ];
}
