const SIMPLE: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\', "'": "'", '"': '"' };

/** The text behind a Python string literal as `repr` writes it, in either quote; null if it is none. */
export function unquotePython(literal: string): string | null {
  const quote = literal[0];
  if ((quote !== "'" && quote !== '"') || literal.length < 2 || !literal.endsWith(quote)) return null;
  return literal
    .slice(1, -1)
    .replace(/\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.))/g, (whole: string, ...groups: unknown[]) => {
      const [byte, short, long, simple] = groups as (string | undefined)[];
      const code = byte ?? short ?? long;
      if (code !== undefined) {
        const value = Number.parseInt(code, 16);
        return value <= 0x10ffff ? String.fromCodePoint(value) : whole;
      }
      return SIMPLE[simple ?? ''] ?? whole;
    });
}
