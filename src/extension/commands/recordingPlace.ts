/** Where recording code goes in a Python file: behind the imports at its top level. */
export interface RecordingPlace {
  /** 0-based line that it goes behind; -1 for the beginning of the file. */
  readonly behind: number;
  /** Modules that the file does not import yet. */
  readonly missing: readonly string[];
}

/** @param needed modules that the code uses by their plain name */
export function recordingPlace(lines: readonly string[], needed: readonly string[]): RecordingPlace {
  let behind = -1;
  /** The import before goes on: in parentheses, or behind a backslash. */
  let inParentheses = false;
  let continued = false;
  const present = new Set<string>();
  lines.forEach((line, i) => {
    const starts = /^(import|from)\s/.test(line);
    if (!starts && !inParentheses && !continued) return;
    behind = i;
    inParentheses = (inParentheses || line.includes('(')) && !line.includes(')');
    continued = line.trimEnd().endsWith('\\');
    const modules = /^import\s+([^#]*)/.exec(line)?.[1] ?? '';
    for (const name of modules.split(',')) present.add(name.trim());
  });
  if (behind === -1) behind = endOfDocstring(lines);
  return { behind, missing: needed.filter((name) => !present.has(name)) };
}

/** Last line of the comments and the docstring that a file begins with, -1 if there are none. */
function endOfDocstring(lines: readonly string[]): number {
  let i = 0;
  while (i < lines.length && lines[i].startsWith('#')) i++;
  const quote = /^[rRuU]?("""|''')/.exec(lines.at(i) ?? '')?.[1];
  if (quote === undefined) return i - 1;
  if (lines[i].lastIndexOf(quote) > lines[i].indexOf(quote)) return i;
  const end = lines.findIndex((line, at) => at > i && line.includes(quote));
  return end === -1 ? i - 1 : end;
}
