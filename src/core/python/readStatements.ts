import type { Tree } from '@lezer/common';
import { parser } from '@lezer/python';
import type { Expression, If, Import, Statement } from './ast.js';
import { ExpressionReader } from './readExpression.js';
import { MAX_CHARACTERS, MAX_STEPS } from './pythonModule.js';
import type { SyntaxPart } from './syntaxPart.js';

/** Deeper nesting than a person writes is not followed. */
const DEEPEST = 60;

/** Turns the parser's tree of a whole file into statements. */
export function readStatements(top: SyntaxPart, text: string): Statement[] {
  return new StatementReader(text).list(top.parts, 0);
}

class StatementReader {
  private readonly expressions: ExpressionReader;
  /** True once a `yield` was met in the function that is being read. */
  private yields = false;

  constructor(private readonly text: string) {
    this.expressions = new ExpressionReader(text);
  }

  list(nodes: readonly SyntaxPart[], depth: number): Statement[] {
    if (depth > DEEPEST) return [];
    return nodes.flatMap((node) =>
      node.name === 'StatementGroup' ? this.list(node.parts, depth) : (this.statement(node, depth) ?? []),
    );
  }

  private body(node: SyntaxPart | undefined, depth: number): Statement[] {
    return node === undefined ? [] : this.list(node.parts.slice(1), depth + 1);
  }

