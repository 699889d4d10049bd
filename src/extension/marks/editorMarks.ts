import * as vscode from 'vscode';
import { staleText } from '../../core/present/presented.js';
import type { CompareLine } from '../../core/report/report.js';
import { Listener } from '../disposer.js';
import type { AskingMark } from '../results/askingMarks.js';
import { holdsOthers, type FindingMark } from '../results/findingMarks.js';
import { byFile, isInEditor, isOfOtherText, weightOf, type LineMark } from '../results/lineMarks.js';
import type { ResultsStore } from '../results/resultsStore.js';
import { markLimits, type MarkSettings } from '../settings.js';
import { CELL_SCHEME } from '../notebooks/notebookCells.js';
import { globMatcher } from '../watch/globPattern.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';
import { SinceEdits } from './sinceEdits.js';
import type { MarkedLines, MarkedPlace } from './markedLines.js';
import type { MarkSwitch } from './markSwitch.js';

/** An item of the report with the current place of its line. */
interface Placed<T> {
  readonly item: T;
  readonly place: MarkedPlace;
}

/** The mark of a line. */
interface MarkAt {
  readonly finding: FindingMark;
  /** Null for a statement that holds memory of others. */
  readonly mark: LineMark | null;
  readonly place: MarkedPlace;
}

/** The marks of one version of a document. */
interface Entry {
  readonly version: number;
  readonly leaks: readonly Placed<LineMark>[];
  readonly growth: readonly Placed<CompareLine>[];
  readonly holders: readonly Placed<FindingMark>[];
  readonly asking: readonly Placed<AskingMark>[];
}

const NONE: readonly never[] = [];

/**
 * The marks of a document, for all surfaces. The index is ready before each change event. Lists stay identical until a
 * change.
 */
export class EditorMarks extends Listener {
  private readonly changedEmitter = new vscode.EventEmitter<void>();
  private readonly movedEmitter = new vscode.EventEmitter<void>();
  private readonly edits: SinceEdits;
  private readonly index = new Map<string, Entry>();
  private isWanted = limited();
  /** Statements that hold memory of other lines, by their file. */
  private holderIndex: ReadonlyMap<string, readonly FindingMark[]> = new Map();
  private findingIndex: ReadonlyMap<LineMark, FindingMark> = new Map();

  /** Marks, or their visibility, changed. */
  readonly onDidChange = this.changedEmitter.event;
  /** Marked lines were edited or moved. */
  readonly onDidMove = this.movedEmitter.event;

  constructor(
    private readonly store: ResultsStore,
    private readonly files: PythonFiles,
    private readonly marks: MarkSwitch,
    private readonly lines: MarkedLines,
  ) {
    super();
    const changed = (): void => {
      this.isWanted = limited();
      this.indexFindings();
      this.rebuild();
      this.changedEmitter.fire();
    };
    this.edits = new SinceEdits(files, lines);
    this.indexFindings();
    this.subscriptions = [
      this.edits,
      this.changedEmitter,
      this.movedEmitter,
      store.onDidChange(changed),
      marks.onDidChange(changed),
      files.onDidChange(() => this.rebuild()),
      lines.onDidMove(() => {
        this.rebuild();
        this.movedEmitter.fire();
      }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        // The edited statement may hold memory of a line in another file.
        if (document.languageId === 'python') this.index.clear();
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.index.delete(uri.toString())),
    ];
  }

  get shown(): MarkSettings {
    return this.marks.shown;
  }

  /** The earlier snapshot of the current comparison. Its growth replaces leaks. */
  get comparedWith(): string | null {
    return this.store.comparison?.report.a.path ?? null;
  }

  /** Marks of a document, none while two snapshots are compared. */
  leaksIn(document: vscode.TextDocument): readonly Placed<LineMark>[] {
    return this.entryOf(document).leaks;
  }

  /** Statements of a document that hold memory of other lines; none during a comparison. */
  holdersIn(document: vscode.TextDocument): readonly Placed<FindingMark>[] {
    return this.entryOf(document).holders;
  }

