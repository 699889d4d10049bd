/** What limits the evidence of a run. */
import { getOrAdd } from '../maps.js';
import type { RunReport, SnapshotReport } from '../report/report.js';
import { countText } from '../text/numberText.js';
import { t } from '../text/translate.js';

/** Maximum number of files that are named in one sentence. */
const MAX_FILES = 3;

/**
 * Warnings of a run's snapshots, each kind once per device, with the number of snapshots. Numbers are those of the
 * last.
 */
export function warningTexts(snapshots: readonly SnapshotReport[]): string[] {
  const kinds = new Map<string, string[]>();
  for (const { warnings } of snapshots) {
    const seen = new Map<string, number>();
    for (const { code, device, message } of warnings) {
      // The peak explains older memory, with its share and what to do.
      if (code === 'startedLate') continue;
      const sort = `${code} ${device ?? ''}`;
      const ordinal = seen.get(sort) ?? 0;
      seen.set(sort, ordinal + 1);
      getOrAdd(kinds, `${sort} ${ordinal}`, () => []).push(message);
    }
  }
  return [...kinds.values()].map((messages) => {
    const last = messages[messages.length - 1];
    if (snapshots.length === 1) return last;
    const [some, all] = [countText(messages.length), countText(snapshots.length)];
    return new Set(messages).size === 1
      ? t('{0} ({1} of {2} snapshots)', last, some, all)
      : t('{0} ({1} of {2} snapshots; the numbers are the last one’s)', last, some, all);
  });
}

/** Files that are different versions from those that ran, in one sentence, with the place of a function now. */
export function differentVersionTexts({ lines }: RunReport): string[] {
  const differing = lines.filter(({ differs }) => differs !== null);
  if (differing.length === 0) return [];
  const [first] = differing;
  const files = new Set(differing.map(({ file }) => file));
  if (files.size > 1) {
    return [
      t(
        '{0} files are different versions from those that ran, so their lines may have moved: {1}.',
        countText(files.size),
        [...files].slice(0, MAX_FILES).join(', ') + (files.size > MAX_FILES ? ', …' : ''),
      ),
    ];
  }
  const place = [first.file, first.function, first.line];
  const now = first.differs?.line ?? null;
  return [
    now === null
      ? t('{0} is a different version: {1} does not enclose line {2}.', ...place)
      : t('{0} is a different version: {1} does not enclose line {2}, it begins at line {3}.', ...place, now),
  ];
}
