/** The remedy that the source shows for the holder of a line's memory. */
import type { RecordedLine } from '../../facts/recordedFacts.js';
import { lineAt, type PythonModule } from '../../python/pythonModule.js';
import type { Finding } from '../../retention/holders/search.js';
import { statementAt } from '../../retention/names/names.js';
import { readAfterLoops, readOfLast } from '../../retention/names/uses.js';
import { nameAndLine } from '../../text/pathText.js';
import { t } from '../../text/translate.js';
import { limit } from '../../verdict/thresholds.js';
import { nameOf } from '../sources/holderText.js';
import type { Remedy } from './holder.js';
import { remedyText } from './remedyTexts.js';
import { detachedText, sourceEdit } from './sourceEdit.js';

/**
 * @param recorded what the recorder saw of the same holder; null if it saw none
 * @param modules all files, for other uses of the holder; null if the source is not the one that ran
 * @returns null if the recorder saw tracebacks hold the memory, which the source does not show
 */
export function sourceRemedy(
  found: Finding,
  recorded: RecordedLine | null,
  modules: readonly PythonModule[] | null,
): Remedy | null {
  if (recorded?.holder?.owner.kind === 'traceback' && found.kind === 'put') return null;
  const known: Finding = recorded !== null && holdsData(recorded) ? { ...found, through: 'data' } : found;
  return { fix: fixText(known, modules ?? []), edit: modules === null ? null : sourceEdit(known, modules) };
}

/** True if the recorder saw items without a graph that are more than numbers: it frees nothing to detach them. */
function holdsData({ holder }: RecordedLine): boolean {
  if (holder === null) return false;
  const { graphBytes, container, bytes } = holder.owner;
  return graphBytes === 0 && container !== null && bytes > limit('numberBytes') * container.length;
}

/** A container that is read after the loop cannot be cleared in it. */
function containerText(finding: Finding, holder: string): string {
  const read = readAfterLoops(finding.holder, statementAt(finding));
  return read === null
    ? remedyText('container', holder)
    : t(
        'Store CPU copies in {0} (.detach().cpu()): line {1} reads it after the loop.',
        holder,
        String(lineAt(finding.module, read.found.statement.from)),
      );
}

/** Where the program reads the last items of the container, if it reads no others. */
function lastRead({ holder }: Finding, modules: readonly PythonModule[]): { file: string; line: number } | null {
  const found = readOfLast(holder, modules);
  return found === null ? null : { file: found.module.file, line: lineAt(found.module, found.statement.from) };
}

/** The remedy, in one sentence. @param modules all files, for other uses of the holder */
export function fixText(finding: Finding, modules: readonly PythonModule[]): string {
  const holder = nameOf(finding);
  const { held, heldSpan, kind, needsGraph, defaultOf } = finding;
  const detached = detachedText(finding);
  switch (kind) {
    case 'put': {
      if (defaultOf !== null) return remedyText('default', defaultOf);
      const last = lastRead(finding, modules);
      if (last !== null)
        return t('Drop the older items with del {0}[:-n]: {1} reads only the last ones.', holder, nameAndLine(last));
      if (needsGraph) return t('Clear {0} after the backward pass that needs it, or cap its size.', holder);
      if (finding.through === 'data') return containerText(finding, holder);
      return finding.mayDetach && detached !== null
        ? t('Store {0}, or .item() where a GPU sync does not matter.', detached)
        : remedyText('graph');
    }
    case 'metric':
      return t('Call {0} when its items are no longer needed.', `${holder}.reset()`);
    case 'chain':
      return detached !== null && heldSpan !== null && !needsGraph
        ? t('Add {0}, or .item() where a GPU sync does not matter.', detached)
        : t('Detach {0} before the next step uses it, unless gradients must flow through all steps.', holder);
    case 'grown':
      return t('Cap the size of {0}, or store its parts on the CPU.', holder);
    case 'context':
      return t('Pass outputs to ctx.save_for_backward().');
    case 'cache':
      return remedyText(statementAt(finding)?.outer.at(-1)?.kind === 'class' ? 'methodCache' : 'cache');
    default:
      return remedyText(kind, kind === 'error' ? held : holder);
  }
}
