import type { Translator } from '../../../../src/extension/text/translator.js';

/** English as it stands, arguments filled in: what `vscode.l10n` does without a bundle. */
export const plainText: Translator = {
  t: (message, ...args) => message.replace(/\{(\d+)\}/g, (_, index: string) => String(args[Number(index)])),
};
