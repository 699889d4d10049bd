/** Two snapshots side by side, in words. */
import type { Bytes } from '../model/units.js';
import { signedByteText } from '../text/byteText.js';
import { t } from '../text/translate.js';
import { snapshotName } from './shortText.js';

/** What a line grew by. @param path the earlier snapshot */
export function grownSince(growth: Bytes, path: string): string {
  return t('{0} since {1}', signedByteText(growth), snapshotName(path));
}
