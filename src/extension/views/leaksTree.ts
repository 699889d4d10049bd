import * as vscode from 'vscode';
import type { LineReport, ProcessFinding } from '../../core/report/report.js';
import { processTitle } from '../../core/present/processTitle.js';
import { listed, presentFinding, presentLine, staleText } from '../../core/present/presented.js';
import { deviceName } from '../../core/text/deviceName.js';
import { byteText } from '../../core/text/numberText.js';
import { tCount } from '../../core/text/translate.js';
import { Color, Command, RowKind } from '../contributions.js';
import type { EditorMarks } from '../marks/editorMarks.js';
import { holdsOthers, type FindingMark } from '../results/findingMarks.js';
import { linesByFile, type LineMark, type LinesOfFile, type MarkTone } from '../results/lineMarks.js';
import type { ResultsStore } from '../results/resultsStore.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';
import { unmappedFiles } from '../workspace/recordedFolders.js';
import type { LeakGrouping } from './leakGrouping.js';
import { peakRows } from './peakRows.js';
import { fileNames, itemOf, openCommand, rowOf, RowTree, stackRow, type Row } from './rows.js';

const ICONS: Record<MarkTone, { icon: string; color: string | null }> = {
  leak: { icon: 'arrow-up', color: Color.leak },
  cycle: { icon: 'sync', color: Color.cycle },
  growth: { icon: 'arrow-up', color: Color.growth },
  growing: { icon: 'watch', color: null },
};

/** Findings, worst first, with the lines that allocate, their stacks and frames; or the lines alone, or by file. */
export class LeaksTree extends RowTree {
  private rows: readonly Row[] = [];
  /** Lines that were edited since they ran, or may have been, at the last refresh. */
  private edited: readonly LineMark[] = [];
  /** Files by their names in the rows. */
  private names: ReadonlyMap<string, string> = new Map();

  constructor(
    private readonly store: ResultsStore,
    private readonly files: PythonFiles,
    grouping: LeakGrouping,
    private readonly marks: EditorMarks,
  ) {
    super();
    const refresh = (): void => {
      const { findings, ignoredFindings } = store;
      const lines = findings.flatMap((finding) => finding.lines);
      this.names = fileNames(new Set([...findings, ...ignoredFindings, ...lines].map(({ file }) => file)));
      const listedRows = {
        holder: () => findings.map((finding) => this.findingRow(finding, false)),
        line: () => lines.map((mark) => this.lineRow(null, mark, false)),
        file: () => linesByFile(lines).map((group) => this.fileRow(group)),
      };
      const ignored = ignoredFindings.map((finding) => this.findingRow(finding, true));
      this.rows = [...listedRows[grouping.current](), ...ignored];
      this.changedEmitter.fire();
    };
    this.subscriptions = [
      this.changedEmitter,
      store.onDidChange(refresh),
      grouping.onDidChange(refresh),
      marks.onDidMove(() => {
        const edited = store.marks.filter((mark) => marks.isEdited(mark) || marks.isOtherVersion(mark));
        const isSame = edited.length === this.edited.length && edited.every((mark, i) => mark === this.edited[i]);
        // Rows show that a line was edited, not its new place.
        if (isSame) return;
        this.edited = edited;
        this.changedEmitter.fire();
      }),
    ];
  }

  /** The row of a statement or of a line that allocates. */
  find(file: string, line: number): Row | undefined {
    const isHere = (row: Row): boolean => row.file === file && row.line === line;
    return this.rows.find(isHere) ?? this.rows.flatMap((row) => row.children()).find(isHere);
  }

  protected override roots(): Row[] {
    const { result } = this.store;
    const runs = result?.report.runs ?? [];
    return [
      ...this.rows,
      // Without a finding the latest snapshots’ peaks are what there is to see.
      ...(this.rows.length > 0 ? [] : peakRows(runs)),
      ...runs.flatMap(({ id, process }) => process.map((finding) => rowOf(null, () => processItem(finding, id)))),
      ...(result === null ? [] : unmappedRows(result.paths)),
    ];
  }

