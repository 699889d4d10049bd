import * as vscode from 'vscode';
import { SETTINGS_SECTION } from '../contributions.js';
import { Listener } from '../disposer.js';
import { marksWhileDebugging, markSettings, type MarkSettings } from '../settings.js';

const HIDDEN_KEY = 'leakline.marksHidden';
const ALL_OFF: MarkSettings = {
  codeLens: false,
  endOfLine: false,
  gutter: false,
  hover: false,
  problems: false,
};

/** Visibility of marks: the settings, one switch for all that the workspace stores, and the debugger. */
export class MarkSwitch extends Listener {
  private readonly changedEmitter = new vscode.EventEmitter<void>();
  private readonly debugging = new Set<string>();
  private current: MarkSettings;

  readonly onDidChange = this.changedEmitter.event;

  constructor(private readonly state: vscode.Memento) {
    super();
    const changed = (): void => this.changed();
    const already = vscode.debug.activeDebugSession;
    if (already !== undefined) this.debugging.add(already.id);
    this.subscriptions = [
      this.changedEmitter,
      vscode.debug.onDidStartDebugSession(({ id }) => {
        this.debugging.add(id);
        changed();
      }),
      vscode.debug.onDidTerminateDebugSession(({ id }) => {
        this.debugging.delete(id);
        changed();
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (MARK_SECTIONS.some((section) => event.affectsConfiguration(section))) changed();
      }),
    ];
    this.current = this.read();
  }

  /** The shown marks. They are computed on change, because every lens reads them. */
  get shown(): MarkSettings {
    return this.current;
  }

  get isOff(): boolean {
    return this.current === ALL_OFF;
  }

  /** @returns true if marks show now */
  async toggle(): Promise<boolean> {
    const hidden = !this.state.get<boolean>(HIDDEN_KEY, false);
    await this.state.update(HIDDEN_KEY, hidden);
    this.changed();
    return !hidden;
  }

  /** A program that is debugged ran out of memory: its line matters more than a calm editor. */
  showWhileDebugging(): void {
    if (this.debugging.size === 0) return;
    this.debugging.clear();
    this.changed();
  }

  private changed(): void {
    this.current = this.read();
    this.changedEmitter.fire();
  }

  private read(): MarkSettings {
    const disturbs = this.debugging.size > 0 && !marksWhileDebugging();
    return disturbs || this.state.get<boolean>(HIDDEN_KEY, false) ? ALL_OFF : markSettings();
  }
}

const MARK_SECTIONS = [`${SETTINGS_SECTION}.marks`, `${SETTINGS_SECTION}.problems`];
