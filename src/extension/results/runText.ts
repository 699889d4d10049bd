/** Names of runs and what is said of snapshots in lists. */
import type { RunReport, SnapshotReport } from '../../core/report/report.js';
import { byteText } from '../../core/report/byteText.js';
import { dirname } from '../text/pathText.js';
import type { Translator } from '../text/translator.js';

/**
 * Names for runs: the folder of their snapshots and their rank. Folders that people would call the same are told by what
 * they lie in, runs of one folder are numbered.
 * @param relative makes a path shorter for people
 */
export function runNames(
  runs: readonly RunReport[],
  relative: (path: string) => string,
  l10n: Translator,
): Map<string, string> {
  const folders = runs.map((run) => dirname(run.snapshots.at(0)?.path ?? run.id));
  const folderNames = distinctNames(new Set(folders), relative);
  const names = runs.map((run, i) => {
    const named = folderNames.get(folders[i]) ?? '';
    const folder = named === '' ? run.id : named;
    return run.rank === null ? folder : l10n.t('{0} · rank {1}', folder, run.rank);
  });
  const seen = new Map<string, number>();
  return new Map(
    runs.map((run, i) => {
      const ordinal = (seen.get(names[i]) ?? 0) + 1;
      seen.set(names[i], ordinal);
      const isAlone = names.indexOf(names[i]) === names.lastIndexOf(names[i]);
      return [run.id, isAlone ? names[i] : l10n.t('{0} · run {1}', names[i], ordinal)];
    }),
  );
}

/** Short names of folders; those that would be the same begin further out, where they differ. */
function distinctNames(folders: ReadonlySet<string>, relative: (path: string) => string): Map<string, string> {
  const byName = new Map<string, string[]>();
  for (const folder of folders) byName.set(relative(folder), [...(byName.get(relative(folder)) ?? []), folder]);
  const names = new Map<string, string>();
  for (const [name, alike] of byName) {
    const parts = alike.map((folder) => folder.split(/[/\\]/));
    const longest = Math.max(...parts.map(({ length }) => length));
    let kept = name.split('/').length;
    const ends = (): string[] => parts.map((part) => part.slice(-kept).join('/'));
    while (kept < longest && new Set(ends()).size < alike.length) kept++;
    alike.forEach((folder, i) => names.set(folder, alike.length === 1 ? name : ends()[i]));
  }
  return names;
}

/** `1.2 GiB live · 1.4 GiB reserved · step 40`, over all devices. */
export function snapshotText(snapshot: SnapshotReport, l10n: Translator): string {
  const live = snapshot.devices.reduce((sum, { liveBytes }) => sum + liveBytes, 0);
  const reserved = snapshot.devices.reduce((sum, { reservedBytes }) => sum + (reservedBytes ?? 0), 0);
  const isKnown = snapshot.devices.some(({ reservedBytes }) => reservedBytes !== null);
  const sizes = [l10n.t('{0} live', byteText(live)), ...(isKnown ? [l10n.t('{0} reserved', byteText(reserved))] : [])];
  return [...sizes, ...(snapshot.step === null ? [] : [l10n.t('step {0}', snapshot.step)])].join(' · ');
}

/** Bytes per step that all leaking lines of a run lose together. */
export function leakRate(run: RunReport): number {
  return run.lines.reduce(
    (sum, line) => (line.verdict === 'leak' && !line.ignored ? sum + Math.max(0, line.bytesPerStep ?? 0) : sum),
    0,
  );
}
