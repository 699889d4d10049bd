import type { Call, Expression, Span, Statement } from '../../python/ast.js';
import type { PythonModule } from '../../python/pythonModule.js';
import type { FunctionObject, ArgumentValue, Scope, Value } from '../values/objects.js';
import type { Activation, Machine } from './machine.js';

/** A call by a name: a method's last part, or a function's dotted name. */
export interface Called {
  readonly name: string;
  /** The receiver of the method. */
  readonly base: Value;
  readonly args: readonly ArgumentValue[];
  readonly call: Call;
  readonly act: Activation;
  readonly receiver: Expression;
}

/** Where a call may lead on along the stack. */
export interface NextFrame {
  readonly index: number;
  readonly fn: FunctionObject;
}

/** The interface between the parts of the interpreter. */
export interface Follower {
  readonly machine: Machine;
  evaluate(expression: Expression, act: Activation): Value;
  /** Gives a value to a name, an attribute, an item or several of them. */
  assign(target: Expression, value: Value, act: Activation, statement: Span): void;
  /** Calls a value. */
  callValue(value: Value, args: readonly ArgumentValue[], call: Call, act: Activation, callee: Expression): Value;
  /** Follows a call of a function of the workspace, if it is not too deep; as a frame of the stack, or null. */
  invoke(fn: FunctionObject, args: readonly ArgumentValue[], act: Activation, frame: number | null): Value;
  /** Follows a function's body. */
  invokeAt(fn: FunctionObject, args: readonly ArgumentValue[], frame: number | null, depth: number): Value;
  /** @returns true if it leaves the block */
  block(statements: readonly Statement[], act: Activation): boolean;
  /** The names of a module, as its own statements make them. */
  moduleScope(module: PythonModule): Scope;
  /** The first frame of the stack inside this activation if this call can lead there, else null. */
  nextFrame(act: Activation, span: Span): NextFrame | null;
}

/** A part that follows one kind of syntax, and leaves the others to the follower. */
export abstract class Part {
  constructor(protected readonly follower: Follower) {}

  protected get machine(): Machine {
    return this.follower.machine;
  }
}
