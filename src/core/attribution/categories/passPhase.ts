import { functionName } from '../../model/functionName.js';
import type { Snapshot } from '../../model/snapshot.js';
import type { StackId } from '../../model/units.js';
import { StackRole, type StackRoles } from '../stackRole.js';

/** Parts of a pass that a stack can show. */
export const PHASES = ['forward', 'backward', 'optimizer', 'evaluation'] as const;
export type Phase = (typeof PHASES)[number];

const RUNS_BACKWARD = /torch\/(?:_tensor|autograd\/(?:__init__|graph))\.py$/;
const EVALUATES = /^_?(?:eval|evaluate|evaluation|valid|validate|validation|test)(?:_(?:step|loop|epoch|model))?$/i;

/** The part of a pass of an allocation, null if its stack does not show it. */
export function phaseOf({ stacks, frames, strings }: Snapshot, roles: StackRoles, stack: StackId): Phase | null {
  const role = roles.of(stack);
  if (role === StackRole.Optimizer) return 'optimizer';
  if (role === StackRole.Backward || role === StackRole.Stackless) return 'backward';
  for (let i = stacks.offset[stack]; i < stacks.offset[stack + 1]; i++) {
    const frame = stacks.frames[i];
    // Recomputed memory belongs to the backward pass that needs it.
    if (RUNS_BACKWARD.test(strings.text(frames.file[frame]).replaceAll('\\', '/'))) return 'backward';
    if (role === StackRole.Forward && EVALUATES.test(functionName(strings.text(frames.name[frame]))))
      return 'evaluation';
  }
  return role === StackRole.Forward ? 'forward' : null;
}
