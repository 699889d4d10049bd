import type { DigestFrame } from '../model/digestFrame.js';
import { frameKind } from './frameKind.js';

/** The name is the first group. The second form is a profiler's. */
const NODE =
  /^torch::autograd::(?:\w+::|\(anonymous namespace\)::)*(\w*Backward\w*|AccumulateGrad|CopySlices)::apply\b/;
const PROFILED_NODE = /^autograd::engine::evaluate_function: (?:torch::autograd::)?(\w+)/;
const COLLECTIVE = /\b(ProcessGroup\w+::\w+)/;
const WORKSPACES: readonly { readonly frame: RegExp; readonly name: string }[] = [
  { frame: /\bgetNewWorkspace\b|CUDABlas\w*Workspace/, name: 'cuBLAS workspace' },
  { frame: /workspace/i, name: 'workspace' },
];
const OPERATOR = /^at::_ops::(\w+)::call\b/;
/** An operator as a profiler names it. */
const PROFILED_OPERATOR = /^(aten::\w+)$/;
/** Python frames that allocate or call for others. */
const HELPER_FILE = /(?:^|[\\/])torch[\\/](?:_ops|_tensor|_compile|utils[\\/]_contextlib)\.py$/;
const HELPER_NAME = /^(?:<|_?alloc(?:ate|_storage)?$|_?wrapper$|inner$|__call__$)/;
const PACKAGES = /^.*[\\/](?:site|dist)-packages[\\/]/;
/** Maximum number of characters of a name that are searched: the part that counts is in front of the parameters. */
const MAX_SEARCHED = 1000;

/**
 * What a library allocates for where no line of the user calls it: a node of autograd such as `DivBackward0`, a
 * workspace, a collective operation, or else the operator that was called, such as `aten::bmm`; without native frames
 * the innermost function of a library in Python, such as `torch/distributed/…/_fsdp_collectives.py:597 (foreach_reduce)`.
 * @param frames innermost first
 * @returns null if no frame shows it
 */
export function libraryName(frames: readonly DigestFrame[]): string | null {
  return nativeName(frames) ?? pythonName(frames);
}

function nativeName(frames: readonly DigestFrame[]): string | null {
  const names = frames
    .filter(({ file }) => frameKind(file) === 'native')
    .map((frame) => frame.function.slice(0, MAX_SEARCHED));
  const workspace = WORKSPACES.find(({ frame }) => names.some((name) => frame.test(name)));
  if (workspace !== undefined) return workspace.name;
  for (const pattern of [NODE, PROFILED_NODE, COLLECTIVE]) {
    const found = names.map((name) => pattern.exec(name)?.at(1)).find((name) => name !== undefined);
    if (found !== undefined) return found;
  }
  const outermost = (pattern: RegExp): string | undefined =>
    names.map((name) => pattern.exec(name)?.at(1)).findLast((name) => name !== undefined);
  const operator = outermost(OPERATOR);
  return operator === undefined ? (outermost(PROFILED_OPERATOR) ?? null) : `aten::${operator}`;
}

function pythonName(frames: readonly DigestFrame[]): string | null {
  const found = frames.find(
    ({ file, line, function: name }) =>
      line > 0 && frameKind(file) === 'library' && !HELPER_FILE.test(file) && !HELPER_NAME.test(name),
  );
  return found === undefined ? null : `${found.file.replace(PACKAGES, '')}:${found.line} (${found.function})`;
}
