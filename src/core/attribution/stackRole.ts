import { functionName } from '../model/functionName.js';
import { recordedKind } from '../model/recordedFile.js';
import { EMPTY_STACK, type Snapshot } from '../model/snapshot.js';
import type { FrameId, StackId } from '../model/units.js';
import { frameKind } from './frameKind.js';

/** The role of an allocation by its stack. Its lifetime adds the rest. */
export const enum StackRole {
  /** No frame that PyTorch or a library of its kind is known by. */
  Unmarked = 0,
  Parameters = 1,
  Optimizer = 2,
  Forward = 3,
  Backward = 4,
  Inputs = 5,
  Workspace = 6,
  /** An unknown library, such as one that distributes a model. */
  Foreign = 7,
  /** No frames at all, in a trace that has frames elsewhere: autograd's own thread, which runs no Python. */
  Stackless = 8,
  /** The user's `__init__` of a module, without frames of PyTorch below it. */
  ModuleInit = 9,
}

const MODULE_FILE = /(?:^|\/)torch\/nn\/modules\/module\.py$/;
const MODULE_CALL = /^(?:_call_impl|_wrapped_call_impl|__call__|_slow_forward|inner)$/;

/** True for the frame of PyTorch that calls a module. */
export function isModuleCall({ file, function: name }: { file: string; function: string }): boolean {
  return MODULE_CALL.test(name) && MODULE_FILE.test(file.replaceAll('\\', '/'));
}

