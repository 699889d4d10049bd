import * as vscode from 'vscode';
import { sentenceOf } from '../text/fileSentence.js';

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
