import type { FileLookup } from '../../attribution/owner.js';
import { agrees, fullSize, hasRecordedBound } from '../../facts/bounds.js';
import { holderName } from '../../facts/holderName.js';
import { isMostlyGraph, type LineOwner } from '../../facts/recordedFacts.js';
import { recordedKind } from '../../model/recordedFile.js';
import { lineAt, type PythonModule } from '../../python/pythonModule.js';
import { standings } from '../../python/standings.js';
import { findHolder, type Followed, type Growth } from '../../retention/findHolder.js';
import type { Limit } from '../../retention/holders/bounds.js';
import { nameOfHolder } from '../../retention/names/names.js';
import type { PathFrame } from '../../retention/records.js';
import { retentionOf } from '../../retention/releases.js';
import { ParsedFiles, Sources } from '../../retention/sources.js';
import { isOfFew } from '../../verdict/features.js';
import type { BoundLimit, FullSize, KnownBound } from '../../facts/evidence.js';
import { isOutgrown, type SourceFinding } from '../lines/chances.js';
import { framesOf, type ObservedLine } from '../lines/observedLine.js';
import type { ObservedRun } from '../lines/observedRun.js';
import { holderText, isSameContainer } from './holderText.js';
import type { Holder } from '../remedy/holder.js';
import { sourceRemedy } from '../remedy/sourceRemedy.js';

/** Sources of the workspace, as they are now, for one run. */
interface SourceAccess {
  readonly lookup: FileLookup;
  readonly run: ObservedRun;
  /** The Python files of the workspace. */
  readonly files: readonly string[];
  /** The text of a file, or null. */
  text(file: string): string | null;
  /** True if the file differs from the one that ran. */
  isChanged(file: string): boolean;
}

/** Maximum number of stacks of a line that are followed. */
const MAX_STACKS = 3;

/**
 * Expressions looked at for a run, before its next line is not followed: work, not time, so that a busy machine gives
 * the same verdicts. Real programs take some thousands.
 */
const MAX_WORK = 800_000;
/** After this work, lines that the recorder proved are skipped, because their source could only add an edit. */
const PROVED_WORK = 50_000;
/** What a stack takes apart from its expressions. */
const WORK_OF_STACK = 400;

/** Maximum number of places that are remembered. */
const MAX_PLACES = 4096;

/** A stack, and what the source shows along it. */
interface FollowedStack {
  readonly path: readonly PathFrame[];
  readonly result: Followed;
}

/** Searches for holders in the source. It stores parsed files and results between reports. */
export class PatternSearch {
  private readonly parsed = new ParsedFiles();
  /** Results by place: ranks of one program share them. */
  private readonly places = new Map<string, { asked: ReadonlyMap<string, PythonModule | null>; followed: Followed }>();
  /** The workspace that the places are in. */
  private files: readonly string[] = [];

  /**
   * Follows the stacks of lines through the source, of the largest first.
   * @returns a finding for each line that was followed
   */
  follow(lines: readonly ObservedLine[], access: SourceAccess): Map<ObservedLine, SourceFinding> {
    const findings = new Map<ObservedLine, SourceFinding>();
    if (access.files !== this.files) this.places.clear();
    this.files = access.files;
    const sources = new Sources(access.files, access, this.parsed);
    const bySize = [...lines].sort((a, b) => b.growingBytes - a.growingBytes || b.liveBytes - a.liveBytes);
    let work = 0;
    for (const line of bySize) {
      if (work > MAX_WORK) break;
      if (work > PROVED_WORK && line.custody?.isRetained === true) continue;
      const followed = this.followStacks(line, sources, access.lookup);
      findings.set(line, findingOf(line, followed, sources, access));
      for (const { result } of followed) work += result.work + WORK_OF_STACK;
    }
    return findings;
  }

  private followStacks(line: ObservedLine, sources: Sources, lookup: FileLookup): FollowedStack[] {
    const stacks = line.deciding.slice(0, MAX_STACKS).map((stack) => framesOf(stack, lookup));
    const growth = line.shape === 'lasting' ? 'held' : 'collected';
    return (stacks.length > 0 ? stacks : [[]]).flatMap((frames) => {
      const path = pathsOfStack(frames, line.owner, sources);
      return path === null ? [] : [{ path, result: this.followOnce(path, sources, growth) }];
    });
  }

  /** Like `findHolder`, which runs again only if a requested file has changed. */
  private followOnce(path: readonly PathFrame[], sources: Sources, growth: Growth): Followed {
    const frames = path.map(({ module, line, name, throughLibrary }) => [module.file, line, name, throughLibrary]);
    const key = JSON.stringify([frames, growth]);
    const known = this.places.get(key);
    // Requested again, so that the run has read the same files as if it were alone.
    if (known !== undefined && [...known.asked].every(([file, module]) => sources.module(file) === module))
      return known.followed;
    sources.takeAsked();
    const followed = findHolder(path, sources, growth);
    if (this.places.size >= MAX_PLACES) this.places.clear();
    // The places refer to the modules of the path.
    const asked = new Map([...path.map(({ module }) => [module.file, module] as const), ...sources.takeAsked()]);
    this.places.set(key, { asked, followed });
    return followed;
  }
}

