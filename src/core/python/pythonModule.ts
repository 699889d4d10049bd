import type { FunctionDef, Span, Statement } from './ast.js';

/** A parsed source file. */
export interface PythonModule {
  /** The path, as the workspace names it. */
  readonly file: string;
  readonly text: string;
  readonly body: readonly Statement[];
  /** Offsets at which lines begin. */
  readonly lineStarts: readonly number[];
  /** Steps that the parser took. */
  readonly steps: number;
}

/** Maximum number of characters: a longer source is a generated table. */
export const MAX_CHARACTERS = 1 << 20;
/** Maximum number of steps of the parser. The longest sources of people take at most 90,000, a fifth of a step per character. */
export const MAX_STEPS = 400_000;
/** Maximum for all files of a program: enough for hundreds of files that people wrote. */
const MAX_TOGETHER = 1_000_000;

/** Bounds the parsing of a program's files together, by work and not by time: a busy machine gives the same answers. */
export class ParseBudget {
  private steps = 0;

  get isSpent(): boolean {
    return this.steps > MAX_TOGETHER;
  }

  /** @param module the result of parsing a text */
  take(module: PythonModule | null, { length }: string): void {
    if (module !== null) this.steps += module.steps;
    else if (length <= MAX_CHARACTERS) this.steps += MAX_STEPS;
  }
}

/** The 1-based line of an offset. */
export function lineAt({ lineStarts }: PythonModule, offset: number): number {
  let low = 0;
  let high = lineStarts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (lineStarts[middle] <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}

/** The text of a 1-based line, without its end. */
export function lineText({ text, lineStarts }: PythonModule, line: number): string {
  return text.slice(lineStarts[line - 1], lineStarts[line] ?? text.length).replace(/[\r\n]+$/, '');
}

/** The innermost function of a name that a line belongs to. */
export function functionAt(module: PythonModule, name: string, line: number): FunctionDef | null {
  return (
    allStatements(module.body)
      .filter((statement) => statement.kind === 'function')
      .findLast((fn) => fn.name === name && lineAt(module, fn.from) <= line && line <= lineAt(module, fn.to)) ?? null
  );
}

/** Statements and those inside them, outer ones first. */
export function allStatements(statements: readonly Statement[]): Statement[] {
  return statements.flatMap((statement) => [statement, ...bodiesOf(statement).flatMap(allStatements)]);
}

/** The blocks inside a statement. */
export function bodiesOf(statement: Statement): readonly (readonly Statement[])[] {
  switch (statement.kind) {
    case 'if':
      return [...statement.branches.map(({ body }) => body), statement.otherwise];
    case 'while':
    case 'for':
      return [statement.body, statement.otherwise];
    case 'with':
    case 'function':
    case 'class':
      return [statement.body];
    case 'try':
      return [statement.body, ...statement.handlers.map(({ body }) => body), statement.rest];
    case 'match':
      return statement.bodies;
    default:
      return [];
  }
}

/** A statement without the blocks below it. */
export function headerOf(statement: Statement): Span {
  const { from, to } = statement;
  switch (statement.kind) {
    case 'if':
      return { from, to: statement.branches[statement.branches.length - 1]?.test.to ?? from };
    case 'while':
      return { from, to: statement.test.to };
    case 'for':
      return { from, to: statement.iterable.to };
    case 'with':
      return { from, to: statement.items[statement.items.length - 1]?.value.to ?? from };
    case 'match':
      return { from, to: statement.subject.to };
    case 'try':
    case 'function':
    case 'class':
      return { from, to: from };
    default:
      return { from, to };
  }
}
