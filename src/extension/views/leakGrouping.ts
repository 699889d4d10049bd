import * as vscode from 'vscode';
import { ContextKey } from '../contributions.js';
import { GROUPINGS, type Grouping } from './leakNodes.js';

const STATE_KEY = 'leakline.grouping';

/** How the rows of the Leaks view are gathered; the workspace remembers it. */
export class LeakGrouping implements vscode.Disposable {
  private readonly changedEmitter = new vscode.EventEmitter<void>();

  readonly onDidChange = this.changedEmitter.event;

  constructor(private readonly state: vscode.Memento) {
    this.tell();
  }

  get current(): Grouping {
    const stored = this.state.get<unknown>(STATE_KEY);
    return GROUPINGS.find((grouping) => grouping === stored) ?? 'holder';
  }

  async set(grouping: Grouping): Promise<void> {
    await this.state.update(STATE_KEY, grouping);
    this.tell();
    this.changedEmitter.fire();
  }

  dispose(): void {
    this.changedEmitter.dispose();
  }

  /** Menus offer the other ways only. */
  private tell(): void {
    void vscode.commands.executeCommand('setContext', ContextKey.grouping, this.current);
  }
}
