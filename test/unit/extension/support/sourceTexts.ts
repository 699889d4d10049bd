/** The English texts that the sources give to a translator: `t('…')` in the webview, `l10n.t('…')` in the extension, `t('…')` in the core. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

export interface SourceTexts {
  /** Every text, with the first file that has it. */
  readonly texts: ReadonlyMap<string, string>;
  /** Calls whose text cannot be known from the source, or that are made before the language is known, as `file:line`. */
  readonly unknown: readonly string[];
}

/** @param folders of TypeScript sources, relative to the root */
export function sourceTexts(root: string, folders: readonly string[]): SourceTexts {
  const texts = new Map<string, string>();
  const unknown: string[] = [];
  for (const path of folders.flatMap((folder) => sourceFiles(join(root, folder)))) {
    const file = relative(root, path);
    const source = parsed(path);
    visit(source, (node) => {
      if (!isTranslation(node)) return;
      const found = messagesOf(node).map(constantText);
      const isEarly = translatorOf(node) !== 't' && !ancestors(node).some(ts.isFunctionLike);
      if (found.length === 0 || found.includes(null) || isEarly) unknown.push(`${file}:${lineOf(source, node)}`);
      for (const text of found) if (text !== null && !texts.has(text)) texts.set(text, file);
    });
  }
  return { texts, unknown };
}

/** Words in a file's literals that go through no translator, as `line: text`. Types, imports and names of places are not words. */
export function untranslated(path: string): string[] {
  const source = parsed(path);
  const found: string[] = [];
  visit(source, (node) => {
    if (!ts.isStringLiteralLike(node) && !isTemplatePart(node)) return;
    if (!/\p{L}{2}/u.test(node.text)) return;
    const isText = ancestors(node).every((above) => !isTranslation(above) && !isNoText(above));
    if (isText) found.push(`${lineOf(source, node)}: ${node.text}`);
  });
  return found;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && entry.name !== 'translate.ts')
    .map((entry) => join(entry.parentPath, entry.name));
}

function parsed(path: string): ts.SourceFile {
  return ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
}

function visit(node: ts.Node, see: (node: ts.Node) => void): void {
  see(node);
  ts.forEachChild(node, (child) => {
    visit(child, see);
  });
}

function ancestors(node: ts.Node): ts.Node[] {
  const all: ts.Node[] = [];
  for (let above = node.parent; !ts.isSourceFile(above); above = above.parent) all.push(above);
  return all;
}

function lineOf(source: ts.SourceFile, node: ts.Node): number {
  return source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
}

/** Translators, and which of their arguments are texts. */
const TRANSLATORS: Readonly<Record<string, [from: number, to: number]>> = { t: [0, 1], tCount: [1, 3] };

function isTranslation(node: ts.Node): node is ts.CallExpression {
  return ts.isCallExpression(node) && translatorOf(node) !== null;
}

function translatorOf({ expression }: ts.CallExpression): string | null {
  if (ts.isPropertyAccessExpression(expression)) return expression.name.text === 't' ? 't' : null;
  return ts.isIdentifier(expression) && Object.hasOwn(TRANSLATORS, expression.text) ? expression.text : null;
}

function messagesOf(call: ts.CallExpression): readonly ts.Expression[] {
  const [from, to] = TRANSLATORS[translatorOf(call) ?? 't'];
  return call.arguments.slice(from, to);
}

/** The text of a literal, or of several that are added up; null for anything else. */
function constantText(node: ts.Expression): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return null;
  const [left, right] = [constantText(node.left), constantText(node.right)];
  return left === null || right === null ? null : left + right;
}

function isTemplatePart(node: ts.Node): node is ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail {
  return ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
}

function isNoText(node: ts.Node): boolean {
  return ts.isImportDeclaration(node) || ts.isTypeNode(node);
}
