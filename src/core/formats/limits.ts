/** What one input may hold: a few bytes can name any number of things, and each of them costs work or memory. */
import { SnapshotError } from '../bytes/snapshotError.js';
import { countText } from '../text/numberText.js';
import { t } from '../text/translate.js';

/** The number of devices that PyTorch can number. */
const MAX_DEVICES = 128;
/** Maximum number of values of all series of a log together: a quarter of a gigabyte of columns. */
const MAX_SAMPLES = 1 << 25;
/** Maximum number of snapshots on one page or in one archive. */
const MAX_SNAPSHOTS = 256;

/** Limits the devices. @param name of the input @throws SnapshotError `limit` */
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

/** Limits the amounts that were read so far from a log. @param name of the input @throws SnapshotError `limit` */
export function expectFewSamples(name: string, samples: number): void {
  if (samples <= MAX_SAMPLES) return;
  throw new SnapshotError('limit', t('{0} holds more samples than Leakline reads. Split it.', name));
}

/** Limits the snapshots of a page or an archive. @param name of the input @throws SnapshotError `limit` */
export function expectFewSnapshots(name: string, snapshots: number): void {
  if (snapshots <= MAX_SNAPSHOTS) return;
  throw new SnapshotError(
    'limit',
    t('{0} holds more than {1} snapshots, more than Leakline reads from one file. Split it.', name, MAX_SNAPSHOTS),
  );
}
