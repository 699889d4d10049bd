import { findKeeper } from '../keepers/findKeeper.js';
import { ParsedFiles, Sources } from '../keepers/sources.js';
import { lineAt } from '../python/pythonModule.js';
import { patternEdit } from './patternEdit.js';
import { fixText, keeperText } from './patternWords.js';
import type { HolderReport, LineReport } from './report.js';
import { pathsOfStack } from './stackPath.js';

/** Sources of the workspace, as they are now. */
export interface SourceAccess {
  /** The Python files of the workspace. */
  readonly files: readonly string[];
  /** The text of one, null where it cannot be had. */
  text(file: string): string | null;
  /** True if the file is known to differ from what ran. */
  isChanged(file: string): boolean;
  /** Milliseconds of any clock. */
  now(): number;
}

/** Stacks of a line that are followed. */
const MOST_STACKS = 3;

/** Looks for holders in the source. Keep it between reports: it remembers what was parsed. */
export class PatternSearch {
  private readonly parsed = new ParsedFiles();

  /**
   * Gives lines that grow, and that nobody else knows a holder of, the one that the source shows.
   * @param milliseconds when to stop looking
   */
  nameHolders(lines: readonly LineReport[], access: SourceAccess, milliseconds: number): void {
    const sources = new Sources(access.files, access, this.parsed);
    const end = access.now() + milliseconds;
    const bySize = [...lines].sort((a, b) => b.leakedBytes - a.leakedBytes || b.liveBytes - a.liveBytes);
    for (const line of bySize) {
      if (access.now() > end) return;
      line.holder = this.holderOf(line, sources, access);
    }
  }

  private holderOf(line: LineReport, sources: Sources, access: SourceAccess): HolderReport | null {
    const own = line.stacks.filter(({ verdict }) => verdict === line.verdict);
    const stacks = (own.length > 0 ? own : line.stacks).slice(0, MOST_STACKS).map(({ frames }) => frames);
    for (const frames of stacks.length > 0 ? stacks : [[]]) {
      const path = pathsOfStack(frames, line, sources);
      if (path === null) continue;
      const found = findKeeper(path, sources, line.verdict === 'sawtooth' ? 'collected' : 'kept', bornEvery(line));
      if (found === null) continue;
      const { file } = found.module;
      return {
        source: 'pattern',
        file,
        line: lineAt(found.module, found.span.from),
        text: keeperText(found),
        fix: fixText(found),
        edit: access.isChanged(file) ? null : patternEdit(found, sources.read),
      };
    }
    return null;
  }
}

/** Steps between two births of what survives, where they come evenly. */
function bornEvery({ evidence }: LineReport): number | null {
  if (evidence?.from !== 'lifetimes' || evidence.bornOnSteps.length < 4) return null;
  const steps = [...evidence.bornOnSteps].sort((a, b) => a - b);
  const gaps = steps.slice(1).map((step, i) => step - steps[i]);
  return gaps.every((gap) => gap === gaps[0]) ? gaps[0] : null;
}
