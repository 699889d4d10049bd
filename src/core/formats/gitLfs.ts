import { SnapshotError } from '../bytes/snapshotError.js';
import { byteText } from '../text/numberText.js';
import { t } from '../text/translate.js';

const POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:[a-z0-9.-]+ .*\n)*?size (\d{1,15})\n/;
/** Repositories keep models as such files, and their pointers stand for no snapshot. */
const MODEL = /\.(?:pth?|bin)$/i;

/** The error for a file that only names its content, null for other files. */
export function lfsPointer(name: string, head: Uint8Array): SnapshotError | null {
  const match = POINTER.exec(String.fromCharCode(...head));
  if (match === null) return null;
  return new SnapshotError(
    MODEL.test(name) ? 'notASnapshot' : 'pointer',
    t(
      '{0} is a Git LFS pointer; the snapshot itself ({1}) is not here. Run `git lfs pull`.',
      name,
      byteText(Number(match[1])),
    ),
  );
}
