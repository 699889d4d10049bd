import { SnapshotError } from '../bytes/snapshotError.js';
import { countText } from '../text/numberText.js';
import { t } from '../text/translate.js';

/** The number of devices that PyTorch can number. */
const MAX_DEVICES = 128;

/** Limits the devices: a few bytes name one, and each costs work. @param name of the input @throws SnapshotError `limit` */
export function expectFewDevices(name: string, devices: Iterable<number>): void {
  const { size } = new Set(devices);
  if (size <= MAX_DEVICES) return;
  throw new SnapshotError(
    'limit',
    t(
      '{0} names {1} devices; PyTorch supports at most {2}. Dump the snapshot again.',
      name,
      countText(size),
      MAX_DEVICES,
    ),
  );
}
