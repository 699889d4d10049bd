import { SMALLER_STACKS } from '../model/recordedFile.js';
import type { Snapshot, SnapshotWarning } from '../model/snapshot.js';
import { t } from '../text/translate.js';

/** Warns that the smallest stacks of a snapshot are one, which is the last. */
export function tooManyStacks({ frames, strings }: Snapshot): SnapshotWarning[] {
  if (frames.count === 0 || strings.text(frames.file[frames.count - 1]) !== SMALLER_STACKS) return [];
  return [
    {
      code: 'tooManyStacks',
      message: t(
        'The snapshot has too many stacks, so the smallest are added up as {0}: record with stacks="python".',
        SMALLER_STACKS,
      ),
    },
  ];
}
