/** Where recording code goes in a Python file: behind the imports at its top level. */
interface RecordingPlace {
  /** 0-based line that it goes behind; -1 for the beginning of the file. */
  readonly behind: number;
  /** Modules that the file does not import yet. */
  readonly missing: readonly string[];
}

/** @param needed modules that the code uses by their plain name */
export function recordingPlace(lines: readonly string[], needed: readonly string[]): RecordingPlace {
  let behind = -1;
  /** The import above continues: in parentheses, or after a backslash. */
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

/** The loop of a Python file that steps are counted in, found by indentation. All lines are 0-based. */
interface TrainingLoop {
  /** Line of its `for` or `while`. */
  readonly line: number;
  /** Line of the body behind which a statement of the body can stand. */
  readonly behind: number;
  /** White space before the body's statements. */
  readonly indent: string;
}

const LOOP = /^(\s*)(?:async\s+)?(?:for|while)\b/;
const TRAINS = /\.backward\(|\boptim\w*\.step\(|\.step\(/;

/** The innermost loop around a line, else the innermost one that trains; null if the file has neither. */
export function trainingLoop(lines: readonly string[], cursor: number): TrainingLoop | null {
  const loops = lines.flatMap((line, at) => (LOOP.test(line) ? (loopAt(lines, at) ?? []) : []));
  const around = loops.filter(({ line, end }) => line <= cursor && cursor <= end);
  const training = loops.filter(({ line, end }) => lines.slice(line, end + 1).some((text) => TRAINS.test(text)));
  const loop = around.at(-1) ?? training.at(-1);
  if (loop === undefined) return null;
  const { line, head, end, indent } = loop;
  // Code after a `continue` is skipped.
  const skips = lines
    .slice(head + 1, end + 1)
    .some((text) => /^\s*continue\b/.test(text) || /:\s*continue\b/.test(text));
  return { line, behind: skips ? head : end, indent };
}

/** Null for a loop whose body stands on its own line. */
function loopAt(
  lines: readonly string[],
  line: number,
): { line: number; head: number; end: number; indent: string } | null {
  const margin = indentOf(lines[line]);
  let head = line;
  let open = brackets(lines[line]);
  while (head + 1 < lines.length && (open > 0 || lines[head].trimEnd().endsWith('\\'))) open += brackets(lines[++head]);
  if (!/:\s*(?:#.*)?$/.test(lines[head])) return null;
  let end = head;
  let inside = 0;
  for (let at = head + 1; at < lines.length; at++) {
    const text = lines[at];
    const isBlank = /^\s*(?:#.*)?$/.test(text);
    if (inside === 0 && !isBlank && indentOf(text).length <= margin.length) break;
    if (!isBlank || inside > 0) end = at;
    inside = Math.max(0, inside + brackets(text));
  }
  const first = lines.slice(head + 1, end + 1).find((text) => !/^\s*(?:#.*)?$/.test(text));
  return first === undefined ? null : { line, head, end, indent: indentOf(first) };
}

function indentOf(text: string): string {
  return /^\s*/.exec(text)?.[0] ?? '';
}

/** Open brackets of a line, outside of strings and comments. */
function brackets(text: string): number {
  const code = text.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, '').replace(/#.*/, '');
  return (code.match(/[([{]/g)?.length ?? 0) - (code.match(/[)\]}]/g)?.length ?? 0);
}
