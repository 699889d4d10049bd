import * as vscode from 'vscode';
import { Listener } from '../disposer.js';
import { isCallerOnly } from '../results/lineMarks.js';
import type { EditorMarks } from './editorMarks.js';

/** `holder`: holds memory of other lines; `stale`: the line was edited since, or only calls the leaking one. */
const TONES = ['leak', 'cycle', 'growth', 'holder', 'stale'] as const;
type Tone = (typeof TONES)[number];

/**
 * An icon in the gutter of a marked line. Breakpoints use the same gutter, so a line with a breakpoint gets no icon.
 */
export class GutterGlyphs extends Listener {
  private types: Record<Tone, vscode.TextEditorDecorationType>;

  constructor(
    private readonly marks: EditorMarks,
    /** Holds the folder `gutter`. */
    private readonly media: vscode.Uri,
  ) {
    super();
    this.types = this.createTypes();
    const refresh = (): void => this.refresh();
    this.subscriptions = [
      { dispose: () => this.disposeTypes() },
      marks.onDidChange(refresh),
      marks.onDidMove(refresh),
      vscode.window.onDidChangeVisibleTextEditors(refresh),
      vscode.debug.onDidChangeBreakpoints(refresh),
      vscode.window.onDidChangeActiveColorTheme(() => {
        this.disposeTypes();
        this.types = this.createTypes();
        this.refresh();
      }),
    ];
    this.refresh();
  }

  private refresh(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const ranges = this.rangesOf(editor);
      for (const tone of TONES) editor.setDecorations(this.types[tone], ranges[tone]);
    }
  }

  private rangesOf(editor: vscode.TextEditor): Record<Tone, vscode.Range[]> {
    const ranges: Record<Tone, vscode.Range[]> = { leak: [], cycle: [], growth: [], holder: [], stale: [] };
    const { document } = editor;
    if (!this.marks.shown.gutter || this.marks.isHiddenIn(editor)) return ranges;
    const occupied = breakpointLines(document.uri);
    const at = (line: number): vscode.Range => new vscode.Range(line - 1, 0, line - 1, 0);
    for (const { item, place } of this.marks.leaksIn(document)) {
      if (item.tone === 'growing' || occupied.has(place.line)) continue;
      occupied.add(place.line);
      const tone = place.edited || isCallerOnly(item) ? 'stale' : item.tone;
      ranges[tone].push(at(place.line));
    }
    for (const { place } of this.marks.holdersIn(document)) {
      if (occupied.has(place.line)) continue;
      ranges[place.edited ? 'stale' : 'holder'].push(at(place.line));
    }
    return ranges;
  }

  /** Decorations have icons for light and dark only; high-contrast themes need a separate choice. */
  private createTypes(): Record<Tone, vscode.TextEditorDecorationType> {
    const { kind } = vscode.window.activeColorTheme;
    const { HighContrast, HighContrastLight } = vscode.ColorThemeKind;
    const contrast = kind === HighContrast || kind === HighContrastLight;
    const create = (tone: Tone): vscode.TextEditorDecorationType => {
      const icon = (theme: string): vscode.Uri => vscode.Uri.joinPath(this.media, 'gutter', `${tone}-${theme}.svg`);
      return vscode.window.createTextEditorDecorationType({
        gutterIconSize: 'contain',
        light: { gutterIconPath: icon(contrast ? 'highContrastLight' : 'light') },
        dark: { gutterIconPath: icon(contrast ? 'highContrast' : 'dark') },
      });
    };
    return {
      leak: create('leak'),
      cycle: create('cycle'),
      growth: create('growth'),
      holder: create('holder'),
      stale: create('stale'),
    };
  }

  private disposeTypes(): void {
    for (const tone of TONES) this.types[tone].dispose();
  }
}

/** 1-based lines of a file that have a breakpoint, enabled or not. */
function breakpointLines(uri: vscode.Uri): Set<number> {
  const lines = new Set<number>();
  for (const breakpoint of vscode.debug.breakpoints) {
    if (!(breakpoint instanceof vscode.SourceBreakpoint)) continue;
    const { location } = breakpoint;
    if (location.uri.toString() === uri.toString()) lines.add(location.range.start.line + 1);
  }
  return lines;
}
