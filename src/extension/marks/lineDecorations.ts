import * as vscode from 'vscode';
import { Color } from '../contributions.js';
import type { ResultsStore } from '../results/resultsStore.js';
import type { MarkSettings } from '../settings.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';
import type { MarkedLines } from './markedLines.js';
import type { MarkSwitch } from './markSwitch.js';
import { endOfLineText } from './markText.js';

/** `stale`: the line was edited since. */
const TONES = ['leak', 'cycle', 'growth', 'shrink', 'stale'] as const;
type Tone = (typeof TONES)[number];

/** The text behind marked lines and their marks in the overview ruler. One decoration type per tone. */
export class LineDecorations implements vscode.Disposable {
  private types: Record<Tone, vscode.TextEditorDecorationType>;
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly store: ResultsStore,
    private readonly files: PythonFiles,
    private readonly marks: MarkSwitch,
    private readonly lines: MarkedLines,
  ) {
    this.types = createTypes(marks.shown);
    const refresh = (): void => {
      this.refresh();
    };
    this.subscriptions = [
      store.onDidChange(refresh),
      lines.onDidMove(refresh),
      vscode.window.onDidChangeVisibleTextEditors(refresh),
      marks.onDidChange(() => {
        this.disposeTypes();
        this.types = createTypes(marks.shown);
        this.refresh();
      }),
    ];
    this.refresh();
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
    this.disposeTypes();
  }

  private disposeTypes(): void {
    for (const tone of TONES) this.types[tone].dispose();
  }

  private refresh(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const options = this.optionsOf(editor);
      for (const tone of TONES) editor.setDecorations(this.types[tone], options[tone]);
    }
  }

  private optionsOf(editor: vscode.TextEditor): Record<Tone, vscode.DecorationOptions[]> {
    const options: Record<Tone, vscode.DecorationOptions[]> = {
      leak: [],
      cycle: [],
      growth: [],
      shrink: [],
      stale: [],
    };
    const { document } = editor;
    if (document.languageId !== 'python' || isInDiff(editor)) return options;
    const path = this.files.path(document.uri);
    if (this.files.uri(path)?.toString() !== document.uri.toString()) return options;
    const shown = this.marks.shown;
    if (this.store.comparison !== null) {
      for (const { line, growthBytes } of this.store.comparison.byFile.get(path) ?? []) {
        this.add(options, growthBytes > 0 ? 'growth' : 'shrink', document, line, '');
      }
      return options;
    }
    for (const mark of this.store.marksOf(path)) {
      if (mark.tone === 'filling') continue;
      const text = shown.endOfLine ? endOfLineText(mark, shown.codeLens, vscode.l10n) : '';
      this.add(options, mark.tone, document, mark.line, text);
    }
    return options;
  }

  /** @param line as recorded, 1-based */
  private add(
    options: Record<Tone, vscode.DecorationOptions[]>,
    tone: Tone,
    document: vscode.TextDocument,
    line: number,
    text: string,
  ): void {
    const place = this.lines.place(document, line);
    if (place === null) return;
    const { range } = document.lineAt(place.line - 1);
    const shown = place.edited && text !== '' ? vscode.l10n.t('{0} · before your edit', text) : text;
    options[place.edited ? 'stale' : tone].push({
      range,
      ...(shown === '' ? {} : { renderOptions: { after: { contentText: shown } } }),
    });
  }
}

function createTypes(shown: MarkSettings): Record<Tone, vscode.TextEditorDecorationType> {
  const create = (color: string): vscode.TextEditorDecorationType =>
    vscode.window.createTextEditorDecorationType({
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
      after: { color: new vscode.ThemeColor(color), margin: '0 0 0 2em' },
      ...(shown.overviewRuler
        ? { overviewRulerColor: new vscode.ThemeColor(color), overviewRulerLane: vscode.OverviewRulerLane.Right }
        : {}),
    });
  return {
    leak: create(Color.leak),
    cycle: create(Color.cycle),
    growth: create(Color.growth),
    shrink: create(Color.shrink),
    stale: create('editorCodeLens.foreground'),
  };
}

/** True if the editor is one side of a comparison of texts: its lines are not those of the run. */
function isInDiff(editor: vscode.TextEditor): boolean {
  const group = vscode.window.tabGroups.all.find(({ viewColumn }) => viewColumn === editor.viewColumn);
  return editor.viewColumn === undefined || group?.activeTab?.input instanceof vscode.TabInputTextDiff;
}
