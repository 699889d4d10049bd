import { recordedKind } from '../model/recordedFile.js';
import type { PathFrame } from '../retention/records.js';
import type { Sources } from '../retention/sources.js';

interface Frame {
  readonly file: string;
  readonly line: number;
  readonly name: string;
}

/** Library code that only passes a call on to the workspace's, once: modules, contexts, autograd functions, launchers. */
const PASSES_ON = new RegExp(
  [
    /(?:^|[\\/])torch[\\/](?:nn[\\/]|utils[\\/]_contextlib\.py|autograd[\\/]function\.py|_compile\.py)/,
    /(?:^|[\\/])torch[\\/](?:utils[\\/]checkpoint\.py|multiprocessing[\\/]spawn\.py)/,
    /(?:^|[\\/])(?:functools|contextlib|runpy|threading)\.py$/,
    /(?:^|[\\/])asyncio[\\/](?:runners|base_events|events|tasks)\.py$/,
    /(?:^|[\\/])multiprocessing[\\/](?:process|spawn|popen_fork)\.py$/,
    /(?:^|[\\/])(?:hydra|click|fire|typer)[\\/]|(?:^|[\\/])absl[\\/]app\.py$/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

/** Frames of what stands inside of a statement. */
const INSIDE = new Set(['<listcomp>', '<setcomp>', '<dictcomp>', '<genexpr>']);

/**
 * The frames of a stack whose files are at hand, outermost first, down to an owner line.
 * @param frames innermost first; behind them may follow the frames of a forward pass
 * @returns null if the owner's file cannot be read
 */
export function pathsOfStack(
  frames: readonly { file: string; line: number; function: string }[],
  owner: { file: string; line: number; function: string },
  sources: Sources,
): PathFrame[] | null {
  const start = frames.findIndex(
    ({ file, line, function: name }) => file === owner.file && line === owner.line && name === owner.function,
  );
  const inside: Frame[] = [];
  for (const { file, line, function: name } of start < 0 ? [owner] : frames.slice(start)) {
    inside.push({ file, line, name });
    // What follows a module's own frame belongs to another stack.
    if (name === '<module>') break;
  }
  const path: PathFrame[] = [];
  let throughLibrary = false;
  for (const { file, line, name } of inside.reverse()) {
    const module = sources.module(file);
    const outer = path[path.length - 1] as PathFrame | undefined;
    if (module !== null && !INSIDE.has(name)) {
      path.push({ module, line, name, throughLibrary: throughLibrary && path.length > 0 });
      throughLibrary = false;
    } else if (module !== null && outer?.module === module && !throughLibrary) {
      // A comprehension's frame is part of the statement around it, which may go on over lines.
      path[path.length - 1] = { ...outer, line };
    } else if (module === null && recordedKind(file) !== 'native' && !PASSES_ON.test(file)) throughLibrary = true;
  }
  const last = path[path.length - 1] as PathFrame | undefined;
  return last?.module.file === owner.file && last.line === owner.line ? path : null;
}
