/** A report as a file that is complete or absent. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeFileSync, type Stats } from 'node:fs';
import { visibleJson, visibleLines } from '../core/text/plainText.js';
import type { Output } from './inputs.js';
import { removeAbandoned, unfinished } from './leftovers.js';
import { UsageError } from './usageError.js';

/**
 * Writes output into a file, which replaces an existing one only if something was printed; into a pipe or a device as it
 * comes.
 * @param command `out` is null for standard output
 * @throws UsageError
 */
export async function printTo<Of extends Output, Result>(
  { out, inputs }: { readonly out: string | null; readonly inputs: readonly string[] },
  output: Of,
  task: (words: Of) => Promise<Result>,
): Promise<Result> {
  if (out === null) return task(output);
  const present = factsOf(out);
  if (present?.isDirectory() === true) throw new UsageError(`--out cannot write ${out}: it is a folder. Name a file.`);
  if (present !== undefined && inputs.some((input) => isSame(present, factsOf(input))))
    throw new UsageError(`--out cannot write ${out}: it is an input. Name another file.`);
  const isPlain = present?.isFile() ?? true;
  const part = isPlain ? unfinished(out) : out;
  if (isPlain) await removeAbandoned(out);
  const file = open(out, part);
  const written = { any: false };
  try {
    const result = await task({
      ...output,
      print: (text) => {
        written.any = true;
        writeFileSync(file, visibleLines(text));
      },
    });
    if (isPlain) fsyncSync(file);
    if (isPlain && written.any) renameSync(part, out);
    return result;
  } finally {
    closeSync(file);
    if (isPlain) rmSync(part, { force: true });
  }
}

/** Prints JSON in pieces, because a report may be too long for one text. */
export function printJson(value: unknown, { print }: Output): void {
  visibleJson(value, print);
  print('\n');
}

function factsOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function isSame(a: Stats, b: Stats | undefined): boolean {
  return a.dev === b?.dev && a.ino === b.ino;
}

function open(path: string, part: string): number {
  try {
    return openSync(part, 'w');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--out cannot write ${path}: ${reason}. Name a file in a folder that exists.`);
  }
}
