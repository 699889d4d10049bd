import type { PythonModule } from './pythonModule.js';
import { parsePython, readStatements } from './readStatements.js';
import { syntaxParts } from './syntaxPart.js';

/** Reads a source file. @returns null if the source is too long */
export function readModule(file: string, text: string): PythonModule | null {
  const parsed = parsePython(text);
  if (parsed === null) return null;
  const lineStarts = [0];
  for (const end of text.matchAll(/\r\n|\r|\n/g)) lineStarts.push(end.index + end[0].length);
  const { tree, steps } = parsed;
  return { file, text, body: readStatements(syntaxParts(tree), text), lineStarts, steps };
}
