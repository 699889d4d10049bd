import type { CallId } from '../core/timeline/callPaths.js';
import type { CallTree } from '../core/timeline/callTree.js';
import type { FlameCall } from '../protocol/flameData.js';

/** Characters of a file or function name; what is longer keeps its end or its beginning. */
const LONGEST_NAME = 240;
/** Characters of all names in an answer. */
const ROOM_FOR_NAMES = 30_000;

/** The calls of an answer in words, as many as there is room for. */
export class CallWords {
  readonly calls: FlameCall[] = [];
  private readonly indices = new Map<CallId, number>();
  private room = ROOM_FOR_NAMES;

  /** @param whole a call with its names however long they are */
  constructor(private readonly whole: (call: CallId) => FlameCall) {}

  /** Takes room for a call's words; false if there is none. */
  admit(call: CallId): boolean {
    if (this.indices.has(call)) return true;
    const words = this.wordsOf(call);
    const length = words.file.length + words.function.length;
    if (length > this.room) return false;
    this.room -= length;
    this.add(call, words);
    return true;
  }

  /** Where a call's words are in `calls`; without names if there was no room for them. */
  indexOf(call: CallId): number {
    const known = this.indices.get(call);
    return known ?? this.add(call, { ...this.wordsOf(call), file: '', line: 0, function: '', mapped: false });
  }

  /** The same for each row of a tree; 0 for merged rows, and for the root of everything. */
  indicesOf(tree: CallTree, focused: number): Uint32Array {
    return tree.call.map((call, row) => (tree.merged[row] === 0 && (row > 0 || focused > 0) ? this.indexOf(call) : 0));
  }

  private add(call: CallId, words: FlameCall): number {
    this.indices.set(call, this.calls.length);
    return this.calls.push(words) - 1;
  }

  private wordsOf(call: CallId): FlameCall {
    const words = this.whole(call);
    return {
      ...words,
      // A file is still recognised by the end of its path.
      file: words.file.slice(-LONGEST_NAME),
      function: words.function.slice(0, LONGEST_NAME),
      mapped: words.mapped && words.file.length <= LONGEST_NAME,
    };
  }
}
