import type { CallId } from '../core/timeline/callPaths.js';
import type { CallTree } from '../core/timeline/callTree.js';
import type { FlameCall } from '../protocol/flameData.js';

/** Maximum length of a file or function name; a longer one is truncated. */
const MAX_NAME = 240;
/** Characters of all names in an answer. */
const ROOM_FOR_NAMES = 30_000;

/** The calls of an answer, with as many names as fit. */
export class CallNames {
  readonly calls: FlameCall[] = [];
  private readonly indices = new Map<CallId, number>();
  private room = ROOM_FOR_NAMES;

  /** @param whole a call with its full names */
  constructor(private readonly whole: (call: CallId) => FlameCall) {}

  /** Adds a call with its names; false if they do not fit. */
  admit(call: CallId): boolean {
    if (this.indices.has(call)) return true;
    const named = this.bounded(call);
    const length = named.file.length + named.function.length;
    if (length > this.room) return false;
    this.room -= length;
    this.add(call, named);
    return true;
  }

  /** Where a call is in `calls`; without names if they do not fit. */
  indexOf(call: CallId): number {
    const known = this.indices.get(call);
    return known ?? this.add(call, { ...this.bounded(call), file: '', line: 0, function: '', mapped: false });
  }

  /** Indices of the calls of a tree, by row; 0 for merged rows, and for the root of everything. */
  indicesOf(tree: CallTree, focused: number): Uint32Array {
    return tree.call.map((call, row) => (tree.merged[row] === 0 && (row > 0 || focused > 0) ? this.indexOf(call) : 0));
  }

  private add(call: CallId, named: FlameCall): number {
    this.indices.set(call, this.calls.length);
    return this.calls.push(named) - 1;
  }

  private bounded(call: CallId): FlameCall {
    const named = this.whole(call);
    return {
      ...named,
      // A file is still recognized by the end of its path.
      file: named.file.slice(-MAX_NAME),
      function: named.function.slice(0, MAX_NAME),
      mapped: named.mapped && named.file.length <= MAX_NAME,
    };
  }
}