const NOTHING: Pick<SourceFinding, 'holder' | 'remedy'> = { holder: null, remedy: null };

function findingOf(
  line: ObservedLine,
  stacks: readonly FollowedStack[],
  sources: Sources,
  access: SourceAccess,
): SourceFinding {
  const followed = stacks.map(({ result }) => result);
  const isChanged = stacks.some(({ path }) => path.some(({ module }) => access.isChanged(module.file)));
  const through = throughOf(followed);
  // What the source shows would have been found in the process, unless a release of PyTorch does not show its graphs.
  const isContradicted = line.isUnheld && through !== 'graph';
  const { holder, remedy } = isContradicted ? NOTHING : holderOf(line, followed, sources, access);
  const limits = followed.flatMap(({ limit }) => limit ?? []);
  // All that grows must be bounded, and by the source that ran.
  const isBounded = !hasRecordedBound(line.recorded) && limits.length > 0 && limits.length === line.deciding.length;
  // How steps use memory matters only where few of them add to it, or where nothing is trained.
  const { countsRounds } = access.run;
  const mayBeUsed = line.births === null || isOfFew(line.births) || countsRounds !== false;
  const stepLoop = mayBeUsed ? (countsRounds === null ? undefined : access.run.stepLoop) : null;
  // A different version of the source proves nothing.
  const isRead = followed.length > 0 && !isChanged;
  return {
    holder,
    remedy,
    bound: isBounded && !isChanged ? boundOf(limits[0], line, access) : null,
    retention:
      isRead && !isBeyondRelease(line) ? retentionOf(holder, followed, sources, access.run.ranWith, stepLoop) : null,
    isComputed: [holder?.name, ...followed.map(({ finding }) => finding?.holder)].some(
      (name) => nameOfHolder(name ?? '')?.kind === 'computed',
    ),
    showsHolder: !isContradicted && followed.some(({ finding, ended }) => finding !== null || ended !== null),
    hasNewKeys: followed.some((one) => one.hasNewKeys),
    through,
    isOfOptimizer: isRead && isOfOptimizer(line.owner, holder, sources),
  };
}

function throughOf(followed: readonly Followed[]): SourceFinding['through'] {
  if (followed.some(({ finding }) => finding?.through === 'graph')) return 'graph';
  if (followed.some(({ finding }) => finding?.kind === 'error')) return 'traceback';
  return followed.some(({ finding }) => finding?.kind === 'hook') ? 'hook' : null;
}

/** True for memory that no statement in the source can release: C++ or a cycle that cannot be collected holds it. */
function isBeyondRelease({ custody }: ObservedLine): boolean {
  return custody?.isRetained === true && custody.by !== 'chances';
}

/** The recorder's holder, else the source's, and the remedy if the source shows that holder. */
function holderOf(
  { holder, recorded, seen }: ObservedLine,
  followed: readonly Followed[],
  sources: Sources,
  access: SourceAccess,
): Pick<SourceFinding, 'holder' | 'remedy'> {
  const found = followed.find(({ finding }) => finding !== null)?.finding ?? null;
  // What the program releases has a name, too, and needs no advice. More than its bound allows is held by another one.
  const bounds = followed.flatMap(({ retained }) => retained.bounds);
  const isExceeded = bounds.some(({ max }) => isOutgrown({ value: max?.count ?? null }, seen));
  const ended = isExceeded ? null : followed.find((one) => one.ended !== null)?.ended;
  const shown = found ?? ended ?? null;
  if (shown === null) return { holder, remedy: null };
  const { file } = shown.module;
  const line = lineAt(shown.module, shown.span.from);
  const isSame = holder?.file === file && (holder.line === line || isSameContainer(holder, shown));
  // A variable may get the older value from that container.
  const isCause = found?.kind === 'chain' && found.holder.includes('.') && isBoundedGraph(recorded);
  if (holder !== null && !isSame && !isCause) return { holder, remedy: null };
  return {
    holder: (isCause ? null : holder) ?? { source: 'pattern', file, line, ...holderText(shown) },
    remedy:
      found === null
        ? null
        : sourceRemedy(found, isSame ? recorded : null, access.isChanged(file) ? null : sources.read),
  };
}

/** True if a full container keeps its items only: what grows is the graph, which a value of each step extends. */
function isBoundedGraph(recorded: ObservedLine['recorded']): boolean {
  return recorded.holder !== null && isMostlyGraph(recorded.holder.owner) && hasRecordedBound(recorded);
}

