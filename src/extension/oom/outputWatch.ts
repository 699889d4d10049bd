/** Output of programs in terminals, notebooks and debuggers: passed on where memory ran out. Loaded with the window. */
import * as vscode from 'vscode';
import type { Microseconds } from '../../core/model/units.js';
import { Listener } from '../disposer.js';
import { explainsOutput } from '../settings.js';
import { RecentText, cellErrorText, exceptionText, hasFailure } from './programOutput.js';

/** A program's output that holds an out-of-memory message. */
export interface FailedOutput {
  /** Identifies the terminal, cell or session: its next failure replaces this one. */
  readonly source: string;
  readonly text: string;
  /** Null if unknown. */
  readonly writtenAtUs: Microseconds | null;
  /** The path of the log with this text. */
  readonly log?: string;
  /** True if it was written before the window opened: sources may have changed since. */
  readonly isEarlier?: boolean;
  /** What ran it in a terminal. */
  readonly command?: string;
  /** Addresses of a notebook's cells, by the number of their execution. */
  readonly cells?: ReadonlyMap<number, string>;
}

export interface OutputListener {
  failed(output: FailedOutput): void;
  /** The program that failed earlier ran without an error. */
  succeeded(source: string): void;
}

/** How long to wait for the end of a message, in milliseconds. */
const GATHER_MS = 300;
/** Maximum number of failures of one command that are looked at: a program may go on after each of thousands. */
const MAX_FAILURES = 32;
/** Errors of a cell are shorter. */
const MAX_ERROR_BYTES = 4 << 20;
const CELL_ERROR = 'application/vnd.code.notebook.error';

export class OutputWatch extends Listener {
  private readonly terminals = new WeakMap<vscode.Terminal, { readonly source: string; failing: string | null }>();
  private count = 0;

  constructor(private readonly listener: OutputListener) {
    super();
    const { window, workspace, debug } = vscode;
    this.subscriptions = [
      window.onDidStartTerminalShellExecution(({ terminal, execution }) => {
        if (explainsOutput()) void this.read(terminal, execution);
      }),
      window.onDidEndTerminalShellExecution(({ terminal, execution, exitCode }) => {
        const known = this.terminals.get(terminal);
        if (known === undefined || exitCode !== 0 || known.failing !== execution.commandLine.value) return;
        known.failing = null;
        listener.succeeded(known.source);
      }),
      workspace.onDidChangeNotebookDocument(({ notebook, cellChanges }) => {
        for (const { cell, outputs } of cellChanges) if (outputs !== undefined) this.cellChanged(notebook, cell);
      }),
      debug.registerDebugAdapterTrackerFactory('debugpy', {
        createDebugAdapterTracker: ({ id }) => ({
          onDidSendMessage: (message: unknown) => {
            const text = exceptionText(message);
            if (text !== null && hasFailure(text) && explainsOutput())
              listener.failed({ source: `debugger ${id}`, text, writtenAtUs: nowUs() });
          },
        }),
      }),
    ];
  }

  private async read(terminal: vscode.Terminal, execution: vscode.TerminalShellExecution): Promise<void> {
    const recent = new RecentText();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;
    const tell = (): void => {
      timer = undefined;
      const known = this.terminals.get(terminal) ?? { source: `terminal ${++this.count}`, failing: null };
      const command = execution.commandLine.value;
      known.failing = command;
      this.terminals.set(terminal, known);
      this.listener.failed({ source: known.source, text: recent.text, writtenAtUs: nowUs(), command });
    };
    for await (const data of execution.read()) {
      if (!recent.add(data) || timer !== undefined || failures >= MAX_FAILURES) continue;
      failures++;
      timer = setTimeout(tell, GATHER_MS);
    }
    if (timer === undefined) return;
    clearTimeout(timer);
    tell();
  }

  private cellChanged(notebook: vscode.NotebookDocument, cell: vscode.NotebookCell): void {
    const source = cell.document.uri.toString();
    if (cell.outputs.length === 0) {
      this.listener.succeeded(source);
      return;
    }
    const error = cell.outputs.flatMap(({ items }) => items).find(({ mime }) => mime === CELL_ERROR);
    if (error === undefined || error.data.byteLength > MAX_ERROR_BYTES) return;
    const text = cellErrorText(new TextDecoder().decode(error.data));
    if (!hasFailure(text) || !explainsOutput()) return;
    const cells = notebook.getCells().flatMap(({ document, executionSummary }) => {
      const order = executionSummary?.executionOrder;
      return order === undefined ? [] : [[order, document.uri.toString()] as const];
    });
    this.listener.failed({ source, text, writtenAtUs: nowUs(), cells: new Map(cells) });
  }
}

function nowUs(): Microseconds {
  return Date.now() * 1000;
}
