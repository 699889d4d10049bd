import type { Expression, Span } from '../../python/ast.js';
import type { PythonModule } from '../../python/pythonModule.js';
import type { Home } from '../values/objects.js';

/** An expression's source on one line, shortened. */
export function sourceText(module: PythonModule, span: Expression | Span, max = 60): string {
  const text = module.text.slice(span.from, span.to).replace(/\s+/g, ' ').trim();
  return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}

/** True for an expression that creates an unnamed value. */
export function isMade(span: Span | null): boolean {
  return span !== null && 'kind' in span && /^(?:display|dict|call)$/.test(String(span.kind));
}

/** A literal key as one text, however it is quoted. */
export function keyOf(key: Expression & { kind: 'literal' }): string {
  return key.type === 'string'
    ? `'${key.text.replace(/^[a-zA-Z]*(?:'''|"""|['"])|(?:'''|"""|['"])$/g, '')}'`
    : key.text;
}

/** The name of an expression that holds a container. */
export function homeOf(module: PythonModule, expression: Expression): Home {
  return { holder: sourceText(module, expression), attribute: attributeName(expression) };
}

/** The attribute that an expression ends in: `rows` of `self.rows`. */
export function attributeName(expression: Expression): string | null {
  if (expression.kind === 'attribute') return expression.name;
  return expression.kind === 'subscript' ? attributeName(expression.value) : null;
}
