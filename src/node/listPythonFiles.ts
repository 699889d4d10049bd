import { walkFiles } from './walkFiles.js';

/** Maximum number of files listed; a workspace with more is mapped as far as this goes. */
const MAX_FILES = 50_000;

/** The Python files below a folder, relative to it, with `/`. @param within real folders that links may lead into */
export async function listPythonFiles(root: string, within: readonly string[] | null = null): Promise<string[]> {
  const files: string[] = [];
  for await (const { path } of walkFiles(root, (name) => name.endsWith('.py'), { within })) {
    files.push(path);
    if (files.length >= MAX_FILES) break;
  }
  return files;
}
