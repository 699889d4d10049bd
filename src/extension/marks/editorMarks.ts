import * as vscode from 'vscode';
import type { CompareLine } from '../../core/report/report.js';
import { disposeAll, type Disposer } from '../disposer.js';
import { weightOf, type LineMark } from '../results/lineMarks.js';
import type { ResultsStore } from '../results/resultsStore.js';
import { markLimits, type MarkSettings } from '../settings.js';
import { globMatcher } from '../watch/globPattern.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';
import { KeeperEdits } from './keeperEdits.js';
import type { MarkedLines, MarkedPlace } from './markedLines.js';
import type { MarkSwitch } from './markSwitch.js';

/** Something said of a line, and where that line is now. */
export interface Placed<T> {
  readonly said: T;
  readonly place: MarkedPlace;
}

/** What is said of the lines of a document. All surfaces of the editor ask here, so that they agree. */
export class EditorMarks implements vscode.Disposable {
  private readonly changedEmitter = new vscode.EventEmitter<void>();
  private readonly subscriptions: readonly Disposer[];
  private readonly keepers: KeeperEdits;

  /** Marks, or what shows of them, changed. */
  readonly onDidChange = this.changedEmitter.event;
  /** Marked lines were edited or moved. */
  readonly onDidMove: vscode.Event<void>;

  constructor(
    private readonly store: ResultsStore,
    private readonly files: PythonFiles,
    private readonly marks: MarkSwitch,
    private readonly lines: MarkedLines,
  ) {
    const changed = (): void => {
      this.changedEmitter.fire();
    };
    this.onDidMove = lines.onDidMove;
    this.keepers = new KeeperEdits(files, lines);
    this.subscriptions = [store.onDidChange(changed), marks.onDidChange(changed), this.changedEmitter];
  }

  get shown(): MarkSettings {
    return this.marks.shown;
  }

  /** The earlier snapshot of a comparison while there is one: its growth shows in the place of leaks. */
  get comparedWith(): string | null {
    return this.store.comparison?.report.a.path ?? null;
  }

  /** Marks of a document, none while two snapshots are compared. */
  leaksIn(document: vscode.TextDocument): Placed<LineMark>[] {
    if (this.store.comparison !== null) return [];
    return this.placed(document, (path) => this.store.marksOf(path).filter(limited())).map(({ said, place }) => ({
      said,
      place: this.isKeeperEdited(said) ? { ...place, edited: true, keeperEdited: true } : place,
    }));
  }

  /** True if the statement that keeps a line's memory was edited since: what leaked may leak no more. */
  isKeeperEdited(mark: LineMark): boolean {
    return this.keepers.isEdited(mark.parts[0].line.holder);
  }

  /** Lines that leak, in all files of the workspace. */
  get leaks(): LineMark[] {
    const isShown = limited();
    return this.store.marks.filter((mark) => mark.mapped && mark.tone === 'leak' && isShown(mark));
  }

  /** Where a recorded line of a document is now, null if it never had such a line. */
  placeOf(document: vscode.TextDocument, line: number): MarkedPlace | null {
    return this.lines.place(document, line);
  }

  /** Growth between the two snapshots that are compared. */
  growthIn(document: vscode.TextDocument): Placed<CompareLine>[] {
    return this.placed(document, (path) => this.store.comparison?.byFile.get(path) ?? []);
  }

  /** True for one side of a comparison of texts: its lines are not those of the run. */
  isHiddenIn(editor: vscode.TextEditor): boolean {
    if (this.shown.inDiffEditors) return false;
    const group = vscode.window.tabGroups.all.find(({ viewColumn }) => viewColumn === editor.viewColumn);
    return editor.viewColumn === undefined || group?.activeTab?.input instanceof vscode.TabInputTextDiff;
  }

  /** True for Python files of the workspace: others have no marks. */
  isMine(document: vscode.TextDocument): boolean {
    return this.pathOf(document) !== null;
  }

  /** True if a file of the workspace can be opened under this name. */
  canOpen(file: string): boolean {
    return this.files.uri(file) !== undefined;
  }

  dispose(): void {
    disposeAll(this.subscriptions);
  }

  private placed<T extends { readonly line: number }>(
    document: vscode.TextDocument,
    saidOf: (path: string) => readonly T[],
  ): Placed<T>[] {
    const path = this.pathOf(document);
    if (path === null) return [];
    return saidOf(path).flatMap((said) => {
      const place = this.lines.place(document, said.line);
      return place === null ? [] : [{ said, place }];
    });
  }

  /** The name that reports give a document, null if it is no Python file of the workspace. */
  private pathOf(document: vscode.TextDocument): string | null {
    if (document.languageId !== 'python') return null;
    const path = this.files.path(document.uri);
    return this.files.uri(path)?.toString() === document.uri.toString() ? path : null;
  }
}

/** True for marks that the user wants to see in the editor. */
function limited(): (mark: LineMark) => boolean {
  const { minimumBytes, exclude } = markLimits();
  const isExcluded = globMatcher(exclude);
  return ({ file, parts }) => weightOf(parts[0].line) >= minimumBytes && !isExcluded(file);
}
