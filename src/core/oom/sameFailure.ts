/** Whether a message and a snapshot tell of one failed request, although their lines may differ. */
import type { Bytes, Microseconds } from '../model/units.js';
import type { OomExplanation } from './explanation.js';
import { segmentOf } from './oomClass.js';

/** When and where a message was written. */
export interface MessageOrigin {
  /** Null if unknown. */
  readonly writtenAtUs: Microseconds | null;
  /** The folder of its log; null if it is of none. */
  readonly folder: string | null;
}

/** A failed request of a snapshot. */
interface RecordedRequest {
  /** The request, as the allocator rounded it. */
  readonly askedBytes: Bytes;
  readonly device: number;
  /** The device's memory; null if unknown. */
  readonly capacityBytes: Bytes | null;
  readonly path: string;
  /** Null if unknown. */
  readonly atUs: Microseconds | null;
}

/** Time between a failure, its message and the end of the file that has it. */
const NEAR_US: Microseconds = 5 * 60e6;
/** The driver and the recorder count a device's memory differently. */
const CAPACITY_DRIFT = 0.05;

export function isSameFailure(
  message: Pick<OomExplanation, 'requestedBytes' | 'devices' | 'capacityBytes'>,
  { writtenAtUs, folder }: MessageOrigin,
  recorded: RecordedRequest,
): boolean {
  const { askedBytes, device, capacityBytes: capacity, path, atUs } = recorded;
  if (message.requestedBytes === null) return false;
  // PyTorch names the segment that the driver could not give.
  const sizes = [askedBytes, segmentOf(askedBytes)];
  if (!sizes.some((bytes) => isPrinted(bytes, message.requestedBytes ?? 0))) return false;
  if (message.devices.length > 0 && !message.devices.includes(device)) return false;
  if (message.capacityBytes !== null && capacity !== null)
    if (Math.abs(message.capacityBytes - capacity) > CAPACITY_DRIFT * capacity) return false;
  const isNear = writtenAtUs !== null && atUs !== null && Math.abs(writtenAtUs - atUs) <= NEAR_US;
  return isNear || (folder !== null && folder === path.replace(/[/\\][^/\\]*$/, ''));
}

/** True if a message prints an amount as this one, in hundredths of its unit. */
function isPrinted(bytes: Bytes, printed: Bytes): boolean {
  const unit = 1024 ** Math.min(3, Math.floor(Math.log2(Math.max(1, printed)) / 10));
  return Math.abs(bytes - printed) <= 0.0051 * unit;
}
