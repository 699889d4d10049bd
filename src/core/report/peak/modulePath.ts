import { frameKind } from '../../attribution/frameKind.js';
import type { FileLookup } from '../../attribution/owner.js';
import { isModuleCall } from '../../attribution/stackRole.js';
import type { DigestFrame } from '../../model/digestFrame.js';
import type { ReportWorkspace } from '../reportWorkspace.js';

/** A name that is called, with the indices behind it. */
const CALLED = /(?<![\w.])(self\.|)([A-Za-z_][\w.]*(?:\[\d+\])*)(?:\[[^\]]*\])?\s*\(/g;

/**
 * The path of the module that allocates, as the source names it: `blocks.attn`.
 * @param frames innermost first
 * @returns null if a call is not in the workspace, or ambiguous
 */
export function modulePath(
  frames: readonly DigestFrame[],
  lookup: FileLookup,
  { lineText }: ReportWorkspace,
): string | null {
  const names: string[] = [];
  const python = frames.filter(({ file }) => frameKind(file) !== 'native').reverse();
  for (let i = 0; i + 1 < python.length; i++) {
    if (isModuleCall(python[i]) || !isModuleCall(python[i + 1])) continue;
    // Inside a library's module the rest of the path is the library's.
    if (frameKind(python[i].file) === 'library') break;
    const file = lookup(python[i].file);
    const text = file === null ? null : (lineText?.(file, python[i].line) ?? null);
    const name = text === null ? null : calledName(text);
    if (name === null) return null;
    names.push(name);
  }
  // The outermost name is the variable of the whole model.
  return names.length < 2 ? null : names.slice(1).join('.');
}

function calledName(text: string): string | null {
  const calls = [...text.matchAll(CALLED)];
  const own = calls.filter(([, isOwn]) => isOwn !== '');
  const names = new Set((own.length > 0 ? own : calls).map(([, , name]) => name));
  return names.size === 1 ? [...names][0] : null;
}
