/** The choices of "Map Recorded Folder…": folders of recorded files without a workspace file. */
import { recordedCellKey } from '../notebooks/cellNames.js';
import type { PathRule } from '../../core/attribution/paths/pathMapping.js';

interface RecordedFolder {
  /** The folder, as recorded, without a separator at its end. */
  readonly folder: string;
  /** Unmapped files below it. */
  readonly files: number;
}

/** Recorded files that no workspace file answers to: those that a folder can be mapped for, and cells of notebooks. */
export function unmappedFiles(unmapped: readonly string[]): { files: string[]; cells: string[] } {
  return {
    files: unmapped.filter((file) => recordedCellKey(file) === null),
    cells: unmapped.filter((file) => recordedCellKey(file) !== null),
  };
}

function parts(path: string): string[] {
  return path.split(/[/\\]+/);
}

function parentOf(path: string): string {
  return path.replace(/[/\\]+[^/\\]*$/, '');
}

/** Folders that hold the files, and the folders above them that hold more; those with most files first. */
export function recordedFolders(files: readonly string[]): RecordedFolder[] {
  const counts = new Map<string, number>();
  for (const file of files) {
    for (let folder = parentOf(file); folder !== '' && folder !== parentOf(folder); folder = parentOf(folder)) {
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  const all = [...counts].map(([folder, count]) => ({ folder, files: count }));
  // A folder whose only content is one folder adds nothing.
  const useful = all.filter(
    ({ folder, files: count }) => !all.some((other) => parentOf(other.folder) === folder && other.files === count),
  );
  return useful.sort((a, b) => b.files - a.files || b.folder.length - a.folder.length);
}

/** The rule that makes `recorded` the workspace file `candidate`: their common suffix cut off. */
export function ruleFromChoice(recorded: string, candidate: string): PathRule {
  const from = parts(recorded);
  const to = parts(candidate);
  let common = 0;
  while (common < Math.min(from.length, to.length) && from.at(-1 - common) === to.at(-1 - common)) common++;
  // The file itself always goes away, so that the rule names folders.
  common = Math.max(common, 1);
  const separator = recorded.includes('\\') ? '\\' : '/';
  return {
    recorded: from.slice(0, from.length - common).join(separator),
    workspace: to.slice(0, to.length - common).join('/'),
  };
}
