import * as vscode from 'vscode';
import { Color } from '../contributions.js';
import { disposeAll, type Disposer } from '../disposer.js';
import { isCallerOnly } from '../results/lineMarks.js';
import type { MarkSettings } from '../settings.js';
import type { EditorMarks } from './editorMarks.js';
import { holderLineText } from './findingText.js';
import type { MarkedPlace } from './markedLines.js';
import { endOfLineText, staleText } from './markText.js';

/** `stale`: the line was edited since, or only calls what leaks. */
const TONES = ['leak', 'cycle', 'growth', 'shrink', 'stale'] as const;
type Tone = (typeof TONES)[number];

/** The text behind marked lines and their marks in the overview ruler. One decoration type per tone. */
export class LineDecorations implements vscode.Disposable {
  private types: Record<Tone, vscode.TextEditorDecorationType>;
  private typesFor: MarkSettings;
  private readonly subscriptions: readonly Disposer[];

  constructor(private readonly marks: EditorMarks) {
    this.typesFor = marks.shown;
    this.types = createTypes(this.typesFor);
    const refresh = (): void => {
      this.refresh();
    };
    this.subscriptions = [
      marks.onDidChange(refresh),
      marks.onDidMove(refresh),
      vscode.window.onDidChangeVisibleTextEditors(refresh),
    ];
    this.refresh();
  }

  dispose(): void {
    disposeAll(this.subscriptions);
    this.disposeTypes();
  }

  private disposeTypes(): void {
    for (const tone of TONES) this.types[tone].dispose();
  }

  private refresh(): void {
    const { shown } = this.marks;
    if (shown.overviewRuler !== this.typesFor.overviewRuler) {
      this.disposeTypes();
      this.types = createTypes(shown);
    }
    this.typesFor = shown;
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
    if (this.marks.isHiddenIn(editor)) return options;
    const { shown } = this.marks;
    const add = (tone: Tone, place: MarkedPlace, text: string): void => {
      // The lens says it already.
      const told = shown.codeLens ? text : staleText(text, place, vscode.l10n);
      options[place.edited ? 'stale' : tone].push({
        range: document.lineAt(place.line - 1).range,
        ...(told === '' ? {} : { renderOptions: { after: { contentText: told } } }),
      });
    };
    for (const { said, place } of this.marks.growthIn(document)) {
      add(said.growthBytes > 0 ? 'growth' : 'shrink', place, '');
    }
    for (const { said, place } of this.marks.leaksIn(document)) {
      if (said.tone === 'growing') continue;
      const tone = isCallerOnly(said) ? 'stale' : said.tone;
      add(tone, place, shown.endOfLine ? endOfLineText(said, shown.codeLens, vscode.l10n) : '');
    }
    const own = new Set(this.marks.leaksIn(document).map(({ place }) => place.line));
    for (const { said, place } of this.marks.holdersIn(document)) {
      // A line that leaks itself says that.
      if (said.tone === 'growing' || own.has(place.line)) continue;
      add(said.tone, place, shown.endOfLine ? holderLineText(said, shown.codeLens, vscode.l10n) : '');
    }
    return options;
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
