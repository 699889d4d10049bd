/** What may have filled the memory before a request failed: statements on its stack that keep tensors over steps. */
import { getOrAdd } from '../../maps.js';
import type { Statement } from '../../python/ast.js';
import { allStatements, bodiesOf, functionAt, lineAt, lineText, type PythonModule } from '../../python/pythonModule.js';
import { isLoop, standings, type Standing } from '../../python/standings.js';
import { findHolder, type Followed } from '../../retention/findHolder.js';
import type { Finding } from '../../retention/holders/search.js';
import { nameOfHolder } from '../../retention/names/names.js';
import type { PathFrame } from '../../retention/records.js';
import { retentionOf } from '../../retention/releases.js';
import { ParsedFiles, Sources } from '../../retention/sources.js';
import { t } from '../../text/translate.js';
import { EVALUATES, isEvaluationWithGraph } from '../peak/evaluation.js';
import { holderText } from './holderText.js';
import { statementText } from '../ignoredLeaks.js';
import { pathsOfStack } from './patternSearch.js';

/** A failed request, with the frames that led to it. */
export interface FailedStack {
  /** A line of the workspace. */
  readonly asked: { readonly file: string; readonly line: number; readonly function: string };
  /** Innermost first, with the workspace's names of its files. */
  readonly frames: readonly { readonly file: string; readonly line: number; readonly function: string }[];
}

/** A statement that may keep tensors over steps. */
export interface Candidate {
  readonly file: string;
  readonly line: number;
  /** One sentence. */
  readonly text: string;
}

/** Maximum number of candidates of a request. */
const MAX_CANDIDATES = 3;
/** Maximum number of expressions looked at for all requests, as for the lines of a run. */
const MAX_WORK = 800_000;
/** What a statement takes apart from its expressions. */
const WORK_OF_STATEMENT = 400;

interface Suspect {
  readonly finding: Finding;
  /** Statements of the stack whose memory it keeps. */
  count: number;
}

/**
 * Follows each statement of the functions on a stack as if its memory grew: a traceback names the line that requested
 * memory, not those whose memory is kept.
 */
export class CandidateSearch {
  private readonly sources: Sources;
  private work = 0;

  /** @param text the text of a workspace file, or null */
  constructor(files: readonly string[], text: (file: string) => string | null) {
    this.sources = new Sources(files, { text }, new ParsedFiles());
  }

  candidates({ asked, frames }: FailedStack): Candidate[] {
    const path = pathsOfStack(frames, asked, this.sources) ?? [];
    const suspects = new Map<string, Suspect>();
    for (const watched of pathsBeside(path)) {
      if (this.work > MAX_WORK) break;
      const followed = findHolder(watched, this.sources, 'held', true);
      this.work += followed.work + WORK_OF_STATEMENT;
      const { finding } = followed;
      if (finding === null || !isKnown(finding) || !this.isLasting(followed, watched)) continue;
      const key = `${finding.module.file}:${finding.span.from}`;
      getOrAdd(suspects, key, () => ({ finding, count: 0 })).count++;
    }
    const sorted = [...suspects.values()].sort((a, b) => b.finding.sureness - a.finding.sureness || b.count - a.count);
    return [...sorted.map(({ finding }) => holderCandidate(finding)), ...this.evaluations(path)].slice(
      0,
      MAX_CANDIDATES,
    );
  }

  /** True if the source shows that each step keeps more, no release and no bound of it, and no end of the steps. */
  private isLasting(followed: Followed, path: readonly PathFrame[]): boolean {
    if (followed.limit !== null) return false;
    const files = path.map(({ module }) => module.file);
    const { releases, bounds, nextLoop, read, isAddedSeldom } = retentionOf(
      null,
      [followed],
      this.sources,
      files,
      null,
    );
    const mayEnd = releases.length > 0 || bounds.length > 0 || nextLoop !== null;
    const isSeldom = isAddedSeldom && followed.finding?.through !== 'graph';
    return !mayEnd && !isSeldom && read?.isOfEvaluation !== true;
  }

  /** The evaluation that a stack is in, if no file of the program turns autograd off. */
  private evaluations(path: readonly PathFrame[]): Candidate[] {
    const modules = this.sources.reachableFrom(path.map(({ module }) => module.file));
    if (!isEvaluationWithGraph(modules.map(({ text }) => text))) return [];
    return path.flatMap((frame) => evaluationCandidate(frame) ?? []);
  }
}

