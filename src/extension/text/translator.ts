/** The part of `vscode.l10n` that texts are made with, so that modules without `vscode` can make them too. */
export interface Translator {
  /** @param message English text with `{0}`, `{1}` … for the arguments */
  t(message: string, ...args: (string | number | boolean)[]): string;
}
