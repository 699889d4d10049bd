import { findHolder, type Followed } from '../retention/findHolder.js';
import type { Limit } from '../retention/holders/bounds.js';
import { ParsedFiles, Sources } from '../retention/sources.js';
import type { ItemLimit } from '../retention/values/flowNode.js';
import { lineAt } from '../python/pythonModule.js';
import { countText } from '../text/numberText.js';
import { say } from '../text/say.js';
import { fullSize, weighBound, type Bound, type FullSize } from './bound.js';
import type { DeviceRoom } from './deviceRoom.js';
import { doubtOf, type Doubt, type RanSource } from './doubt.js';
import { patternEdit } from './patternEdit.js';
import { fixText, holderWords } from './patternWords.js';
import type { SeenOwner } from './recordedBounds.js';
import type { LineReport } from './report.js';
import { isSameContainer } from './sourceHolder.js';
import { pathsOfStack } from './stackPath.js';

/** Sources of the workspace, as they are now. */
export interface SourceAccess extends RanSource {
  /** The Python files of the workspace. */
  readonly files: readonly string[];
  /** The text of one, null where it cannot be had. */
  text(file: string): string | null;
  /** True unless the recorder saw something else keep what a line allocates than one container, told by `isIt`. */
  agrees(line: LineReport, isIt: (owner: SeenOwner) => boolean): boolean;
  /** True if the recorder has seen the bound of what keeps a line's memory. */
  isWeighed(line: LineReport): boolean;
  /** How much more the devices of a line's run take, null where that is not known. */
  roomFor(line: LineReport): DeviceRoom | null;
  /** Milliseconds of any clock. */
  now(): number;
}

/** Stacks of a line that are followed. */
const MOST_STACKS = 3;

/** Looks for holders in the source. Keep it between reports: it remembers what was parsed. */
export class PatternSearch {
  private readonly parsed = new ParsedFiles();

  /**
   * Gives lines that grow, and that nobody else knows a holder of, the one that the source shows, and takes back the
   * accusation where it shows that what keeps their memory cannot grow for ever.
   * @param milliseconds when to stop looking
   * @returns what speaks for each line that was followed to its innermost frame
   */
  nameHolders(lines: readonly LineReport[], access: SourceAccess, milliseconds: number): Map<LineReport, Doubt> {
    const doubts = new Map<LineReport, Doubt>();
    const sources = new Sources(access.files, access, this.parsed);
    const end = access.now() + milliseconds;
    const bySize = [...lines].sort((a, b) => b.leakedBytes - a.leakedBytes || b.liveBytes - a.liveBytes);
    for (const line of bySize) {
      if (access.now() > end) break;
      const followed = this.look(line, sources, access);
      if (line.verdict === 'leak' && followed.length > 0) doubts.set(line, doubtOf(line, followed, sources, access));
    }
    return doubts;
  }

  /** @returns what following each stack gave, where the source is the one that ran */
  private look(line: LineReport, sources: Sources, access: SourceAccess): readonly Followed[] {
    const own = line.stacks.filter(({ verdict }) => verdict === line.verdict);
    const stacks = (own.length > 0 ? own : line.stacks).map(({ frames }) => frames);
    const followed: Followed[] = [];
    let isChanged = false;
    for (const frames of stacks.length > 0 ? stacks.slice(0, MOST_STACKS) : [[]]) {
      const path = pathsOfStack(frames, line, sources);
      if (path === null) continue;
      isChanged ||= path.some(({ module }) => access.isChanged(module.file));
      followed.push(findHolder(path, sources, line.verdict === 'cycle' ? 'collected' : 'held', allocatedEvery(line)));
    }
    const limits = followed.flatMap(({ limit }) => limit ?? []);
    // All that grows must be bounded, and by the source that ran.
    if (
      line.verdict === 'leak' &&
      !access.isWeighed(line) &&
      !isChanged &&
      limits.length > 0 &&
      limits.length === stacks.length
    ) {
      const bound = boundOf(limits[0], line, access);
      if (bound !== null) weighBound(line, bound, access.roomFor(line));
    }
    const found = followed.find(({ finding }) => finding !== null)?.finding ?? null;
    // Another source than the one that ran says nothing for a line.
    const told = isChanged ? [] : followed;
    if (found === null) return told;
    const { file } = found.module;
    const at = lineAt(found.module, found.span.from);
    const fix = fixText(found);
    const edit = access.isChanged(file) ? null : patternEdit(found, sources.read);
    if (line.holder === null) {
      line.holder = { source: 'pattern', file, line: at, ...holderWords(found), fix, edit };
    } else if (line.holder.file === file && (line.holder.line === at || isSameContainer(line.holder, found))) {
      // The recorder saw who keeps it, and the source agrees: it also knows what to do.
      line.holder = { ...line.holder, fix: line.holder.fix ?? fix, edit: line.holder.edit ?? edit };
    }
    return told;
  }
}

/** A limit in the source as the report says it; null if what was seen has outgrown it, or speaks against it. */
function boundOf(found: Limit, line: LineReport, access: SourceAccess): Bound | null {
  const { module, span, holder, most, isGraph } = found;
  const { file } = module;
  const at = lineAt(module, span.from);
  if (access.isChanged(file)) return null;
  // Of a graph, any of the variables on it may be what the recorder saw.
  const isIt = (owner: SeenOwner): boolean =>
    owner.file === file && (owner.line === at || (isGraph ? owner.isGraph : isSameContainer(owner, found)));
  if (!access.agrees(line, isIt)) return null;
  if (most?.count != null && (line.evidence?.birthSteps ?? 0) > most.count) return null;
  const limit =
    most === null
      ? say('A loop around it empties it or makes it anew.')
      : isGraph
        ? say('A backward pass frees its graph every {0} steps.', roomText(most))
        : say('It holds at most {0}.', roomText(most));
  return { holder, file, line: at, limit, isFull: false, full: most === null ? null : sizeOf(most, line) };
}

/** What so many items take. Each is one block of the line's at least. */
function sizeOf({ count }: ItemLimit, { leakedBytes, evidence }: LineReport): FullSize | null {
  if (count === null || evidence === null || evidence.survivors === 0) return null;
  const { from, survivors, birthSteps } = evidence;
  return fullSize(leakedBytes / survivors, survivors, count, from === 'lifetimes' && survivors === birthSteps);
}

/** Steps between two births of what survives, where they come evenly. */
function allocatedEvery({ evidence }: LineReport): number | null {
  if (evidence?.from !== 'lifetimes' || evidence.bornOnSteps.length < 4) return null;
  const steps = [...evidence.bornOnSteps].sort((a, b) => a - b);
  const gaps = steps.slice(1).map((step, i) => step - steps[i]);
  return gaps.every((gap) => gap === gaps[0]) ? gaps[0] : null;
}

/** A number, and what the source calls it. */
function roomText({ text, count }: ItemLimit): string {
  if (count === null) return text;
  return String(count) === text.replaceAll('_', '') ? countText(count) : `${countText(count)} (${text})`;
}