/**
 * False for a container without a name, such as the list of a comprehension, which no later step has, and for one that
 * the source does not show being made, which may end with its step.
 */
function isKnown({ kind, holder, sureness }: Finding): boolean {
  const name = nameOfHolder(holder);
  return kind !== 'put' || (sureness === 3 && name !== null && name.kind !== 'computed');
}

function holderCandidate(finding: Finding): Candidate {
  const { module, span } = finding;
  const line = lineAt(module, span.from);
  return {
    file: module.file,
    line,
    text: t(
      'Line {0} may keep tensors of every step ({1}), held by {2}: a candidate, not proved.',
      `${module.file}:${line}`,
      codeAt(module, line),
      holderText(finding).text,
    ),
  };
}

/** The statement that begins the evaluation that a frame is in; null if it is in none. */
function evaluationCandidate(frame: PathFrame): Candidate | null {
  const { module } = frame;
  const before = standings(bodyOf(frame))
    .filter(({ outer }) => !outer.some(isDefinition))
    .map(({ statement }) => lineAt(module, statement.from))
    .filter((line) => line < frame.line);
  const line = before.findLast((one) => lineText(module, one).includes(EVALUATES));
  if (line === undefined || textOf(frame).includes('.backward(')) return null;
  const text = t(
    'Line {0} begins an evaluation ({1}) that builds autograd’s graph, without torch.no_grad(): a candidate, not proved.',
    `${module.file}:${line}`,
    codeAt(module, line),
  );
  return { file: module.file, line, text };
}

/** The statement that begins on a line, without a comment; else the line. */
function codeAt(module: PythonModule, line: number): string {
  const statement = allStatements(module.body).find(({ from }) => lineAt(module, from) === line);
  const isWhole = statement !== undefined && bodiesOf(statement).length === 0;
  return statementText(isWhole ? module.text.slice(statement.from, statement.to) : lineText(module, line));
}

function textOf({ module, name, line }: PathFrame): string {
  const fn = name === '<module>' ? null : functionAt(module, name, line);
  return fn === null ? module.text : module.text.slice(fn.from, fn.to);
}

/** The stacks to the statements that run whenever the request does, those of inner functions first. */
function* pathsBeside(path: readonly PathFrame[]): Generator<readonly PathFrame[]> {
  const constructor = path.findIndex(({ name }) => name === '__init__');
  // The loops of a constructor are no steps.
  const stepping = constructor < 0 ? path : path.slice(0, constructor);
  // A function whose callers are not known runs repeatedly, or nothing would grow.
  const isAlways = path.length > 0 && path[0].name !== '<module>' && constructor !== 0;
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const frame = path[depth];
    const outer = path.slice(0, depth);
    const isRepeated = isAlways || stepping.slice(0, depth).some((one) => loopsAround(one).length > 0);
    const loops = depth < stepping.length ? loopsAround(frame) : [];
    for (const line of linesBeside(frame, loops, isRepeated)) yield [...outer, { ...frame, line }];
  }
}

/** The first lines of a function's statements in the loops, or of all its statements if it is called repeatedly. */
function linesBeside(frame: PathFrame, loops: readonly Statement[], isRepeated: boolean): Set<number> {
  const isBeside = ({ outer }: Standing): boolean =>
    !outer.some(isDefinition) && (isRepeated || outer.some((one) => loops.includes(one)));
  const beside = standings(bodyOf(frame)).filter((one) => !isDefinition(one.statement) && isBeside(one));
  return new Set(beside.map(({ statement }) => lineAt(frame.module, statement.from)));
}

/** The loops of a frame's function around its line. */
function loopsAround(frame: PathFrame): Statement[] {
  const { module, line } = frame;
  const isAround = (statement: Statement): boolean =>
    isLoop(statement) && lineAt(module, statement.from) <= line && line <= lineAt(module, statement.to);
  return standings(bodyOf(frame)).flatMap(({ statement, outer }) =>
    isAround(statement) && !outer.some(isDefinition) ? [statement] : [],
  );
}

function bodyOf({ module, name, line }: PathFrame): PythonModule['body'] {
  return name === '<module>' ? module.body : (functionAt(module, name, line)?.body ?? []);
}

function isDefinition({ kind }: Statement): boolean {
  return kind === 'function' || kind === 'class';
}