  /** What marks a line: the statement to change, else one that allocates. */
  markAt(document: vscode.TextDocument, line: number): MarkAt | undefined {
    const isHere = ({ place }: Placed<unknown>): boolean => place.line === line;
    const holder = this.holdersIn(document).find(isHere);
    if (holder !== undefined) return { finding: holder.item, mark: null, place: holder.place };
    const leak = this.leaksIn(document).find(isHere);
    const finding = leak && this.findingOf(leak.item);
    return finding && { finding, mark: leak.item, place: leak.place };
  }

  findingAt(document: vscode.TextDocument, line: number): FindingMark | undefined {
    return this.markAt(document, line)?.finding;
  }

  findingOf(mark: LineMark): FindingMark | undefined {
    return this.findingIndex.get(mark);
  }

  /** True if the line itself or the statement that holds its memory was edited since. */
  isEdited(mark: LineMark): boolean {
    return mark.mapped && (this.edits.isLineEdited(mark) || this.isHolderEdited(mark));
  }

  /** True if the statement to change was edited since, or all lines that allocate, or a fixed run was recorded. */
  isFindingEdited({ parts, lines }: FindingMark): boolean {
    return (
      parts.every(({ run }) => this.store.isAnswered(run)) ||
      this.edits.isHolderEdited(parts[0].finding.holder) ||
      lines.every((mark) => mark.mapped && this.edits.isLineEdited(mark))
    );
  }

  /** True if the line may differ from the one that ran: the file is a different version. */
  isOtherVersion(mark: LineMark): boolean {
    return mark.mapped && (this.edits.isOtherVersion(mark) ?? isOfOtherText(mark));
  }

  /** Says in a few words that a line may differ from the one that ran; null if it does not, or has no mark. */
  staleAt({ file, line }: { readonly file: string; readonly line: number }): string | null {
    const mark = this.store.marksOf(file).find((one) => one.line === line);
    if (mark === undefined) return null;
    const [isEdited, isOther] = [this.isEdited(mark), this.isOtherVersion(mark)];
    return staleText({ edited: isEdited || isOther, otherVersion: !isEdited });
  }

  /** Leaking findings that were not edited since they ran, also outside the workspace. */
  get leaks(): FindingMark[] {
    return this.store.findings.filter((finding) => finding.tone === 'leak' && !this.isFindingEdited(finding));
  }

  /** The part of {@link leaks} in files of the workspace that are marked. */
  get shownLeaks(): FindingMark[] {
    return this.leaks.filter((finding) => finding.mapped && this.isWanted(finding.lines[0], finding.file));
  }

  /** The current place of a recorded line; null if the document never had it. */
  placeOf(document: vscode.TextDocument, line: number): MarkedPlace | null {
    return this.lines.place(document, line);
  }

  /** Lines of a document that ran out of memory; none during a comparison. */
  askingIn(document: vscode.TextDocument): readonly Placed<AskingMark>[] {
    return this.entryOf(document).asking;
  }

  /** Lines of all files of the workspace that ran out of memory; none during a comparison. */
  get asking(): readonly AskingMark[] {
    return this.store.asking;
  }

  /** Growth between the two snapshots that are compared. */
  growthIn(document: vscode.TextDocument): readonly Placed<CompareLine>[] {
    return this.entryOf(document).growth;
  }

  /** True if marks are hidden, or for the old side of a diff editor: its lines did not run. */
  isHiddenIn(editor: vscode.TextEditor): boolean {
    if (this.marks.isOff) return true;
    // Editors of cells are in no column of their own, but in their notebook.
    if (editor.document.uri.scheme === CELL_SCHEME) return isComparingNotebooks();
    const group = vscode.window.tabGroups.all.find(({ viewColumn }) => viewColumn === editor.viewColumn);
    return editor.viewColumn === undefined || group?.activeTab?.input instanceof vscode.TabInputTextDiff;
  }

  /** True for Python files of the workspace: others have no marks. */
  isMine(document: vscode.TextDocument): boolean {
    return this.pathOf(document) !== null;
  }

