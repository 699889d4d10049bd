/** The marks of a long file with many of them: what each of VS Code's questions and each change costs the extension host. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { EditorMarks } from '../../src/extension/marks/editorMarks.js';
import { LensProvider } from '../../src/extension/marks/lensProvider.js';
import { LineDecorations } from '../../src/extension/marks/lineDecorations.js';
import { MarkedLines } from '../../src/extension/marks/markedLines.js';
import { MarkSwitch } from '../../src/extension/marks/markSwitch.js';
import { RecordedTexts } from '../../src/extension/marks/recordedTexts.js';
import { NotebookCells } from '../../src/extension/notebooks/notebookCells.js';
import { ResultsStore } from '../../src/extension/results/resultsStore.js';
import { PythonFiles } from '../../src/extension/workspace/pythonFiles.js';
import { lineReport, report, runReport } from '../../test/unit/extension/support/reports.js';

const LINES = 10_000;
const MARKS = 500;
/** Other documents that are open: statements in them keep what the marked lines allocate. */
const OTHERS = 50;
const ROUNDS = 200;
const EDITS = 30;
/** VS Code asks for lenses of its own a while after an edit; that is not what is measured. */
const PAUSE_MS = 20;

/** Milliseconds, in the median and at most. */
export interface Timing {
  median: number;
  longest: number;
}

export interface Lookups {
  lenses: number;
  /** Nothing changed since the last time. */
  lookup: Timing;
  /** The first question after an edit in the file. */
  afterEdit: Timing;
  /** Index, texts and decorations of the visible editor again. */
  decorations: Timing;
  /** From a report to the event that makes VS Code ask for lenses. */
  reportToEvent: Timing;
}

export async function measureLookups(): Promise<Lookups> {
  const folder = vscode.workspace.workspaceFolders?.[0].uri.fsPath ?? '';
  const others = Array.from({ length: OTHERS }, (_, i) => `others/holder_${i}.py`);
  const text = Array.from({ length: LINES }, (_, i) => `    value_${i} = layer_${i}(batch)  # of line ${i + 1}`);
  write(join(folder, 'long.py'), `${text.join('\n')}\n`);
  for (const file of others) write(join(folder, file), 'kept = []\nkept.append(0)\n');

  const cells = new NotebookCells();
  const files = new PythonFiles(cells);
  const store = new ResultsStore((file) => files.uri(file) !== undefined);
  await files.paths();
  const lines = new MarkedLines(new RecordedTexts(store, files));
  const marks = new EditorMarks(store, files, new MarkSwitch(new Memento()), lines);
  const provider = new LensProvider(marks);
  const decorations = new LineDecorations(marks, vscode.Uri.file(folder));
  for (const file of others) await vscode.workspace.openTextDocument(join(folder, file));
  const document = await vscode.workspace.openTextDocument(join(folder, 'long.py'));
  const editor = await vscode.window.showTextDocument(document);

  const result = {
    report: report(
      runReport(
        Array.from({ length: MARKS }, (_, i) => {
          const holder = {
            source: 'recorder',
            file: others[i % OTHERS],
            line: 2,
            name: 'kept',
            text: 'kept',
            fix: null,
            edit: null,
          } as const;
          return lineReport({ file: 'long.py', line: 1 + i * Math.floor(LINES / MARKS), holder });
        }),
      ),
    ),
    paths: { unmapped: [], ambiguous: [], learned: [] },
  };
  let notifiedAt = 0;
  const subscription = provider.onDidChangeCodeLenses(() => {
    if (notifiedAt === 0) notifiedAt = performance.now();
  });
  const reportToEvent: number[] = [];
  for (let i = 0; i < EDITS; i++) {
    notifiedAt = 0;
    const begun = performance.now();
    store.setResult(result);
    reportToEvent.push(notifiedAt - begun);
  }
  subscription.dispose();

  const lenses = provider.provideCodeLenses(document).length;
  const lookup = repeat(ROUNDS, () => provider.provideCodeLenses(document));
  const drawn = repeat(EDITS, () => {
    store.setIgnored([]); // tells every surface of a change that is none
  });
  const afterEdit: number[] = [];
  for (let i = 0; i < EDITS; i++) {
    await editor.edit((builder) => {
      builder.insert(new vscode.Position(i * 200, 0), '\n');
    });
    const begun = performance.now();
    provider.provideCodeLenses(document);
    afterEdit.push(performance.now() - begun);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  for (const one of [decorations, provider, marks, lines, files, cells, store]) one.dispose();
  return {
    lenses,
    lookup: timing(lookup),
    afterEdit: timing(afterEdit),
    decorations: timing(drawn),
    reportToEvent: timing(reportToEvent),
  };
}

function repeat(rounds: number, work: () => unknown): number[] {
  return Array.from({ length: rounds }, () => {
    const begun = performance.now();
    work();
    return performance.now() - begun;
  });
}

function timing(durations: readonly number[]): Timing {
  const sorted = [...durations].sort((a, b) => a - b);
  return { median: sorted[sorted.length >> 1], longest: sorted[sorted.length - 1] };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** The memory of a workspace, for the life of the window. */
class Memento implements vscode.Memento {
  private readonly values = new Map<string, unknown>();

  keys(): readonly string[] {
    return [...this.values.keys()];
  }

  get<T>(key: string, fallback?: T): T | undefined {
    return (this.values.get(key) as T | undefined) ?? fallback;
  }

  update(key: string, value: unknown): Promise<void> {
    this.values.set(key, value);
    return Promise.resolve();
  }
}