/** Frames that show a role, by a part of the file name (with `/`) and a part of the function name. */
const MARKS: readonly { role: StackRole; file: RegExp; name?: RegExp }[] = [
  { role: StackRole.Parameters, file: /torch\/nn\/(?:parameter|init)\.py$/ },
  {
    role: StackRole.Forward,
    file: MODULE_FILE,
    name: MODULE_CALL,
  },
  {
    role: StackRole.Parameters,
    file: /torch\/nn\/modules\/module\.py$/,
    name: /^(?:_apply|to|cuda|convert|half|float|double|bfloat16|to_empty|load_state_dict|_load_from_state_dict|load)$/,
  },
  { role: StackRole.Parameters, file: /torch\/nn\/modules\/\w+\.py$/, name: /^(?:__init__|_?reset_parameters)$/ },
  { role: StackRole.Forward, file: /torch\/nn\/(?:modules\/\w+|functional)\.py$/, name: /^(?!zero_grad|__|_lazy)/ },
  { role: StackRole.Parameters, file: /./, name: /^(?:set_module_tensor_to_device|_load_state_dict_into_meta_model)$/ },
  {
    role: StackRole.Inputs,
    file: /./,
    name: /^(?:send_to_device|_prepare_inputs?|move_data_to_device|transfer_batch_to_device|batch_to_device)$/,
  },
  { role: StackRole.Inputs, file: /torch\/utils\/data\// },
  { role: StackRole.Optimizer, file: /[/_-](?:optim|optimizers?)\/\w+\.py$/ },
  { role: StackRole.Foreign, file: /torch\/(?:distributed|nn\/parallel)\// },
  // Recomputation in the backward pass.
  { role: StackRole.Forward, file: /torch\/utils\/checkpoint\.py$/ },
  { role: StackRole.Backward, file: /torch\/autograd\/(?:__init__|graph)\.py$/ },
  { role: StackRole.Backward, file: /torch\/_tensor\.py$/, name: /^backward$/ },
  { role: StackRole.Backward, file: /torch\/_functorch\/.*\.py$/, name: /^(?:_?backward|_backward_impl)$/ },
];
/** Roles that only frames of PyTorch or another library show. */
const NATIVE_WORKSPACE = /workspace/i;
const NATIVE_BACKWARD = /torch::autograd::(?:Engine::|AccumulateGrad|generated::)|^autograd::engine::/;
/** Compiled code runs in the forward or the backward pass, by the frames around it. */
const COMPILED = 'torch/_inductor/';
/** A custom Function's own frame, the same forwards and backwards. */
const FUNCTION = 'torch/autograd/function.py';

const enum Mark {
  None = 0xff,
}

/** Finds the roles of a snapshot's stacks, once each. */
export class StackRoles {
  private readonly marks: Uint8Array;
  private readonly known: Uint8Array;
  private moduleFiles: ReadonlySet<number> | null = null;
  private readonly hasPython: boolean;

  constructor(private readonly snapshot: Snapshot) {
    const { frames, stacks } = snapshot;
    this.marks = new Uint8Array(frames.count).fill(Mark.None);
    for (let frame = 0; frame < frames.count; frame++) this.marks[frame] = this.markOf(frame);
    this.known = new Uint8Array(stacks.count).fill(Mark.None);
    this.hasPython = stacks.count > EMPTY_STACK + 1;
  }

  of(stack: StackId): StackRole {
    let role = this.known[stack];
    if (role === (Mark.None as number)) {
      role = this.find(stack);
      this.known[stack] = role;
    }
    return role;
  }

  private find(stack: StackId): StackRole {
    const { stacks, frames } = this.snapshot;
    const from = stacks.offset[stack];
    const to = stacks.offset[stack + 1];
    if (from === to) return this.hasPython ? StackRole.Stackless : StackRole.Unmarked;
    // A node of autograd may be named before the workspace that it takes.
    if (stacks.frames.subarray(from, to).some((frame) => this.marks[frame] === (StackRole.Workspace as number)))
      return StackRole.Workspace;
    let compiled = false;
    let user: FrameId | null = null;
    for (let i = from; i < to; i++) {
      const frame = stacks.frames[i];
      const mark = this.marks[frame];
      // An optimizer's `step` also calls the user's closure: only a `step` of the user's own is an optimizer.
      const isClosure = mark === (StackRole.Optimizer as number) && user !== null && this.nameOf(user) !== 'step';
      if (mark !== (Mark.None as number) && !isClosure) return mark;
      const file = this.file(frame);
      if (frameKind(file) === 'user') user = frame;
      compiled ||= file.includes(COMPILED);
    }
    if (compiled) return StackRole.Forward;
    // Only autograd's own thread begins in a Function: its `backward`.
    if (this.file(stacks.frames[to - 1]).endsWith(FUNCTION)) return StackRole.Backward;
    const innermost = this.innermostPython(from, to);
    if (innermost === null || this.nameOf(innermost) !== '__init__') return StackRole.Unmarked;
    this.moduleFiles ??= this.findModuleFiles();
    return this.moduleFiles.has(frames.file[innermost]) ? StackRole.ModuleInit : StackRole.Unmarked;
  }

  private markOf(frame: FrameId): number {
    const file = this.file(frame);
    const name = this.nameOf(frame);
    switch (recordedKind(file)) {
      case 'native':
        if (NATIVE_WORKSPACE.test(name)) return StackRole.Workspace;
        return NATIVE_BACKWARD.test(name) ? StackRole.Backward : Mark.None;
      case 'library': {
        const mark = MARKS.find((one) => one.file.test(file) && one.name?.test(name) !== false);
        return mark?.role ?? Mark.None;
      }
      case 'user':
      case 'interactive':
      case 'generated':
        return Mark.None;
    }
  }

  /** Files of functions below `Module.__call__`: allocations of their `__init__` belong to a module. */
  private findModuleFiles(): Set<number> {
    const { stacks, frames } = this.snapshot;
    const files = new Set<number>();
    for (let stack = EMPTY_STACK + 1; stack < stacks.count; stack++) {
      for (let i = stacks.offset[stack] + 1; i < stacks.offset[stack + 1]; i++) {
        const callee = stacks.frames[i - 1];
        const isCall = this.nameOf(stacks.frames[i]) === '_call_impl';
        if (isCall && this.nameOf(callee) === 'forward') files.add(frames.file[callee]);
      }
    }
    return files;
  }

  private innermostPython(from: number, to: number): FrameId | null {
    const { stacks } = this.snapshot;
    for (let i = from; i < to; i++) {
      if (recordedKind(this.file(stacks.frames[i])) !== 'native') return stacks.frames[i];
    }
    return null;
  }

  private file(frame: FrameId): string {
    return this.snapshot.strings.text(this.snapshot.frames.file[frame]).replaceAll('\\', '/');
  }

  private nameOf(frame: FrameId): string {
    return functionName(this.snapshot.strings.text(this.snapshot.frames.name[frame]));
  }
}
