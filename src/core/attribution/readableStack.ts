import { getOrAdd } from '../maps.js';
import { recordedKind } from '../model/recordedFile.js';
import type { DigestFrame } from '../model/digestFrame.js';

/** A stack for users, and the number of omitted frames. */
export interface ReadableStack {
  /** Innermost first. */
  frames: DigestFrame[];
  hidden: number;
}

/** PyTorch's own frames of taking the stack, Python's interpreter, and the start of a program or thread. */
const MACHINERY_NAMES =
  /unwind::|CapturedTraceback|gather_with_cpp|^_?Py(?:[A-Z]\w*)?_\w|^_start$|^__libc_|^start_thread$|^_*clone3?$/;
/** The interpreter's sources, wherever Python was built. */
const INTERPRETER = /(?:^|\/)(?:Python|Objects|Modules|Include\/(?:internal|cpython))\/\w+\.[ch]$/;

/** True for a C++ frame that gives no information on an allocation: much the same ones are in every stack that has C++ frames. */
export function isMachinery({ file, function: name }: DigestFrame): boolean {
  return (
    recordedKind(file) === 'native' && (MACHINERY_NAMES.test(name) || INTERPRETER.test(file.replaceAll('\\', '/')))
  );
}

/** Reads many stacks of the same files. */
export class StackReader {
  private readonly native = new Map<string, boolean>();

  /** The Python frames of a stack; without any, its meaningful C++ frames. Frames are never invented or moved. */
  read(stack: readonly DigestFrame[]): ReadableStack {
    const readable = [
      () => stack.filter(({ file }) => !this.isNative(file)),
      () => stack.filter((frame) => !isMachinery(frame)),
    ];
    for (const pick of readable) {
      const frames = pick();
      if (frames.length > 0) return { frames, hidden: stack.length - frames.length };
    }
    return { frames: [...stack], hidden: 0 };
  }

  private isNative(file: string): boolean {
    return getOrAdd(this.native, file, () => recordedKind(file) === 'native');
  }
}
