import assert from 'node:assert/strict';
import { findHolder, type Followed, type Growth } from '../../../src/core/retention/findHolder.js';
import type { Finding } from '../../../src/core/retention/holders/search.js';
import { retentionOf, type Retention } from '../../../src/core/retention/releases.js';
import { ParsedFiles, Sources } from '../../../src/core/retention/sources.js';
import { lineAt } from '../../../src/core/python/pythonModule.js';
import { sourceEdit } from '../../../src/core/report/remedy/sourceEdit.js';
import { pathsOfStack } from '../../../src/core/report/sources/patternSearch.js';
import { applied } from '../../support/sourceEdits.js';

/** Sources with marks: `#!` at the end of the line that allocates, `#<` on lines of its callers, outermost first by order. */
export interface Program {
  files: Record<string, string>;
  /** `file:line (function)`, innermost first; given where marks cannot say it. */
  stack: { file: string; line: number; function: string }[];
}

const FUNCTION = /^(\s*)(?:async\s+)?def\s+(\w+)/;

/**
 * A program of one file. The line that ends in `#!` allocates; lines that end in `#1`, `#2`, … are its callers, from
 * the innermost to the outermost.
 */
export function program(text: string, file = 'train.py'): Program {
  const lines = text.split('\n');
  const stack: Program['stack'] = [];
  const add = (mark: string): boolean => {
    const at = lines.findIndex((line) => line.trimEnd().endsWith(mark));
    if (at < 0) return false;
    stack.push({ file, line: at + 1, function: functionAround(lines, at) });
    return true;
  };
  if (!add('#!')) throw new Error('no line is marked with #!');
  for (let n = 1; add(`#${n}`); n++);
  return { files: { [file]: text }, stack };
}

function functionAround(lines: readonly string[], at: number): string {
  let indent = /^\s*/.exec(lines[at])?.[0].length ?? 0;
  for (let i = at - 1; i >= 0 && indent > 0; i--) {
    const match = FUNCTION.exec(lines[i]);
    const own = /^\s*/.exec(lines[i])?.[0].length ?? 0;
    if (lines[i].trim() === '' || own >= indent) continue;
    if (match !== null) return match[2];
    indent = own;
  }
  return '<module>';
}

/** The holder of what the marked line allocates. */
export function holderOf({ files, stack }: Program, growth: Growth = 'held'): Finding | null {
  return followed({ files, stack }, growth)?.finding ?? null;
}

/** The result of following the source to the marked line, null if its file is unreadable. */
export function followed(program: Program, growth: Growth = 'held'): Followed | null {
  return follow(program, growth).followed;
}

/** Releases and bounds of the holder of the marked line's memory, by the source. A line ends in `#step` where a recorder counts steps. */
export function retained(program: Program): Retention & { isEndless: boolean } {
  const { followed, sources } = follow(program, 'held');
  assert.ok(followed !== null);
  const retention = retentionOf(null, [followed], sources, Object.keys(program.files), stepLoopOf(program));
  const { finding, ended, isWhole, loops } = followed;
  const isOpen = retention.releases.length + retention.bounds.length > 0 || retention.nextLoop !== null;
  return { ...retention, isEndless: (finding ?? ended) !== null && isWhole && loops.length === 1 && !isOpen };
}

function stepLoopOf({ files }: Program): { file: string; line: number } | null {
  for (const [file, text] of Object.entries(files)) {
    const at = text.split('\n').findIndex((line) => line.trimEnd().endsWith('#step'));
    if (at >= 0) return { file, line: at + 1 };
  }
  return null;
}

function follow({ files, stack }: Program, growth: Growth): { followed: Followed | null; sources: Sources } {
  const port = { text: (file: string) => files[file] ?? null };
  const sources = new Sources(Object.keys(files), port, new ParsedFiles());
  const path = pathsOfStack(stack, stack[0], sources);
  return { followed: path === null ? null : findHolder(path, sources, growth), sources };
}

/** The program after the edit that releases, and the statement as it then stands; null where no edit is offered. */
export function edited(program: Program, growth: Growth = 'held'): { program: Program; line: string } | null {
  const { followed, sources } = follow(program, growth);
  const edit = followed?.finding == null ? null : sourceEdit(followed.finding, sources.read);
  if (edit === null) return null;
  const { text, line } = applied(edit, program.files[edit.file]);
  return { program: { files: { ...program.files, [edit.file]: text }, stack: program.stack }, line };
}

/** The line of the finding, as it stands in the source, without marks; empty for none. */
export function keptAt(program: Program, growth: Growth = 'held'): string {
  const found = holderOf(program, growth);
  if (found === null) return '';
  const line = lineAt(found.module, found.span.from);
  return (found.module.text.split(/\r\n|\r|\n/)[line - 1] ?? '').replace(/\s*#.*$/, '').trim();
}
