import * as vscode from 'vscode';
import { Listener } from '../disposer.js';
import type { MarkedLines } from '../marks/markedLines.js';
import type { SourcePlace } from '../workspace/openSource.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';

/** Follows the cursor of the last used Python editor: the timeline outlines the memory of its line. */
export class EditorCursor extends Listener {
  private readonly moved = new vscode.EventEmitter<void>();
  private current: SourcePlace | null = null;

  /** Fires when the cursor is on another line. */
  readonly onMove = this.moved.event;

  constructor(
    private readonly files: PythonFiles,
    private readonly lines: MarkedLines,
  ) {
    super();
    this.subscriptions = [
      this.moved,
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.follow(textEditor)),
      vscode.window.onDidChangeActiveTextEditor((editor) => this.follow(editor)),
    ];
    this.follow(vscode.window.activeTextEditor);
  }

  /** Where it is, in the words of the report. */
  get place(): SourcePlace | null {
    return this.current;
  }

  private follow(editor: vscode.TextEditor | undefined): void {
    // The timeline itself has the focus while the user looks at it: the last editor still counts.
    if (editor?.document.languageId !== 'python') return;
    const { document, selection } = editor;
    const file = this.files.path(document.uri);
    const line = this.lines.recorded(document, selection.active.line + 1);
    if (file === this.current?.file && line === this.current.line) return;
    this.current = { file, line };
    this.moved.fire();
  }
}