  private statement(node: SyntaxPart, depth: number): Statement | null {
    const { from, to } = node;
    const parts = node.parts;
    const { expressions } = this;
    switch (node.name) {
      case 'AssignStatement': {
        const groups: SyntaxPart[][] = [[]];
        for (const part of parts) {
          if (part.name === 'AssignOp') groups.push([]);
          else if (part.name !== 'TypeDef') groups[groups.length - 1].push(part);
        }
        const values = groups.filter((group) => group.length > 0).map((group) => this.value(group));
        const value = values.pop();
        if (value === undefined || values.length === 0) return null;
        return { kind: 'assign', targets: values, value, from, to };
      }
      case 'UpdateStatement': {
        const at = parts.findIndex((part) => part.name === 'UpdateOp');
        if (at < 1 || at + 1 >= parts.length) return null;
        return {
          kind: 'update',
          target: expressions.read(parts[0]),
          operator: expressions.textOf(parts[at]),
          value: this.value(parts.slice(at + 1)),
          from,
          to,
        };
      }
      case 'ExpressionStatement':
        return { kind: 'expression', value: this.value(parts), from, to };
      case 'YieldStatement':
        return { kind: 'expression', value: this.value([node]), from, to };
      case 'ReturnStatement':
        return { kind: 'return', value: parts.length < 2 ? null : this.value(parts.slice(1)), from, to };
      case 'DeleteStatement':
        return { kind: 'delete', targets: expressions.list(parts.slice(1)), from, to };
      case 'IfStatement':
        return this.ifStatement(parts, node, depth);
      case 'WhileStatement': {
        const [body, otherwise] = bodiesOf(parts);
        return {
          kind: 'while',
          test: expressions.read(parts[1]),
          body: this.body(body, depth),
          otherwise: this.body(otherwise, depth),
          from,
          to,
        };
      }
      case 'ForStatement': {
        const start = parts.findIndex((part) => part.name === 'for');
        const into = parts.findIndex((part) => part.name === 'in');
        const end = parts.findIndex((part) => part.name === 'Body');
        if (start < 0 || into < 0 || end < 0) return null;
        const [body, otherwise] = bodiesOf(parts);
        return {
          kind: 'for',
          target: this.value(parts.slice(start + 1, into)),
          iterable: this.value(parts.slice(into + 1, end)),
          body: this.body(body, depth),
          otherwise: this.body(otherwise, depth),
          from,
          to,
        };
      }
      case 'WithStatement':
        return this.withStatement(parts, node, depth);
      case 'TryStatement':
        return this.tryStatement(parts, node, depth);
      case 'MatchStatement': {
        const clauses = parts.find((part) => part.name === 'MatchBody');
        const bodies = (clauses === undefined ? [] : clauses.parts)
          .filter((part) => part.name === 'MatchClause')
          .map((clause) => this.body(bodiesOf(clause.parts)[0], depth));
        return { kind: 'match', subject: expressions.read(parts[1]), bodies, from, to };
      }
      case 'DecoratedStatement': {
        const decorators = parts.filter((part) => part.name === 'Decorator').map((part) => this.decorator(part));
        const inner = parts.find((part) => part.name.endsWith('Definition'));
        if (inner === undefined) return null;
        const defined = this.statement(inner, depth);
        return defined?.kind === 'function' ? { ...defined, decorators, from } : defined;
      }
      case 'FunctionDefinition': {
        const outer = this.yields;
        this.yields = false;
        const name = parts.find((part) => part.name === 'VariableName');
        const params = parts.find((part) => part.name === 'ParamList');
        const body = this.body(bodiesOf(parts)[0], depth);
        const isGenerator = this.yields;
        this.yields = outer;
        if (name === undefined) return null;
        return {
          kind: 'function',
          name: expressions.textOf(name),
          params: params === undefined ? [] : expressions.params(params),
          body,
          decorators: [],
          isGenerator,
          from,
          to,
        };
      }
      case 'ClassDefinition': {
        const name = parts.find((part) => part.name === 'VariableName');
        const args = parts.find((part) => part.name === 'ArgList');
        if (name === undefined) return null;
        const bases = args === undefined ? [] : expressions.args(args, 0);
        return {
          kind: 'class',
          name: expressions.textOf(name),
          bases: bases.filter((base) => base.name === null).map((base) => base.value),
          body: this.body(bodiesOf(parts)[0], depth),
          fields: this.fields(bodiesOf(parts)[0]),
          from,
          to,
        };
      }
      case 'ScopeStatement':
        return {
          kind: 'scope',
          type: parts[0].name === 'global' ? 'global' : 'nonlocal',
          names: parts.filter((part) => part.name === 'VariableName').map((part) => expressions.textOf(part)),
          from,
          to,
        };
      case 'ImportStatement':
        return importOf(this.text.slice(from, to), node);
      case 'RaiseStatement':
      case 'AssertStatement':
      case 'PrintStatement':
        return {
          kind: 'other',
          leaves: node.name === 'RaiseStatement',
          values: expressions.list(parts.slice(1).filter((part) => part.name !== 'from')),
          from,
          to,
        };
      case 'ContinueStatement':
      case 'BreakStatement':
        return { kind: 'other', leaves: true, values: [], from, to };
      default:
        return null;
    }
  }

  /** The names that the statements of a class's body annotate. */
  private fields(body: SyntaxPart | undefined): string[] {
    return (body?.parts ?? []).flatMap(({ name, parts }) => {
      const [first, second] = parts as (SyntaxPart | undefined)[];
      const isField = name === 'AssignStatement' && first?.name === 'VariableName' && second?.name === 'TypeDef';
      return isField ? [this.expressions.textOf(first)] : [];
    });
  }

  private value(parts: readonly SyntaxPart[]): Expression {
    const value = this.expressions.sequence(parts);
    if (value.kind === 'yield' || (value.kind === 'await' && value.value?.kind === 'yield')) this.yields = true;
    return value;
  }

  private ifStatement(parts: readonly SyntaxPart[], { from, to }: SyntaxPart, depth: number): Statement {
    const branches: { test: Expression; body: Statement[] }[] = [];
    let otherwise: Statement[] = [];
    let test: Expression | null = null;
    for (const part of parts) {
      if (part.name === 'Body') {
        if (test === null) otherwise = this.body(part, depth);
        else branches.push({ test, body: this.body(part, depth) });
        test = null;
      } else if (!['if', 'elif', 'else'].includes(part.name)) test = this.expressions.read(part);
    }
    return { kind: 'if', branches, otherwise, from, to } satisfies If;
  }

