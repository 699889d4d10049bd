/** What a digest warns of beside the warnings of its snapshot. */
import { SMALLER_STACKS } from '../model/recordedFile.js';
import type { Recording } from '../model/recording.js';
import type { DeviceTrace, Snapshot, SnapshotWarning } from '../model/snapshot.js';
import type { Bytes } from '../model/units.js';
import { deviceName } from '../text/deviceName.js';
import { t, tCount } from '../text/translate.js';

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

/** Where the recorder saw no step until the program ended, nothing else tells why there is no verdict. */
export function noSteps(recording: Recording | null): readonly SnapshotWarning[] {
  if (recording === null || !recording.isAtEnd || recording.stepSource !== 'none') return [];
  const message = t(
    'The recorder saw no steps, so growth has no verdict: call leakline_recorder.mark_step() after each step, or name ' +
      'the function that answers a request: --step MODULE:FUNCTION.',
  );
  return [{ code: 'noSteps', message }];
}