  /** True if a document of this name is open, whose edits are known at once. */
  isOpen(file: string): boolean {
    return this.edits.isOpen(file);
  }

  /** True if a file of the workspace can be opened under this name. */
  canOpen(file: string): boolean {
    return this.files.uri(file) !== undefined;
  }

  private indexFindings(): void {
    const { findings } = this.store;
    this.findingIndex = new Map(findings.flatMap((finding) => finding.lines.map((mark) => [mark, finding] as const)));
    this.holderIndex = byFile(
      findings.filter(
        (finding) =>
          finding.mapped &&
          finding.lines.some(isInEditor) &&
          holdsOthers(finding) &&
          this.isWanted(finding.lines[0], finding.file),
      ),
    );
  }

  private isHolderEdited(mark: LineMark): boolean {
    const isAnswered = mark.parts.every(({ run }) => this.store.isAnswered(run));
    return isAnswered || this.edits.isHolderEdited(mark.parts[0].line.holder);
  }

  /** Starts again with the visible editors. */
  private rebuild(): void {
    this.index.clear();
    for (const { document } of vscode.window.visibleTextEditors) this.entryOf(document);
  }

  private entryOf(document: vscode.TextDocument): Entry {
    const key = document.uri.toString();
    const known = this.index.get(key);
    if (known?.version === document.version) return known;
    const entry = this.read(document);
    if (this.isMine(document)) this.index.set(key, entry);
    return entry;
  }

  private read(document: vscode.TextDocument): Entry {
    const { version } = document;
    const path = this.pathOf(document);
    const none = { version, leaks: NONE, growth: NONE, holders: NONE, asking: NONE };
    if (path === null) return none;
    const { comparison } = this.store;
    if (comparison !== null) {
      return { ...none, growth: this.placed(document, comparison.byFile.get(path) ?? NONE) };
    }
    // A run that was recorded after a fix replaces the run before it.
    const isCurrent = ({ parts }: LineMark | FindingMark): boolean =>
      !parts.every(({ run }) => this.store.isAnswered(run));
    const wanted = this.store.marksOf(path).filter((mark) => isCurrent(mark) && this.isWanted(mark, path));
    const leaks = this.placed(document, wanted).map(({ item, place }) => ({
      item,
      place: this.isHolderEdited(item) ? { ...place, edited: true, holderEdited: true } : place,
    }));
    const holding = (this.holderIndex.get(path) ?? NONE).filter(isCurrent);
    const holders = this.placed(document, holding).map(({ item, place }) => ({
      item,
      place: this.isFindingEdited(item) ? { ...place, edited: true } : place,
    }));
    const asking = this.placed(
      document,
      this.store.asking.filter(({ file }) => file === path),
    );
    return { version, leaks, growth: NONE, holders, asking };
  }

  private placed<T extends { readonly line: number }>(document: vscode.TextDocument, lines: readonly T[]): Placed<T>[] {
    return lines.flatMap((item) => {
      const place = this.lines.place(document, item.line);
      return place === null ? [] : [{ item, place }];
    });
  }

  /** The document's name in reports; null if it is not a Python file of the workspace. */
  private pathOf(document: vscode.TextDocument): string | null {
    return document.languageId === 'python' ? this.files.nameOf(document.uri) : null;
  }
}

function isComparingNotebooks(): boolean {
  return vscode.window.tabGroups.all.some(({ activeTab }) => activeTab?.input instanceof vscode.TabInputNotebookDiff);
}

/** Selects the marks that the settings show, by file. */
function limited(): (mark: LineMark, file: string) => boolean {
  const { minimumBytes, exclude } = markLimits();
  const matches = globMatcher(exclude);
  const known = new Map<string, boolean>();
  const isExcluded = (file: string): boolean => {
    const answer = known.get(file) ?? matches(file);
    known.set(file, answer);
    return answer;
  };
  return ({ parts }, file) => weightOf(parts[0].line) >= minimumBytes && !isExcluded(file);
}
