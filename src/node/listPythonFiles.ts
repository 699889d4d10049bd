import { walkFiles } from './walkFiles.js';

/** Files listed at most; a workspace with more is mapped as far as this goes. */
const MAX_FILES = 50_000;

/** The Python files below a folder, relative to it, with `/`. */
export async function listPythonFiles(root: string): Promise<string[]> {
  const files: string[] = [];
  for await (const file of walkFiles(root, (name) => name.endsWith('.py'))) {
    files.push(file);
    if (files.length >= MAX_FILES) break;
  }
  return files;
}