  private withStatement(parts: readonly SyntaxPart[], { from, to }: SyntaxPart, depth: number): Statement {
    const items: { value: Expression; target: Expression | null }[] = [];
    const header = parts.filter((part) => !['with', 'async', ',', '(', ')', 'Body'].includes(part.name));
    for (let i = 0; i < header.length; i++) {
      const value = this.expressions.read(header[i]);
      if (header[i + 1]?.name === 'as' && i + 2 < header.length) {
        items.push({ value, target: this.expressions.read(header[i + 2]) });
        i += 2;
      } else items.push({ value, target: null });
    }
    return { kind: 'with', items, body: this.body(bodiesOf(parts)[0], depth), from, to };
  }

  private tryStatement(parts: readonly SyntaxPart[], { from, to }: SyntaxPart, depth: number): Statement {
    let body: Statement[] = [];
    const handlers: { name: string | null; body: Statement[] }[] = [];
    const rest: Statement[] = [];
    let clause = '';
    let name: string | null = null;
    parts.forEach((part, i) => {
      if (['try', 'except', 'else', 'finally'].includes(part.name)) {
        clause = part.name;
        name = null;
      } else if (part.name === 'VariableName' && (parts[i - 1]?.name === 'as' || parts[i - 1]?.name === ',')) {
        name = this.expressions.textOf(part);
      } else if (part.name === 'Body') {
        const statements = this.body(part, depth);
        if (clause === 'try') body = statements;
        else if (clause === 'except') handlers.push({ name, body: statements });
        else rest.push(...statements);
      }
    });
    return { kind: 'try', body, handlers, rest, from, to };
  }

  private decorator(node: SyntaxPart): Expression {
    const parts = node.parts.slice(1);
    let value: Expression | null = null;
    for (const part of parts) {
      if (part.name === 'ArgList' && value !== null) {
        value = {
          kind: 'call',
          callee: value,
          args: this.expressions.args(part, 0),
          from: value.from,
          to: part.to,
        };
      } else if (part.name === 'VariableName' || part.name === 'PropertyName') {
        const name = this.expressions.textOf(part);
        value =
          value === null
            ? { kind: 'name', name, from: part.from, to: part.to }
            : { kind: 'attribute', value, name, from: value.from, to: part.to };
      }
    }
    return value ?? { kind: 'unknown', from: node.from, to: node.to };
  }
}

function bodiesOf(parts: readonly SyntaxPart[]): (SyntaxPart | undefined)[] {
  return parts.filter((part) => part.name === 'Body');
}

function importOf(text: string, { from, to }: SyntaxPart): Import {
  const plain = text.replace(/#[^\r\n]*|[()\\]/g, ' ').trim();
  const match = /^from\s+([.\w\s]+?)\s+import\s+([\s\S]*)$/.exec(plain);
  const names = (match === null ? plain.replace(/^import\s/, '') : match[2])
    .split(',')
    .map((item) => /^\s*([\w.*]+)(?:\s+as\s+(\w+))?\s*$/.exec(item) as [string, string, string | undefined] | null)
    .flatMap((item) => (item === null ? [] : [{ name: item[1], as: item[2] ?? item[1] }]));
  return { kind: 'import', module: match?.[1].replace(/\s/g, '') ?? '', names, from, to };
}

/** Parses Python, also around syntax errors. @returns null beyond the limits */
export function parsePython(text: string): { tree: Tree; steps: number } | null {
  if (text.length > MAX_CHARACTERS) return null;
  const parse = parser.startParse(text);
  for (let step = 0; step < MAX_STEPS; step++) {
    const tree = parse.advance();
    if (tree !== null) return { tree, steps: step + 1 };
  }
  return null;
}
