import type { Argument, Comprehension, Expression, Parameter, Span } from './ast.js';
import type { SyntaxPart } from './syntaxPart.js';

/** Deeper nesting than a person writes is not followed: hostile sources must not exhaust the stack. */
const DEEPEST = 120;

/** Turns nodes of the parser's tree into expressions. */
export class ExpressionReader {
  constructor(private readonly text: string) {}

  textOf(node: Span): string {
    return this.text.slice(node.from, node.to);
  }

  read(node: SyntaxPart, depth = 0): Expression {
    const { from, to } = node;
    const unknown: Expression = { kind: 'unknown', from, to };
    if (depth > DEEPEST) return unknown;
    const inner = (child: SyntaxPart | undefined): Expression =>
      child === undefined ? unknown : this.read(child, depth + 1);
    switch (node.name) {
      case 'VariableName':
        return { kind: 'name', name: this.textOf(node), from, to };
      case 'Number':
        return { kind: 'literal', type: 'number', text: this.textOf(node), from, to };
      case 'String':
      case 'ContinuedString':
        return { kind: 'literal', type: 'string', text: this.textOf(node), from, to };
      case 'Boolean':
        return { kind: 'literal', type: 'boolean', text: this.textOf(node), from, to };
      case 'None':
        return { kind: 'literal', type: 'none', text: 'None', from, to };
      case 'Ellipsis':
        return { kind: 'literal', type: 'ellipsis', text: '...', from, to };
    }
    const parts = node.parts;
    switch (node.name) {
      case 'FormatString': {
        const replaced = parts.flatMap((part) => (part.name === 'FormatReplacement' ? part.parts.slice(1, 2) : []));
        return { kind: 'format', parts: replaced.map(inner), from, to };
      }
      case 'MemberExpression': {
        const last = parts[parts.length - 1];
        const value = inner(parts[0]);
        if (last.name === 'PropertyName') return { kind: 'attribute', value, name: this.textOf(last), from, to };
        const index = parts.slice(1).filter((part) => !/^[[\],:]$/.test(part.name));
        return {
          kind: 'subscript',
          value,
          index: index.map(inner),
          slice: this.slice(parts.slice(2), depth + 1),
          from,
          to,
        };
      }
      case 'CallExpression': {
        const list = parts.find((part) => part.name === 'ArgList');
        return {
          kind: 'call',
          callee: inner(parts[0]),
          args: list === undefined ? [] : this.args(list, depth + 1),
          from,
          to,
        };
      }
      case 'ParenthesizedExpression':
        return inner(parts.find((part) => part.name !== '(' && part.name !== '*'));
      case 'TupleExpression':
        return { kind: 'display', type: 'tuple', items: this.list(parts, depth + 1), from, to };
      case 'ArrayExpression':
        return { kind: 'display', type: 'list', items: this.list(parts, depth + 1), from, to };
      case 'SetExpression':
        return { kind: 'display', type: 'set', items: this.list(parts, depth + 1), from, to };
      case 'DictionaryExpression': {
        const entries: { key: Expression | null; value: Expression }[] = [];
        const items = parts.filter((part) => !/^[{},]$/.test(part.name));
        for (let i = 0; i < items.length; i++) {
          if (items[i].name === '**') entries.push({ key: null, value: inner(items[++i]) });
          else if (i + 2 < items.length && items[i + 1].name === ':') {
            entries.push({ key: inner(items[i]), value: inner(items[i + 2]) });
            i += 2;
          }
        }
        return { kind: 'dict', entries, from, to };
      }
      case 'ArrayComprehensionExpression':
        return this.comprehension('list', parts, node, depth);
      case 'SetComprehensionExpression':
        return this.comprehension('set', parts, node, depth);
      case 'DictionaryComprehensionExpression':
        return this.comprehension('dict', parts, node, depth);
      case 'ComprehensionExpression':
        return this.comprehension('generator', parts, node, depth);
      case 'BinaryExpression': {
        if (parts.length < 3) return unknown;
        const operator = this.text.slice(parts[1].from, parts[parts.length - 2].to);
        return { kind: 'binary', operator, left: inner(parts[0]), right: inner(parts[parts.length - 1]), from, to };
      }
      case 'UnaryExpression':
        return {
          kind: 'unary',
          operator: this.textOf(parts[0]),
          operand: inner(parts[parts.length - 1]),
          from,
          to,
        };
      case 'ConditionalExpression': {
        const [then, test, otherwise] = parts.filter((part) => part.name !== 'if' && part.name !== 'else') as (
          | SyntaxPart
          | undefined
        )[];
        return { kind: 'conditional', then: inner(then), test: inner(test), otherwise: inner(otherwise), from, to };
      }
      case 'LambdaExpression': {
        const params = parts.find((part) => part.name === 'ParamList');
        return {
          kind: 'lambda',
          params: params === undefined ? [] : this.params(params, depth + 1),
          body: inner(parts[parts.length - 1]),
          from,
          to,
        };
      }
      case 'NamedExpression':
        return { kind: 'walrus', target: inner(parts[0]), value: inner(parts[parts.length - 1]), from, to };
      case 'AwaitExpression':
        return { kind: 'await', value: inner(parts[parts.length - 1]), from, to };
      case 'YieldExpression':
      case 'YieldStatement': {
        const values = parts.filter((part) => part.name !== 'yield' && part.name !== 'from');
        return { kind: 'yield', value: values.length === 0 ? null : this.sequence(values, depth + 1), from, to };
      }
    }
    return unknown;
  }

