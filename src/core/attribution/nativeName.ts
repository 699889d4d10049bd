import type { DigestFrame } from '../model/digestFrame.js';
import { frameKind } from './frameKind.js';

/** The name is the first group. */
const NODE =
  /^torch::autograd::(?:\w+::|\(anonymous namespace\)::)*(\w*Backward\w*|AccumulateGrad|CopySlices)::apply\b/;
const COLLECTIVE = /\b(ProcessGroup\w+::\w+)/;
const WORKSPACES: readonly { readonly frame: RegExp; readonly name: string }[] = [
  { frame: /\bgetNewWorkspace\b|CUDABlas\w*Workspace/, name: 'cuBLAS workspace' },
  { frame: /workspace/i, name: 'workspace' },
];
const OPERATOR = /^at::_ops::(\w+)::call\b/;

/**
 * What PyTorch's own code allocates for: a node of autograd such as `DivBackward0`, a workspace, a collective operation,
 * or else the operator that Python called, such as `aten::bmm`.
 * @param frames innermost first
 * @returns null without C++ frames, or if they do not show it
 */
export function nativeName(frames: readonly DigestFrame[]): string | null {
  const names = frames.filter(({ file }) => frameKind(file) === 'native').map((frame) => frame.function);
  const workspace = WORKSPACES.find(({ frame }) => names.some((name) => frame.test(name)));
  if (workspace !== undefined) return workspace.name;
  for (const pattern of [NODE, COLLECTIVE]) {
    const found = names.map((name) => pattern.exec(name)?.at(1)).find((name) => name !== undefined);
    if (found !== undefined) return found;
  }
  const operator = names.map((name) => OPERATOR.exec(name)?.at(1)).findLast((name) => name !== undefined);
  return operator === undefined ? null : `aten::${operator}`;
}
