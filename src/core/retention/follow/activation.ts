import type { FunctionDef, Lambda } from '../../python/ast.js';
import type { Keeper } from '../keeper.js';
import type { Scope, Value } from '../values/things.js';

/** A function that is being followed. */
export interface Activation {
  readonly scope: Scope;
  /** Null for a module's own statements. */
  readonly def: FunctionDef | Lambda | null;
  /** Which frame of the stack it is, null if it is none. */
  readonly frame: number | null;
  readonly returned: Value[];
  /** Calls between it and the stack. */
  readonly depth: number;
  /** The object that stands for `ctx` in an autograd function's forward. */
  readonly context: { readonly name: string; readonly stored: Keeper[] } | null;
}