  /** The bounds in a subscript's brackets. */
  private slice(parts: readonly SyntaxPart[], depth: number): (Expression & { kind: 'subscript' })['slice'] {
    const colon = parts.findIndex((part) => part.name === ':');
    if (colon < 0) return null;
    const before = parts[colon - 1] as SyntaxPart | undefined;
    const behind = parts[colon + 1] as SyntaxPart | undefined;
    const bound = (part: SyntaxPart | undefined): Expression | null =>
      part === undefined || /^[[\],:]$/.test(part.name) ? null : this.read(part, depth);
    return { start: bound(before), end: bound(behind) };
  }

  /** Expressions with commas between them: one, or a tuple. */
  sequence(parts: readonly SyntaxPart[], depth = 0): Expression {
    const items = this.list(parts, depth);
    const from = parts.length === 0 ? 0 : parts[0].from;
    const to = parts.length === 0 ? 0 : parts[parts.length - 1].to;
    if (items.length === 1 && !parts.some((part) => part.name === ',')) return items[0];
    return items.length === 0 ? { kind: 'unknown', from, to } : { kind: 'display', type: 'tuple', items, from, to };
  }

  /** The expressions among the parts, those behind a star as such. */
  list(parts: readonly SyntaxPart[], depth = 0): Expression[] {
    const items: Expression[] = [];
    for (let i = 0; i < parts.length; i++) {
      const { name } = parts[i];
      if (/^[()[\]{},:]$/.test(name)) continue;
      if (name === '*' || name === '**') {
        const starred = parts[++i] as SyntaxPart | undefined;
        if (starred !== undefined) {
          items.push({ kind: 'star', value: this.read(starred, depth + 1), from: starred.from, to: starred.to });
        }
      } else items.push(this.read(parts[i], depth + 1));
    }
    return items;
  }

  args(list: SyntaxPart, depth: number): Argument[] {
    const inside = list.parts.slice(1).filter((part) => part.name !== ')');
    // `sum(w * x for w, x in pairs)`: a generator without parentheses is the only argument, and may have commas.
    if (inside.some((part) => part.name === 'for'))
      return [{ name: null, star: '', value: this.comprehension('generator', inside, list, depth) }];
    const args: Argument[] = [];
    for (const parts of splitAtCommas(inside)) {
      if (parts.length === 0) continue;
      const [first] = parts;
      if (first.name === '*' || first.name === '**') {
        if (parts.length > 1) args.push({ name: null, star: first.name, value: this.read(parts[1], depth + 1) });
      } else if (parts.length > 2 && parts[1].name === 'AssignOp') {
        const named = this.textOf(parts[1]) === '=';
        args.push({ name: named ? this.textOf(first) : null, star: '', value: this.read(parts[2], depth + 1) });
      } else args.push({ name: null, star: '', value: this.read(first, depth + 1) });
    }
    return args;
  }

  params(list: SyntaxPart, depth = 0): Parameter[] {
    const params: Parameter[] = [];
    for (const group of splitAtCommas(list.parts)) {
      const star = group.find((part) => part.name === '*' || part.name === '**')?.name;
      const name = group.find((part) => part.name === 'VariableName');
      if (name === undefined) continue;
      const assign = group.findIndex((part) => part.name === 'AssignOp');
      const value = assign < 0 ? undefined : (group[assign + 1] as SyntaxPart | undefined);
      params.push({
        name: this.textOf(name),
        star: star === '*' || star === '**' ? star : '',
        value: value === undefined ? null : this.read(value, depth + 1),
      });
    }
    return params;
  }

  private comprehension(
    type: Comprehension['type'],
    parts: readonly SyntaxPart[],
    { from, to }: Span,
    depth: number,
  ): Expression {
    const firstFor = parts.findIndex((part) => part.name === 'for');
    if (firstFor < 0 || depth > DEEPEST) return { kind: 'unknown', from, to };
    const elements = this.list(
      parts.slice(0, firstFor).filter((part) => part.name !== 'async'),
      depth + 1,
    );
    const clauses: { target: Expression; iterable: Expression }[] = [];
    for (let at = firstFor; at < parts.length; at++) {
      if (parts[at].name !== 'for') continue;
      const into = parts.findIndex((part, i) => i > at && part.name === 'in');
      if (into < 0 || into + 1 >= parts.length) break;
      clauses.push({
        target: this.sequence(parts.slice(at + 1, into), depth + 1),
        iterable: this.read(parts[into + 1], depth + 1),
      });
    }
    return { kind: 'comprehension', type, elements, clauses, from, to };
  }
}

function splitAtCommas(parts: readonly SyntaxPart[]): SyntaxPart[][] {
  const groups: SyntaxPart[][] = [[]];
  for (const part of parts) {
    if (part.name === ',') groups.push([]);
    else groups[groups.length - 1].push(part);
  }
  return groups;
}
