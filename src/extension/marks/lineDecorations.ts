import * as vscode from 'vscode';
import { presentFinding, presentLine, type Presented } from '../../core/present/presented.js';
import { endOfLine } from '../../core/present/stale.js';
import { visibleText } from '../../core/text/plainText.js';
import { Color } from '../contributions.js';
import { Listener } from '../disposer.js';
import { isCallerOnly } from '../results/lineMarks.js';
import type { EditorMarks } from './editorMarks.js';
import type { MarkedPlace } from './markedLines.js';

/** `stale`: the line was edited since, or only calls the leaking one. */
const TONES = ['leak', 'cycle', 'growth', 'shrink', 'stale'] as const;
type Tone = (typeof TONES)[number];

/** The text at the end of marked lines and their marks in the overview ruler. One decoration type per tone. */
export class LineDecorations extends Listener {
  private readonly types = createTypes();

  constructor(private readonly marks: EditorMarks) {
    super();
    const refresh = (): void => this.refresh();
    this.subscriptions = [
      ...Object.values(this.types),
      marks.onDidChange(refresh),
      marks.onDidMove(refresh),
      vscode.window.onDidChangeVisibleTextEditors(refresh),
    ];
    this.refresh();
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
    if (this.marks.isHiddenIn(editor)) return options;
    const { shown } = this.marks;
    const add = (tone: Tone, place: MarkedPlace, told: Presented | null): void => {
      const label = told === null || !shown.endOfLine ? '' : endOfLine(told, shown.codeLens, place);
      options[place.edited ? 'stale' : tone].push({
        range: document.lineAt(place.line - 1).range,
        ...(label === '' ? {} : { renderOptions: { after: { contentText: visibleText(label) } } }),
      });
    };
    for (const { item, place } of this.marks.growthIn(document)) {
      add(item.growthBytes > 0 ? 'growth' : 'shrink', place, null);
    }
    for (const { item, place } of this.marks.leaksIn(document)) {
      if (item.tone === 'growing') continue;
      const tone = isCallerOnly(item) ? 'stale' : item.tone;
      add(tone, place, presentLine(item));
    }
    const own = new Set(this.marks.leaksIn(document).map(({ place }) => place.line));
    for (const { item, place } of this.marks.holdersIn(document)) {
      // A leaking line has its own text.
      if (item.tone === 'growing' || own.has(place.line)) continue;
      add(item.tone, place, presentFinding(item.parts[0]));
    }
    return options;
  }
}

function createTypes(): Record<Tone, vscode.TextEditorDecorationType> {
  const create = (color: string): vscode.TextEditorDecorationType =>
    vscode.window.createTextEditorDecorationType({
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
      after: { color: new vscode.ThemeColor(color), margin: '0 0 0 2em' },
      overviewRulerColor: new vscode.ThemeColor(color),
      overviewRulerLane: vscode.OverviewRulerLane.Right,
    });
  return {
    leak: create(Color.leak),
    cycle: create(Color.cycle),
    growth: create(Color.growth),
    shrink: create(Color.shrink),
    stale: create('editorCodeLens.foreground'),
  };
}