  private findingRow(finding: FindingMark, ignored: boolean): Row {
    const { file, line, lines } = finding;
    const hasLines = holdsOthers(finding);
    return rowOf(
      null,
      () => this.findingItem(finding, hasLines, ignored),
      (row) =>
        hasLines
          ? lines.map((mark) => this.lineRow(row, mark, ignored))
          : lines.flatMap((mark) => this.stackRows(row, mark)),
      { file, line },
    );
  }

  private fileRow({ name, marks, bytes }: LinesOfFile): Row {
    const item = (): vscode.TreeItem =>
      itemOf(this.names.get(name) ?? name, true, {
        id: `file:${name}`,
        description: listed(bytes === null ? null : byteText(bytes), tCount(marks.length, '1 line', '{0} lines')),
        tooltip: name,
        icon: 'file-code',
      });
    return rowOf(null, item, (row) => marks.map((mark) => this.lineRow(row, mark, false)));
  }

  private lineRow(parent: Row | null, mark: LineMark, ignored: boolean): Row {
    const { file, line } = mark;
    // Below its finding, which has the icon, the width is for the text.
    const isBelow = parent?.line !== undefined;
    return rowOf(
      parent,
      () => this.lineItem(mark, isBelow, ignored),
      (row) => this.stackRows(row, mark),
      { file, line },
    );
  }

  private stackRows(parent: Row, { parts }: LineMark): Row[] {
    return parts
      .flatMap(({ line }) => line.stacks)
      .map(({ liveBytes, blocks, frames }) =>
        stackRow(parent, listed(byteText(liveBytes), tCount(blocks, '1 block', '{0} blocks')), frames, this.files),
      );
  }

  private findingItem(finding: FindingMark, hasLines: boolean, ignored: boolean): vscode.TreeItem {
    const { holder, lines } = finding.parts[0].finding;
    const { short, detail } = presentFinding(finding.parts[0]);
    const isEdited = this.marks.isFindingEdited(finding);
    const isOther = finding.lines.some((mark) => this.marks.isOtherVersion(mark));
    const hasFix = holder?.edit != null && !isEdited;
    const { rank } = presentLine(finding.lines[0]);
    // The number first, for the view is narrow.
    const item = itemOf(short, hasLines, {
      id: `finding:${finding.mapped}:${finding.line}:${finding.file}`,
      description: listed(staleState(isEdited, isOther), this.placeOf(finding), holder?.name, rank),
      tooltip: [...detail, `${finding.file}:${finding.line}`, ...unmatched(finding)].join('\n'),
      ...iconOf(finding.tone, isEdited || isOther),
      contextValue: finding.mapped ? (hasFix ? RowKind.fixableLine : RowKind.mappedLine) : RowKind.unmappedLine,
      command: finding.mapped ? openCommand(finding.file, finding.line) : undefined,
    });
    return ignored ? grayed(item, lines[0]) : item;
  }

  private lineItem(mark: LineMark, isBelow: boolean, ignored: boolean): vscode.TreeItem {
    const { line } = mark.parts[0];
    const { short, detail, unfound, rank } = presentLine(mark);
    const isEdited = this.marks.isEdited(mark);
    const isOther = this.marks.isOtherVersion(mark);
    const isStale = isEdited || isOther;
    const item = itemOf(short, false, {
      id: `line:${mark.mapped}:${mark.line}:${mark.file}`,
      description: listed(staleState(isEdited, isOther), unfound, this.placeOf(mark), rank),
      tooltip: [...detail, `${mark.file}:${mark.line} ${line.function}`, ...unmatched(mark)].join('\n'),
      ...(isBelow && !isStale ? {} : iconOf(mark.tone, isStale)),
      contextValue: mark.mapped ? RowKind.mappedLine : RowKind.unmappedLine,
      command: mark.mapped ? openCommand(mark.file, mark.line) : undefined,
    });
    return ignored ? grayed(item, line) : item;
  }

