import * as vscode from 'vscode';

export type CommandHandler = (...args: unknown[]) => unknown;

/** Registers commands. One that fails says so in one message; the log has the details. */
export function registerCommands(
  handlers: Readonly<Record<string, CommandHandler>>,
  log: vscode.LogOutputChannel,
): vscode.Disposable[] {
  return Object.entries(handlers).map(([id, handler]) =>
    vscode.commands.registerCommand(id, async (...args: unknown[]) => {
      try {
        return await handler(...args);
      } catch (error) {
        const sentence = sentenceOf(error);
        log.error(`${id}: ${sentence}`);
        void vscode.window.showErrorMessage(sentence);
        return undefined;
      }
    }),
  );
}

/** What went wrong, for people. */
function sentenceOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string') {
    return error.message;
  }
  return String(error);
}
