/** Python source as a tree of statements and expressions: the grammar that shows how values are held. */

/** Offsets into the module's text, in UTF-16 units. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export type Expression =
  | Name
  | Attribute
  | Subscript
  | Call
  | Display
  | DictDisplay
  | Comprehension
  | Binary
  | Unary
  | Conditional
  | Lambda
  | Wrapped
  | Walrus
  | Literal
  | FormatText
  | Unknown;

export interface Name extends Span {
  readonly kind: 'name';
  readonly name: string;
}
export interface Attribute extends Span {
  readonly kind: 'attribute';
  readonly value: Expression;
  readonly name: string;
}
export interface Subscript extends Span {
  readonly kind: 'subscript';
  readonly value: Expression;
  readonly index: readonly Expression[];
  /** The parts before and after the first colon; null if empty. */
  readonly slice: { readonly start: Expression | null; readonly end: Expression | null } | null;
}
export interface Call extends Span {
  readonly kind: 'call';
  readonly callee: Expression;
  readonly args: readonly Argument[];
}
export interface Argument {
  readonly name: string | null;
  readonly star: '' | '*' | '**';
  readonly value: Expression;
}
/** `[a, b]`, `(a, b)`, `{a, b}`. */
export interface Display extends Span {
  readonly kind: 'display';
  readonly type: 'list' | 'tuple' | 'set';
  readonly items: readonly Expression[];
}
export interface DictDisplay extends Span {
  readonly kind: 'dict';
  /** A key of null is `**value`. */
  readonly entries: readonly { readonly key: Expression | null; readonly value: Expression }[];
}
export interface Comprehension extends Span {
  readonly kind: 'comprehension';
  readonly type: 'list' | 'set' | 'dict' | 'generator';
  /** The result of each round: a value, or key and value. */
  readonly elements: readonly Expression[];
  readonly clauses: readonly { readonly target: Expression; readonly iterable: Expression }[];
}
/** Arithmetic, comparison, `and`, `or`. */
export interface Binary extends Span {
  readonly kind: 'binary';
  readonly operator: string;
  readonly left: Expression;
  readonly right: Expression;
}
export interface Unary extends Span {
  readonly kind: 'unary';
  readonly operator: string;
  readonly operand: Expression;
}
export interface Conditional extends Span {
  readonly kind: 'conditional';
  readonly test: Expression;
  readonly then: Expression;
  readonly otherwise: Expression;
}
export interface Lambda extends Span {
  readonly kind: 'lambda';
  readonly params: readonly Parameter[];
  readonly body: Expression;
}
export interface Wrapped extends Span {
  readonly kind: 'await' | 'star' | 'yield';
  readonly value: Expression | null;
}
export interface Walrus extends Span {
  readonly kind: 'walrus';
  readonly target: Expression;
  readonly value: Expression;
}
export interface Literal extends Span {
  readonly kind: 'literal';
  readonly type: 'number' | 'string' | 'boolean' | 'none' | 'ellipsis';
  readonly text: string;
}
export interface FormatText extends Span {
  readonly kind: 'format';
  /** The expressions in braces. */
  readonly parts: readonly Expression[];
}
/** Unknown or too deeply nested syntax. */
export interface Unknown extends Span {
  readonly kind: 'unknown';
}

export interface Parameter {
  readonly name: string;
  readonly star: '' | '*' | '**';
  readonly value: Expression | null;
}

export type Statement =
  | Assignment
  | Update
  | ExpressionStatement
  | Return
  | Delete
  | If
  | While
  | For
  | With
  | Try
  | Match
  | FunctionDef
  | ClassDef
  | ScopeStatement
  | Import
  | OtherStatement;

export interface Assignment extends Span {
  readonly kind: 'assign';
  readonly targets: readonly Expression[];
  readonly value: Expression;
}
export interface Update extends Span {
  readonly kind: 'update';
  readonly target: Expression;
  readonly operator: string;
  readonly value: Expression;
}
export interface ExpressionStatement extends Span {
  readonly kind: 'expression';
  readonly value: Expression;
}
export interface Return extends Span {
  readonly kind: 'return';
  readonly value: Expression | null;
}
export interface Delete extends Span {
  readonly kind: 'delete';
  readonly targets: readonly Expression[];
}
export interface If extends Span {
  readonly kind: 'if';
  readonly branches: readonly { readonly test: Expression; readonly body: readonly Statement[] }[];
  readonly otherwise: readonly Statement[];
}
export interface While extends Span {
  readonly kind: 'while';
  readonly test: Expression;
  readonly body: readonly Statement[];
  readonly otherwise: readonly Statement[];
}
export interface For extends Span {
  readonly kind: 'for';
  readonly target: Expression;
  readonly iterable: Expression;
  readonly body: readonly Statement[];
  readonly otherwise: readonly Statement[];
}
export interface With extends Span {
  readonly kind: 'with';
  readonly items: readonly { readonly value: Expression; readonly target: Expression | null }[];
  readonly body: readonly Statement[];
}
export interface Try extends Span {
  readonly kind: 'try';
  readonly body: readonly Statement[];
  readonly handlers: readonly { readonly name: string | null; readonly body: readonly Statement[] }[];
  /** The bodies of `else` and `finally`. */
  readonly rest: readonly Statement[];
}
export interface Match extends Span {
  readonly kind: 'match';
  readonly subject: Expression;
  readonly bodies: readonly (readonly Statement[])[];
}
export interface FunctionDef extends Span {
  readonly kind: 'function';
  readonly name: string;
  readonly params: readonly Parameter[];
  readonly body: readonly Statement[];
  readonly decorators: readonly Expression[];
  readonly isGenerator: boolean;
}
export interface ClassDef extends Span {
  readonly kind: 'class';
  readonly name: string;
  readonly bases: readonly Expression[];
  /** Names that its body annotates, in order: a dataclass's parameters. */
  readonly fields: readonly string[];
  readonly body: readonly Statement[];
}
export interface ScopeStatement extends Span {
  readonly kind: 'scope';
  readonly type: 'global' | 'nonlocal';
  readonly names: readonly string[];
}
export interface Import extends Span {
  readonly kind: 'import';
  /** Dotted, with leading dots where relative; empty for `import x`. */
  readonly module: string;
  readonly names: readonly { readonly name: string; readonly as: string }[];
}
/** `pass`, `break`, `continue`, `raise`, `assert`, and unknown statements. */
export interface OtherStatement extends Span {
  readonly kind: 'other';
  readonly leaves: boolean;
  readonly values: readonly Expression[];
}
