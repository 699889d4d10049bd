import type { DigestFrame } from '../model/digestFrame.js';
import { definitionName } from '../model/functionName.js';
import { recordedKind } from '../model/recordedFile.js';
import type { SnapshotWarning } from '../model/snapshot.js';
import { t } from '../text/translate.js';

const PYTHON_FUNCTION = /^(.+?)\((\d{1,9})\): (.+)$/s;

/**
 * Reads a function as the profiler names it, `train.py(12): forward`; null for `<built-in method empty …>`. The line is
 * where the function begins, and the name says so: `def forward`.
 */
export function parseProfilerFrame(text: string): DigestFrame | null {
  const match = PYTHON_FUNCTION.exec(text);
  if (match === null) return null;
  const [, file, line, name] = match;
  const isDefined = recordedKind(file) === 'user' && !name.startsWith('<');
  return { file, line: Number(line), function: isDefined ? definitionName(name) : name };
}

/** The warning of an input with frames of the profiler. */
export function functionLines(): SnapshotWarning {
  return {
    code: 'functionLines',
    message: t(
      'The profiler names functions, so each line is where a function begins, not where it allocates: ' +
        'record with torch.cuda.memory._record_memory_history to see the lines.',
    ),
  };
}
