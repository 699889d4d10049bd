import * as vscode from 'vscode';
import { Setting } from '../contributions.js';
import { affects, markSettings, type MarkSettings } from '../settings.js';

const HIDDEN_KEY = 'leakline.marksHidden';
const ALL_OFF: MarkSettings = { codeLens: false, endOfLine: false, overviewRuler: false, hover: false };

/** Which marks show: the settings, and one switch over all of them that the workspace remembers. */
export class MarkSwitch implements vscode.Disposable {
  private readonly changedEmitter = new vscode.EventEmitter<void>();
  private readonly subscription: vscode.Disposable;

  readonly onDidChange = this.changedEmitter.event;

  constructor(private readonly state: vscode.Memento) {
    this.subscription = vscode.workspace.onDidChangeConfiguration((event) => {
      const mine = [Setting.marksCodeLens, Setting.marksEndOfLine, Setting.marksOverviewRuler, Setting.marksHover];
      if (mine.some((name) => affects(event, name))) this.changedEmitter.fire();
    });
  }

  get shown(): MarkSettings {
    return this.state.get<boolean>(HIDDEN_KEY, false) ? ALL_OFF : markSettings();
  }

  /** @returns true if marks show now */
  async toggle(): Promise<boolean> {
    const hidden = !this.state.get<boolean>(HIDDEN_KEY, false);
    await this.state.update(HIDDEN_KEY, hidden);
    this.changedEmitter.fire();
    return !hidden;
  }

  dispose(): void {
    this.subscription.dispose();
    this.changedEmitter.dispose();
  }
}
