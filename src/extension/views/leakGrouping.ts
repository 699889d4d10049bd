import * as vscode from 'vscode';
import { ContextKey } from '../contributions.js';

const GROUPINGS = ['holder', 'line', 'file'] as const;
/** Grouping: by the statement that holds the memory, by line, or by file. */
export type Grouping = (typeof GROUPINGS)[number];

const STATE_KEY = 'leakline.grouping';

/** The grouping of the Leaks view, stored in the workspace. */
export class LeakGrouping implements vscode.Disposable {
  private readonly changedEmitter = new vscode.EventEmitter<void>();

  readonly onDidChange = this.changedEmitter.event;

  constructor(private readonly state: vscode.Memento) {
    this.update();
  }

  get current(): Grouping {
    const stored = this.state.get<unknown>(STATE_KEY);
    return GROUPINGS.find((grouping) => grouping === stored) ?? 'holder';
  }

  async set(grouping: Grouping): Promise<void> {
    await this.state.update(STATE_KEY, grouping);
    this.update();
    this.changedEmitter.fire();
  }

  dispose(): void {
    this.changedEmitter.dispose();
  }

  /** Menus offer only the other groupings. */
  private update(): void {
    void vscode.commands.executeCommand('setContext', ContextKey.grouping, this.current);
  }
}