/** State that an optimizer of the workspace makes when it first meets a parameter ends with the parameters. */
function isOfOptimizer(
  { file, line }: { readonly file: string; readonly line: number },
  holder: Holder | null,
  sources: Sources,
): boolean {
  const module = sources.module(file);
  if (module === null || (holder !== null && !/\bstate\b/.test(holder.name))) return false;
  return standings(module.body).some(
    ({ statement }) =>
      statement.kind === 'class' &&
      lineAt(module, statement.from) <= line &&
      line <= lineAt(module, statement.to) &&
      statement.bases.some(
        (base) => (base.kind === 'name' || base.kind === 'attribute') && base.name.endsWith('Optimizer'),
      ),
  );
}

/** A limit in the source; null if observations exceed or contradict it. */
function boundOf(found: Limit, line: ObservedLine, access: SourceAccess): KnownBound | null {
  const { module, span, holder, max, isGraph } = found;
  const { file } = module;
  const at = lineAt(module, span.from);
  if (access.isChanged(file)) return null;
  // In a graph, the recorder may have seen any of its variables.
  const isIt = ({ owner: { name, graphBytes }, place }: LineOwner): boolean =>
    place?.file === file &&
    (place.line === at || (isGraph ? graphBytes > 0 : isSameContainer({ name, line: place.line }, found)));
  if (!agrees(line.recorded, isIt)) return null;
  if (max?.count != null && (line.seen?.birthSteps ?? 0) > max.count) return null;
  const limit: BoundLimit =
    max === null ? { kind: 'loop' } : { kind: isGraph ? 'graph' : 'items', text: max.text, items: max.count };
  const full = max?.count == null ? null : sizeOf(max.count, line);
  return { name: holderName(holder), place: { file, line: at }, limit, isFull: false, full };
}

/** The bytes of this many items, at least one block of the line each. */
function sizeOf(count: number, { growingBytes, seen }: ObservedLine): FullSize | null {
  if (seen === null || seen.survivors === 0) return null;
  const { from, survivors, birthSteps } = seen;
  return fullSize(growingBytes / survivors, survivors, count, from === 'lifetimes' && survivors === birthSteps);
}

/** Library code that only passes a call on to the workspace's, once: modules, contexts, autograd functions, launchers. */
const PASSES_ON = new RegExp(
  [
    /(?:^|[\\/])torch[\\/](?:nn[\\/]|utils[\\/]_contextlib\.py|autograd[\\/]function\.py|_compile\.py)/,
    /(?:^|[\\/])torch[\\/](?:utils[\\/]checkpoint\.py|multiprocessing[\\/]spawn\.py)/,
    /(?:^|[\\/])(?:functools|contextlib|runpy|threading)\.py$/,
    /(?:^|[\\/])asyncio[\\/](?:runners|base_events|events|tasks)\.py$/,
    /(?:^|[\\/])multiprocessing[\\/](?:process|spawn|popen_fork)\.py$/,
    /(?:^|[\\/])(?:hydra|click|fire|typer)[\\/]|(?:^|[\\/])absl[\\/]app\.py$/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

/** Frames of the code inside a statement. */
const INSIDE = new Set(['<listcomp>', '<setcomp>', '<dictcomp>', '<genexpr>']);

/**
 * The frames of a stack with available files, outermost first, down to an owner line.
 * @param frames innermost first; frames of a forward pass may follow
 * @returns null if the owner's file is unreadable
 */
export function pathsOfStack(
  frames: readonly { file: string; line: number; function: string }[],
  owner: { file: string; line: number; function: string },
  sources: Sources,
): PathFrame[] | null {
  const start = frames.findIndex(
    ({ file, line, function: name }) => file === owner.file && line === owner.line && name === owner.function,
  );
  const inside = start < 0 ? [owner] : frames.slice(start);
  // Frames after a module's own frame belong to another stack.
  const last = inside.findIndex(({ function: name }) => name === '<module>');
  const own = last < 0 ? inside : inside.slice(0, last + 1);
  const path: PathFrame[] = [];
  let throughLibrary = false;
  for (const { file, line, function: name } of own.toReversed()) {
    const module = sources.module(file);
    const outer = path[path.length - 1] as PathFrame | undefined;
    if (module !== null && !INSIDE.has(name)) {
      path.push({ module, line, name, throughLibrary: throughLibrary && path.length > 0 });
      throughLibrary = false;
    } else if (module !== null && outer?.module === module && !throughLibrary) {
      // A comprehension's frame is part of the statement around it, which may go on over lines.
      path[path.length - 1] = { ...outer, line };
    } else if (module === null && recordedKind(file) !== 'native' && !PASSES_ON.test(file)) throughLibrary = true;
  }
  const innermost = path.at(-1);
  return innermost?.module.file === owner.file && innermost.line === owner.line ? path : null;
}