  private placeOf({ file, line }: { readonly file: string; readonly line: number }): string {
    return `${this.names.get(file) ?? file}:${line}`;
  }
}

function unmatched({ mapped }: { readonly mapped: boolean }): string[] {
  return mapped ? [] : [vscode.l10n.t('Not matched with a file of this workspace.')];
}

/** First in a description, for the view is narrow. */
function staleState(isEdited: boolean, isOther: boolean): string | null {
  return staleText({ edited: isEdited || isOther, otherVersion: !isEdited });
}

/** Memory without a line, below the lines. */
function processItem(finding: ProcessFinding, runId: string): vscode.TreeItem {
  const { verdict, device, bytes, message } = finding;
  return itemOf(byteText(bytes), null, {
    id: `process:${verdict}:${device ?? ''}:${runId}`,
    description: listed(processTitle(finding), device === null ? '' : deviceName(device)),
    tooltip: message,
    icon: 'server-process',
  });
}

function iconOf(tone: MarkTone, isStale: boolean): { icon: string; color: string | null } {
  return { ...ICONS[tone], ...(isStale && { color: 'disabledForeground' }) };
}

/** Recorded files without a match in the workspace, which a folder can be mapped for, and cells of notebooks. */
function unmappedRows({ unmapped, ambiguous }: NonNullable<ResultsStore['result']>['paths']): Row[] {
  const { files, cells } = unmappedFiles(unmapped);
  const count = files.length + ambiguous.length;
  const item = (): vscode.TreeItem =>
    itemOf(tCount(count, '1 recorded file is not matched', '{0} recorded files are not matched'), null, {
      description: vscode.l10n.t('map folder…'),
      tooltip: vscode.l10n.t('Recorded files that match no file of this workspace. Click to map a folder.'),
      icon: 'warning',
      command: { title: vscode.l10n.t('Map Recorded Folder…'), command: Command.mapRecordedFolder },
    });
  return [...(count === 0 ? [] : [rowOf(null, item)]), ...(cells.length === 0 ? [] : [cellsRow(cells.length)])];
}

/** Cells cannot be mapped: only their text identifies them. */
function cellsRow(cells: number): Row {
  const label = tCount(cells, '1 recorded notebook cell is not matched', '{0} recorded notebook cells are not matched');
  return rowOf(null, () =>
    itemOf(label, null, {
      description: vscode.l10n.t('cell text has changed'),
      tooltip: vscode.l10n.t(
        'A cell is identified by its text. The text that ran is in no cell here, or in several: it was edited, or the notebook is not in this workspace.',
      ),
      icon: 'notebook',
    }),
  );
}

/** A row of a leak that the workspace ignores. */
function grayed(item: vscode.TreeItem, { inBaseline }: LineReport): vscode.TreeItem {
  item.id = `ignored:${item.id ?? ''}`;
  item.resourceUri = vscode.Uri.from({ scheme: IGNORED_SCHEME, path: `/${item.id}` });
  item.iconPath = new vscode.ThemeIcon('eye-closed', new vscode.ThemeColor('disabledForeground'));
  item.description = listed(
    inBaseline ? vscode.l10n.t('baseline') : vscode.l10n.t('ignored'),
    String(item.description),
  );
  item.contextValue = RowKind.ignoredLine;
  return item;
}

const IGNORED_SCHEME = 'leakline-ignored';

/** Grays the rows of ignored leaks. A row is colored through an address, and this is theirs. */
export class IgnoredRows implements vscode.FileDecorationProvider {
  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    if (uri.scheme !== IGNORED_SCHEME) return undefined;
    return new vscode.FileDecoration(undefined, undefined, new vscode.ThemeColor('disabledForeground'));
  }
}
