/** Workspaces for tests: always copies in a temporary folder, never the originals. */
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { repositoryRoot } from './repository.js';

const made: string[] = [];

/** An empty folder; its own name is `name`, because paths in snapshots are mapped by their endings. */
export function newFolder(name = 'workspace'): string {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), 'leakline-test-')));
  made.push(parent);
  const folder = join(parent, name);
  mkdirSync(folder);
  return folder;
}

/** A copy of `examples/detector`, with its snapshots up to a step; 0 for none. */
export function copyExample({ untilStep = Number.POSITIVE_INFINITY } = {}): string {
  const copy = newFolder('detector');
  const belongs = (path: string): boolean => {
    const step = /step_(\d+)\.pickle$/.exec(path)?.[1];
    return step === undefined ? !path.endsWith('__pycache__') : Number(step) <= untilStep;
  };
  cpSync(exampleFolder(), copy, { recursive: true, filter: belongs });
  return copy;
}

/** The original, for comparisons. Read only. */
export function exampleFolder(): string {
  return join(repositoryRoot(), 'examples/detector');
}

/** Writes text files into a folder, by relative path. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Removes all folders that this process made. */
export function removeCopies(): void {
  for (const folder of made.splice(0))
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
