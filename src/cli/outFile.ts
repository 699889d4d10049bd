/** A report as a file that is complete or absent. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Output } from './inputs.js';
import { UsageError } from './usageError.js';

/**
 * Writes output into a file, which replaces an existing one only if something was printed. @param path null for none
 */
export async function printTo<Of extends Output, Result>(
  path: string | null,
  output: Of,
  task: (words: Of) => Promise<Result>,
): Promise<Result> {
  if (path === null) return task(output);
  const part = unfinished(path);
  const file = open(path, part);
  const written = { any: false };
  try {
    const result = await task({
      ...output,
      print: (text) => {
        written.any = true;
        writeFileSync(file, text);
      },
    });
    fsyncSync(file);
    if (written.any) renameSync(part, path);
    return result;
  } finally {
    closeSync(file);
    rmSync(part, { force: true });
  }
}

/** The file that is written in place of one, by this process. */
export function unfinished(path: string): string {
  return `${path}.${process.pid}.part`;
}

function open(path: string, part: string): number {
  try {
    return openSync(part, 'w');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--out cannot write ${path}: ${reason}. Name a file in a folder that exists.`);
  }
}
