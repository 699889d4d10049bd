import type { Finding } from '../../retention/holders/search.js';
import { statementAt } from '../../retention/names/names.js';
import { allStatements, lineAt, lineText, type PythonModule } from '../../python/pythonModule.js';
import { t } from '../../text/translate.js';
import type { SourceEdit } from '../report.js';

/** Expressions that take `.detach()` behind them as they are. */
const TAKES_METHOD = new Set(['name', 'attribute', 'call', 'subscript']);

/** What is stored, with `.detach()` behind it; null where it is unknown, or too long to be read. */
export function detachedText({ held, heldSpan }: Finding): string | null {
  if (held === '' || held.endsWith('…')) return null;
  return needsParentheses(heldSpan) ? `(${held}).detach()` : `${held}.detach()`;
}

function needsParentheses(span: Finding['heldSpan']): boolean {
  return span !== null && 'kind' in span && !TAKES_METHOD.has(String(span.kind));
}

/**
 * The edit that releases the memory without an effect on learning.
 * @param modules all files, for other uses of the holder
 * @returns null if no edit is safe
 */
export function sourceEdit(finding: Finding, modules: readonly PythonModule[]): SourceEdit | null {
  const { module, heldSpan, held } = finding;
  if (heldSpan === null || !('kind' in heldSpan)) return null;
  let suffix: string;
  if (finding.kind === 'error' && heldSpan.kind === 'name') {
    // It gets `None` for a block that raised nothing.
    if (statementAt(finding)?.within?.name === '__exit__') return null;
    suffix = '.with_traceback(None)';
  } else if ((finding.kind === 'put' || finding.kind === 'chain') && finding.through === 'graph' && finding.mayDetach) {
    if (finding.sureness < 3 || (finding.isShared && isUsedElsewhere(finding, modules))) return null;
    suffix = '.detach()';
  } else if (finding.kind === 'put' && finding.mayDetach && finding.sureness >= 3) {
    // A copy on the CPU is another tensor to code that uses it.
    if (isUsedElsewhere(finding, modules, false)) return null;
    suffix = '.detach().cpu()';
  } else return null;
  const wrap = needsParentheses(heldSpan);
  const insert = (offset: number, newText: string): SourceEdit['changes'][number] => {
    const line = lineAt(module, offset);
    const column = offset - module.lineStarts[line - 1];
    return { startLine: line - 1, startColumn: column, endLine: line - 1, endColumn: column, newText };
  };
  const changes = wrap
    ? [insert(heldSpan.from, '('), insert(heldSpan.to, `)${suffix}`)]
    : [insert(heldSpan.to, suffix)];
  const lines: SourceEdit['lines'] = [];
  const first = lineAt(module, finding.span.from);
  for (let line = first; line <= lineAt(module, finding.span.to); line++) {
    lines.push({ line: line - 1, text: lineText(module, line) });
  }
  return { title: titleOf(suffix, held), file: module.file, changes, lines };
}

function titleOf(suffix: string, held: string): string {
  if (suffix === '.detach()') return t('Detach {0} from its graph', held);
  return suffix === '.detach().cpu()'
    ? t('Move {0} to host memory, where it still grows', held)
    : t('Drop the traceback of {0}', held);
}

/**
 * True if a file uses the holder outside of the statement and `__init__`. @param mayAround the function around may use
 * it
 */
function isUsedElsewhere(
  { holder, module, span }: Finding,
  modules: readonly PythonModule[],
  mayAround = true,
): boolean {
  const name = /(\w+)(?:\[[^[\]]*\])?$/.exec(holder)?.[1];
  if (name === undefined) return true;
  const mention = new RegExp(`\\b${name}\\b`, 'g');
  return modules.some((other) => {
    const own: { from: number; to: number }[] = other === module ? [span] : [];
    for (const statement of allStatements(other.body)) {
      if (statement.kind !== 'function') continue;
      const isAround = mayAround && other === module && statement.from <= span.from && span.to <= statement.to;
      if (isAround || statement.name === '__init__') own.push(statement);
    }
    // A statement at the top of a module is no use.
    for (const statement of other.body) if (statement.kind === 'assign') own.push(statement);
    for (const { index } of other.text.matchAll(mention)) {
      if (!own.some(({ from, to }) => from <= index && index < to)) return true;
    }
    return false;
  });
}
