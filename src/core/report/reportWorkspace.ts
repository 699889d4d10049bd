import type { SnapshotDigest } from '../digest/digest.js';
import { filesOfDigests } from '../digest/digestFacts.js';
import { frameKind } from '../attribution/frameKind.js';
import type { Bytes, Microseconds } from '../model/units.js';
import { NO_OTHERS, type OtherInputs } from './otherInputs.js';
import type { readModule } from '../python/readModule.js';
import { type MappedWorkspace, mapPaths, type PathMapping } from '../attribution/paths/pathMapping.js';

/** The workspace of the Python files. */
export interface ReportWorkspace extends MappedWorkspace {
  /** The text of a 1-based line of a workspace file, or null. */
  lineText?: (file: string, line: number) => string | null;
  /** The text of a workspace file, or null. */
  sourceText?: (file: string) => string | null;
  /** The parser, which is loaded when a file has to be parsed. */
  readModule?: typeof readModule;
  /** Memory of each device, where no recorder read it. */
  capacityBytes?: Bytes | null;
  /** Ranks of each job, null for the recorder's count. */
  expectRanks?: number | null;
  /** The present state of a workspace file, or null. */
  sourceFacts?: (file: string) => SourceFacts | null;
}

export interface SourceFacts {
  /** The hash of the file, in hexadecimal. */
  sha256: string;
  /** When it was written last. */
  savedAtUs: Microseconds;
}

/** All lines of a workspace file; none where it cannot be had. */
export function linesOfFile({ lineText }: ReportWorkspace, file: string): string[] {
  const lines: string[] = [];
  for (let line = 1; ; line++) {
    const text = lineText?.(file, line) ?? null;
    if (text === null) return lines;
    lines.push(text);
  }
}

/** Maps the files of all stacks and owners together, so that each snapshot helps the others. */
export function mapDigests(
  digests: readonly SnapshotDigest[],
  workspace: ReportWorkspace,
  others: OtherInputs = NO_OTHERS,
): PathMapping {
  return mapPaths([...filesOf(digests, others)], workspace);
}

/** The files that are mapped. */
export function filesOf(digests: readonly SnapshotDigest[], others: OtherInputs = NO_OTHERS): Set<string> {
  const files = filesOfDigests(digests);
  for (const { cycles } of others.cycles) {
    for (const { frames } of cycles.nodes) {
      for (const { file } of frames) if (frameKind(file) !== 'native') files.add(file);
    }
  }
  return files;
}
