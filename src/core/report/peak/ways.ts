/** The ways of a line to its memory: its callers, and the library code that it calls. */
import { largestOf, type EqualBlocks } from '../../attribution/categories/equalBlocks.js';
import { frameKind } from '../../attribution/frameKind.js';
import { groupBy } from '../../maps.js';
import type { Bytes } from '../../model/units.js';
import { sum } from '../lineSelection.js';
import type { HeldWay, ReportFrame } from '../report.js';

/** Share of all memory that a line must hold to be split. */
export const SPLIT_SHARE = 0.1;

/** Memory of one stack of a line. */
export interface HeldStack {
  /** Innermost first. */
  readonly frames: readonly ReportFrame[];
  readonly bytes: Bytes;
  readonly blocks: number;
  readonly equal: EqualBlocks;
}

interface Path extends HeldStack {
  readonly through: ReportFrame | null;
  /** The user's lines that call the owner, innermost first. */
  readonly callers: readonly ReportFrame[];
}

/** The ways of a line, the largest first. They differ in the library's frame or in the first caller that differs. */
export function waysOf(owner: { file: string; line: number }, stacks: readonly HeldStack[]): HeldWay[] {
  const paths = stacks.map((stack) => pathOf(owner, stack));
  const depth = paths.reduce((deepest, { callers }) => Math.max(deepest, callers.length), 0);
  let common = 0;
  const callerAt = (path: Path): string => nameOf(path.callers.at(common) ?? null);
  while (common < depth && paths.every((path) => callerAt(path) === callerAt(paths[0]))) common++;
  const ways = groupBy(paths, (path) => `${nameOf(path.through)}\n${callerAt(path)}`);
  return [...ways.values()]
    .map((way) => ({
      through: way[0].through,
      caller: way[0].callers.at(common) ?? null,
      bytes: sum(way, ({ bytes }) => bytes),
      blocks: sum(way, ({ blocks }) => blocks),
      equal: largestOf(way.map(({ equal }) => equal)),
    }))
    .sort((a, b) => b.bytes - a.bytes);
}

function pathOf(owner: { file: string; line: number }, stack: HeldStack): Path {
  const python = stack.frames.filter(({ file }) => frameKind(file) !== 'native');
  const at = python.findIndex(({ file, line }) => file === owner.file && line === owner.line);
  const [innermost] = python;
  return {
    ...stack,
    through: at > 0 && frameKind(innermost.file) === 'library' ? innermost : null,
    callers: python.slice(at + 1).filter(({ file }) => frameKind(file) === 'user'),
  };
}

function nameOf(frame: ReportFrame | null): string {
  return frame === null ? '' : `${frame.file}:${frame.line} ${frame.function}`;
}
